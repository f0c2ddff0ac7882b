#include "isochor/run/tracer.h"

#include <embree3/rtcore.h>
#include <string>
#include <type_traits>

#include "isochor/base/error.h"

namespace isochor::run {
namespace {

struct Release {
  void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
  void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
  void operator()(RTCGeometry geometry) const { rtcReleaseGeometry(geometry); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release>;

template <class T>
T* new_buffer(const Owned<RTCGeometry>& geometry, RTCBufferType type, RTCFormat format,
              std::size_t bytes_per_item, std::size_t count) {
  void* data = rtcSetNewGeometryBuffer(geometry.get(), type, 0, format, bytes_per_item, count);
  if (!data) {
    throw Error(Fault::System, "picture", "the ray tracer found no memory",
                "render on a machine with more memory");
  }
  return static_cast<T*>(data);
}

Owned<RTCScene> commit(const Owned<RTCDevice>& device, const Owned<RTCGeometry>& geometry) {
  Owned<RTCScene> scene(rtcNewScene(device.get()));
  // Robust: no ray slips through the edge between two triangles.
  rtcSetSceneFlags(scene.get(), RTC_SCENE_FLAG_ROBUST);
  rtcCommitGeometry(geometry.get());
  rtcAttachGeometry(scene.get(), geometry.get());
  rtcCommitScene(scene.get());
  if (const RTCError code = rtcGetDeviceError(device.get()); code != RTC_ERROR_NONE) {
    throw Error(Fault::System, "picture", "the ray tracer failed with code " + std::to_string(code),
                "render on a machine with more memory");
  }
  return scene;
}

Owned<RTCScene> build_triangles(const Owned<RTCDevice>& device, const ShadingMesh& mesh) {
  Owned<RTCGeometry> geometry(rtcNewGeometry(device.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
  auto* positions = new_buffer<Vec3f>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3,
                                      sizeof(Vec3f), mesh.positions.size());
  std::copy(mesh.positions.begin(), mesh.positions.end(), positions);
  using Indices = std::array<std::uint32_t, 3>;
  auto* triangles = new_buffer<Indices>(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3,
                                        sizeof(Indices), mesh.triangles.size());
  std::copy(mesh.triangles.begin(), mesh.triangles.end(), triangles);
  return commit(device, geometry);
}

Owned<RTCScene> build_lines(const Owned<RTCDevice>& device, std::span<const Segment> lines,
                            float radius) {
  Owned<RTCGeometry> geometry(rtcNewGeometry(device.get(), RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE));
  using Point = std::array<float, 4>;
  auto* points = new_buffer<Point>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4,
                                   sizeof(Point), 2 * lines.size());
  auto* first = new_buffer<std::uint32_t>(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT,
                                          sizeof(std::uint32_t), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [p, q] = lines[i];
    points[2 * i] = {p[0], p[1], p[2], radius};
    points[2 * i + 1] = {q[0], q[1], q[2], radius};
    first[i] = static_cast<std::uint32_t>(2 * i);
  }
  return commit(device, geometry);
}

RTCRay to_embree(const Ray& ray) {
  RTCRay r{};
  r.org_x = ray.origin[0], r.org_y = ray.origin[1], r.org_z = ray.origin[2];
  r.dir_x = ray.direction[0], r.dir_y = ray.direction[1], r.dir_z = ray.direction[2];
  r.tnear = ray.near, r.tfar = ray.far;
  r.mask = ~0u;
  return r;
}

bool intersect(const Owned<RTCScene>& scene, const Ray& ray, RTCRayHit& result) {
  if (!(ray.near < ray.far)) return false;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  result.ray = to_embree(ray);
  result.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(scene.get(), &context, &result);
  return result.hit.geomID != RTC_INVALID_GEOMETRY_ID;
}

}  // namespace

struct Tracer::Impl {
  Owned<RTCDevice> device;
  Owned<RTCScene> triangles, lines;
};

Tracer::Tracer(const ShadingMesh& mesh, std::span<const Segment> lines, float line_radius)
    : impl_(std::make_unique<Impl>()) {
  // All slots of the arena in which Embree builds its tree are kept for callers, so that the one
  // caller builds alone, in a fixed order. ("threads=1" would hold back every other user of TBB
  // in this process.)
  impl_->device.reset(rtcNewDevice("user_threads=65536"));
  if (!impl_->device) {
    throw Error(Fault::System, "picture", "the ray tracer cannot start on this machine",
                "skip the pictures");
  }
  impl_->triangles = build_triangles(impl_->device, mesh);
  if (!lines.empty()) impl_->lines = build_lines(impl_->device, lines, line_radius);
}
Tracer::~Tracer() = default;

std::optional<SurfaceHit> Tracer::closest_surface(const Ray& ray) const {
  RTCRayHit r;
  if (!intersect(impl_->triangles, ray, r)) return std::nullopt;
  return SurfaceHit{r.ray.tfar, r.hit.primID, r.hit.u, r.hit.v,
                    Vec3f{r.hit.Ng_x, r.hit.Ng_y, r.hit.Ng_z}};
}

std::optional<Tracer::LineHit> Tracer::closest_line(const Ray& ray) const {
  RTCRayHit r;
  if (!impl_->lines || !intersect(impl_->lines, ray, r)) return std::nullopt;
  return LineHit{r.ray.tfar, Vec3f{r.hit.Ng_x, r.hit.Ng_y, r.hit.Ng_z}};
}

bool Tracer::occluded(const Ray& ray) const {
  if (!(ray.near < ray.far)) return false;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay r = to_embree(ray);
  rtcOccluded1(impl_->triangles.get(), &context, &r);
  return r.tfar < 0;
}

}  // namespace isochor::run
