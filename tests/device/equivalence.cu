/// The kernel headers on a GPU: the SVD and every law, compiled for the device and compared with
/// the same source on the host. Compiled wherever nvcc is found, so that the headers never stop
/// being device-clean; exits with 77, which the test runner shows as skipped, where no GPU is.
#include <cstdio>
#include <random>
#include <vector>

#include "isochor/materials/registry.h"
#include "isochor/math/svd.h"

namespace isochor::materials {
namespace {

constexpr int kCount = 4096;
constexpr int kSkipped = 77;

/// What is compared per deformation gradient.
template <class T>
struct Numbers {
  static constexpr int kSize = 30;
  T value[kSize];
};

/// Reconstruction and orthogonality instead of U and V, which are not unique.
template <class T>
__host__ __device__ Numbers<T> decompose_numbers(const Mat3<T>& F) {
  const Svd<T> f = svd(F);
  const Mat3<T> back = times_transpose(f.U * Mat3<T>::diagonal(f.sigma), f.V);
  const Mat3<T> U = transpose_times(f.U, f.U), V = transpose_times(f.V, f.V);
  Numbers<T> n;
  for (int e = 0; e < 9; ++e) {
    n.value[e] = back(e % 3, e / 3);
    n.value[9 + e] = U(e % 3, e / 3);
    n.value[18 + e] = V(e % 3, e / 3);
  }
  for (int i = 0; i < 3; ++i) n.value[27 + i] = f.sigma[i];
  return n;
}

/// Energy, stress, and the fixed tangent applied to two directions.
template <class Law, class T>
__host__ __device__ Numbers<T> law_numbers(const Mat3<T>& F, const Parameters<T>& p) {
  const Response<T> r = Law::respond(F, p);
  auto tangent = Law::linearise(F, p);
  make_definite(tangent, Definiteness::Clamp);
  auto absolute = Law::linearise(F, p);
  make_definite(absolute, Definiteness::Absolute);
  Mat3<T> dF;
  for (int e = 0; e < 9; ++e) dF(e % 3, e / 3) = T(e % 2 ? 0.5 : -0.25) + T(e) * T(0.1);
  const Mat3<T> a = stress_differential(tangent, dF), b = stress_differential(absolute, dF);
  Numbers<T> n;
  for (int e = 0; e < 9; ++e) {
    n.value[e] = r.stress(e % 3, e / 3);
    n.value[9 + e] = a(e % 3, e / 3);
    n.value[18 + e] = b(e % 3, e / 3);
  }
  n.value[27] = r.energy;
  n.value[28] = Law::energy(F, p);
  n.value[29] = T(0);
  return n;
}

template <class T>
__global__ void svd_kernel(const Mat3<T>* F, Numbers<T>* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kCount) out[i] = decompose_numbers(F[i]);
}

template <class Law, class T>
__global__ void law_kernel(const Mat3<T>* F, Parameters<T> p, Numbers<T>* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kCount) out[i] = law_numbers<Law>(F[i], p);
}

/// Inverted ones among them; the rotation nearest to each is unique.
std::vector<Mat3<double>> deformations() {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.2, 1.2);
  std::vector<Mat3<double>> all;
  while (all.size() < kCount) {
    Mat3<double> F = Mat3<double>::identity();
    for (int e = 0; e < 9; ++e) F(e % 3, e / 3) += uniform(random);
    const Vec3<double> sigma = svd(F).sigma;
    if (sigma[1] + sigma[2] > 0.3) all.push_back(F);
  }
  return all;
}

template <class T>
Parameters<T> parameters(std::span<const ShapeParameter> list) {
  Parameters<T> p{T(1), T(4), T(0.6)};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double value = list[i].unit == Unit::Angle      ? 0.8
                         : list[i].unit == Unit::Pressure ? 0.3
                         : list[i].name[0] == 'b'         ? 0.1 * (list[i].fallback + 0.1)
                                                          : list[i].fallback;
    p.shape[i] = T(value);
  }
  return p;
}

#define CHECK_CUDA(call)                                                   \
  do {                                                                     \
    const cudaError_t status = (call);                                     \
    if (status != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (false)

/// Runs `launch` on device copies; the largest error relative to the largest number of each item.
template <class T, class Launch, class Host>
bool agrees(const char* name, const char* type, double tolerance, Launch&& launch, Host&& host) {
  const std::vector<Mat3<double>> all = deformations();
  std::vector<Mat3<T>> F(kCount);
  for (int i = 0; i < kCount; ++i) {
    for (int e = 0; e < 9; ++e) F[i](e % 3, e / 3) = static_cast<T>(all[i](e % 3, e / 3));
  }
  Mat3<T>* device_F = nullptr;
  Numbers<T>* device_out = nullptr;
  CHECK_CUDA(cudaMalloc(&device_F, kCount * sizeof(Mat3<T>)));
  CHECK_CUDA(cudaMalloc(&device_out, kCount * sizeof(Numbers<T>)));
  CHECK_CUDA(cudaMemcpy(device_F, F.data(), kCount * sizeof(Mat3<T>), cudaMemcpyHostToDevice));
  launch(device_F, device_out);
  CHECK_CUDA(cudaGetLastError());
  std::vector<Numbers<T>> out(kCount);
  CHECK_CUDA(
      cudaMemcpy(out.data(), device_out, kCount * sizeof(Numbers<T>), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(device_F));
  CHECK_CUDA(cudaFree(device_out));
  double worst = 0;
  for (int i = 0; i < kCount; ++i) {
    const Numbers<T> expected = host(F[i]);
    double size = 1, error = 0;
    for (int e = 0; e < Numbers<T>::kSize; ++e) {
      size = std::max(size, double(std::abs(expected.value[e])));
      error = std::max(error, double(std::abs(expected.value[e] - out[i].value[e])));
    }
    if (!(error >= 0)) error = 1e300;  // NaN
    worst = std::max(worst, error / size);
  }
  const bool good = worst <= tolerance;
  std::printf("%-24s %-7s host against device %.2e (at most %.0e) %s\n", name, type, worst,
              tolerance, good ? "holds" : "DOES NOT HOLD");
  return good;
}

template <class T>
bool check_all(const char* type, double tolerance) {
  constexpr int kThreads = 64, kBlocks = kCount / kThreads;
  bool good = agrees<T>(
      "svd", type, tolerance,
      [](const Mat3<T>* F, Numbers<T>* out) { svd_kernel<<<kBlocks, kThreads>>>(F, out); },
      [](const Mat3<T>& F) { return decompose_numbers(F); });
  const auto check = [&]<class Law>(Law) {
    const Parameters<T> p = parameters<T>(Law::kShape);
    good &= agrees<T>(
        std::string(Law::kName).c_str(), type, tolerance,
        [&](const Mat3<T>* F, Numbers<T>* out) {
          law_kernel<Law><<<kBlocks, kThreads>>>(F, p, out);
        },
        [&](const Mat3<T>& F) { return law_numbers<Law>(F, p); });
  };
  std::apply([&](auto... law) { (check(law), ...); }, Laws{});
  return good;
}

}  // namespace
}  // namespace isochor::materials

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("no GPU here: the kernels were compiled for one, and not run");
    return isochor::materials::kSkipped;
  }
  // A few dozen roundings, magnified by what the tangent divides by (0.3 at least).
  const bool single = isochor::materials::check_all<float>("float", 4e-5);
  const bool full = isochor::materials::check_all<double>("double", 2e-13);
  return single && full ? 0 : 1;
}
