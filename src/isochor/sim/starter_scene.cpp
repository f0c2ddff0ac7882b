#include "isochor/sim/starter_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "isochor/base/error.h"
#include "isochor/files/skeleton_file.h"
#include "isochor/files/surface_file.h"
#include "isochor/geometry/mesh_report.h"
#include "isochor/geometry/orientation.h"
#include "isochor/geometry/triangle_bvh.h"
#include "isochor/geometry/winding_number.h"

namespace isochor::sim {
namespace {

constexpr double kCells = 15000;      ///< what a first scene should have
constexpr double kFrameRate = 24;     ///< 1/s
constexpr double kPreRoll = 0.5;      ///< s
constexpr double kLongestClip = 2.5;  ///< s that a first scene shows
constexpr double kSkin = 0.0015;      ///< m, that of people

/// To two digits.
double rounded(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::round(value / unit) * unit;
}

std::string named_from(const std::filesystem::path& file, const std::filesystem::path& scene) {
  const std::filesystem::path folder = std::filesystem::absolute(scene).parent_path();
  return std::filesystem::absolute(file).lexically_proximate(folder).generic_string();
}

/// Metres per unit of a file, from the longest side of what is in it.
double guess_scale(double longest) {
  if (longest <= 3) return 1;
  return longest < 300 ? 0.01 : 0.001;
}

/// A file that was not made with the mesh may have units of its own.
double match_scale(double skeleton_size, double mesh_size) {
  constexpr std::array kUnits{1.0, 0.01, 0.001, 0.0254, 0.056444};
  const double wanted = mesh_size / skeleton_size;
  const auto misfit = [&](double unit) { return std::abs(std::log(unit / wanted)); };
  const double best = *std::ranges::min_element(kUnits, {}, misfit);
  constexpr double kFits = 0.3;
  return misfit(best) < kFits ? best : rounded(wanted);
}

/// The axis of the coordinates that comes nearest to a direction, as a unit vector.
Vec3d nearest_axis(const Vec3d& direction) {
  int largest = 0;
  for (int a = 1; a < 3; ++a) {
    if (std::abs(direction[a]) > std::abs(direction[largest])) largest = a;
  }
  Vec3d axis{0, 0, 0};
  axis[largest] = direction[largest] < 0 ? -1 : 1;
  return axis;
}

std::string vector_text(const Vec3d& v) {
  const auto number = [](double x) { return x == 0 ? 0.0 : x; };  // no minus before a zero
  return fmt::format("[{:g}, {:g}, {:g}]", number(v[0]), number(v[1]), number(v[2]));
}

class Starter {
 public:
  Starter(const std::filesystem::path& mesh, const std::filesystem::path& scene, Context& context)
      : mesh_(mesh), scene_(scene), context_(context), file_(files::read_surface(mesh)) {
    bounds_ = geometry::bounds_of_faces(file_.mesh);
    const Vec3d size = bounds_.size();
    const double longest = std::max({size[0], size[1], size[2]});
    triangles_ = geometry::oriented_outward(file_.mesh.positions, geometry::triangulate(file_.mesh),
                                            context.arena)
                     .triangles;
    const double volume = std::abs(geometry::enclosed_volume(file_.mesh.positions, triangles_));
    if (geometry::is_flat(volume, bounds_)) {
      throw Error(Fault::Input, mesh.string(), "encloses no volume, so that there is no body",
                  "give a closed surface; 'isochor inspect' says where it is open");
    }
    scale_ = guess_scale(longest);
    cell_size_ = rounded(scale_ * std::cbrt(volume / kCells));
    guess(
        fmt::format("units: {:g} m per unit of the file, so that the mesh is {:.3g} m long; a "
                    "guess from its size",
                    scale_, scale_ * longest));
    guess(fmt::format("cells: {:g} m, about {:.0f} of them", cell_size_,
                      volume * std::pow(scale_ / cell_size_, 3)));
  }

  void add_skeleton(const std::filesystem::path& file) {
    skeleton_ = files::read_skeleton(file);
    skeleton_file_ = file;
    const bool same = std::filesystem::absolute(file) == std::filesystem::absolute(mesh_);
    const geometry::Bounds box = joint_bounds();
    skeleton_scale_ = same ? scale_ : match_scale(norm(box.size()), scale_ * norm(bounds_.size()));
    up_ = nearest_axis(skeleton_->base.linear * Vec3d{0, 1, 0});
    find_radius();
  }

  /// The skeleton that the mesh's own file has.
  void look_for_skeleton() {
    if (std::ranges::find(files::skeleton_extensions(), mesh_.extension().string()) ==
        files::skeleton_extensions().end()) {
      return;
    }
    try {
      add_skeleton(mesh_);
    } catch (const Error&) {
      skeleton_.reset();  // a mesh alone
    }
  }

  StarterScene write() {
    guess(fmt::format("up: {}{}", vector_text(up_),
                      skeleton_ ? ", as the skeleton's file has it" : ", as most files have it"));
    std::string text = fmt::format(
        "# Made by 'isochor init' for {}. 'isochor check' prints every key with its default;\n"
        "# 'isochor reference' says what they mean.\nformat = 1\ntitle = \"{}\"\n\n",
        mesh_.filename().string(), mesh_.stem().string());
    text += time_text();
    text += fmt::format("[world]\ngravity = {}\n\n", vector_text(-9.81 * up_));
    text +=
        "[method]\nvolume = \"penalty\"     # \"mixed\" keeps the volume of every block of cells, "
        "and "
        "takes longer\n\n";
    if (skeleton_) text += skeleton_text();
    text += body_text();
    return {std::move(text), std::move(guesses_)};
  }

 private:
  void guess(std::string sentence) { guesses_.push_back(std::move(sentence)); }

  geometry::Bounds joint_bounds() const {
    std::vector<Vec3d> positions;
    for (std::size_t j = 0; j < skeleton_->joints.size(); ++j) {
      if (skeleton_->joints[j].bound) positions.push_back(skeleton_->position(j));
    }
    return geometry::bounds_of(positions);
  }

  /// A third of the way from the middle of bones to the skin.
  void find_radius() {
    constexpr double kPart = 0.33;
    const geometry::TriangleBvh bvh(file_.mesh.positions, triangles_, context_.arena);
    const geometry::WindingNumber winding(file_.mesh.positions, triangles_);
    std::vector<double> depths;
    const auto bones = anatomy::bone_segments(*skeleton_);
    for (const anatomy::BoneSegment& bone : bones) {
      const Vec3d middle = (0.5 * skeleton_scale_ / scale_) * (bone.from + bone.to);
      if (!(winding(middle) > 0.5)) continue;
      depths.push_back(scale_ * norm(bvh.closest_point(middle).point - middle));
    }
    guess(fmt::format("skeleton: {} bones, of which {} lie inside the mesh", bones.size(),
                      depths.size()));
    if (2 * depths.size() < bones.size() || depths.empty()) {
      throw Error(Fault::Input, skeleton_file_.string(),
                  depths.empty() ? std::string("no bone lies inside the mesh")
                                 : fmt::format("only {} of {} bones lie inside the mesh",
                                               depths.size(), bones.size()),
                  "give a skeleton at rest in the pose of the mesh, with the same axes");
    }
    std::ranges::nth_element(depths, depths.begin() + std::ptrdiff_t(depths.size() / 2));
    radius_ = rounded(kPart * depths[depths.size() / 2]);
  }

  std::string time_text() const {
    double seconds = 1;
    if (skeleton_ && !skeleton_->clips.empty()) {
      seconds = kPreRoll + std::min(kLongestClip, skeleton_->clips[0].duration());
    }
    return fmt::format(
        "[time]\nframes = {}\nframe_rate = {:g}\n"
        "# integrator = \"bdf2\"    # with it time passes: flesh swings; without, every frame is "
        "at "
        "rest\n\n",
        static_cast<int>(std::ceil(seconds * kFrameRate)), kFrameRate);
  }

  std::string skeleton_text() const {
    std::string text = fmt::format("[skeleton]\nfile = \"{}\"\nscale = {:g}\n",
                                   named_from(skeleton_file_, scene_), skeleton_scale_);
    if (!skeleton_->clips.empty()) {
      std::vector<std::string> names;
      for (const anatomy::Clip& clip : skeleton_->clips) names.push_back(clip.name);
      text +=
          fmt::format("clip = \"{}\"{}\n", names[0],
                      names.size() == 1 ? "" : fmt::format("    # of {}", fmt::join(names, ", ")));
    }
    return text + fmt::format(
                      "pre_roll = {:g}           # s from rest to the first pose\n"
                      "root_motion = \"remove\"   # simulated in place; frames have its way\n\n",
                      kPreRoll);
  }

  std::string body_text() const {
    std::string text = fmt::format(
        "[[body]]\nname = \"body\"\ncell_size = {:g}      # m; half of it takes about ten times as "
        "long\nshape = {{ kind = \"mesh\", file = \"{}\", scale = {:g} }}\n"
        "material = {{ law = \"corotated\", young = \"50 kPa\", poisson = 0.45, density = 1000 "
        "}}\n\n",
        cell_size_, named_from(mesh_, scene_), scale_);
    text += fmt::format(
        "# A thin sheet on the surface, stiffer than flesh, that resists changes of its area: skin "
        "stretches\n# evenly. Without these lines flesh is bare.\n[body.skin]\n"
        "law = \"area\"           # \"rubber\" resists shearing too, and being crushed, which "
        "bodies "
        "that pass\n                       # through themselves need not survive\n"
        "thickness = {:g}     # m\nmodulus = \"100 kPa\"\n\n",
        std::min(kSkin, rounded(0.2 * cell_size_)));
    if (skeleton_) {
      return text + fmt::format(
                        "# Capsules between joints hold the flesh by springs. A [[body.hold]] with "
                        "joint = \"...\" adds others.\n[body.bones]\nradius = {:g}\nstiffness = 1e7"
                        "       # N/m^3; 0 holds the nodes inside of them rigidly\n",
                        radius_);
    }
    const int axis = up_[0] != 0 ? 0 : up_[1] != 0 ? 1 : 2;
    return text + fmt::format("[[body.hold]]\nname = \"foot\"\nwhere = \"{}{}\"\ndepth = {:g}\n",
                              "xyz"[axis], up_[axis] > 0 ? '-' : '+',
                              rounded(0.05 * scale_ * bounds_.size()[axis]));
  }

  std::filesystem::path mesh_, scene_, skeleton_file_;
  Context& context_;
  files::SurfaceFile file_;
  geometry::Bounds bounds_;
  std::vector<geometry::Triangle> triangles_;
  std::optional<anatomy::Skeleton> skeleton_;
  double scale_ = 1, skeleton_scale_ = 1, cell_size_ = 0, radius_ = 0;  ///< m, or m per unit
  Vec3d up_{0, 1, 0};
  std::vector<std::string> guesses_;
};

}  // namespace

StarterScene make_starter_scene(const std::filesystem::path& mesh,
                                const std::filesystem::path& skeleton,
                                const std::filesystem::path& scene, Context& context) {
  Starter starter(mesh, scene, context);
  if (skeleton.empty()) {
    starter.look_for_skeleton();
  } else {
    starter.add_skeleton(skeleton);
  }
  return starter.write();
}

}  // namespace isochor::sim
