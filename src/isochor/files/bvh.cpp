#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "isochor/files/skeleton_file.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

constexpr const char* kWriteAgain = "export the motion again as BVH";

/// What one number of a frame does: moves or turns a joint along or about x, y or z.
struct Channel {
  int joint = 0;
  int axis = 0;
  bool turns = false;
};

class BvhReader {
 public:
  BvhReader(std::string place, std::string_view text) : scanner_(std::move(place), text, {}) {}

  anatomy::Skeleton read() {
    expect("HIERARCHY");
    read_joints();
    expect("Frames:");
    const std::int64_t frames = scanner_.integer(scanner_.next_word_anywhere());
    expect("Frame");
    expect("Time:");
    const double step = scanner_.number(scanner_.next_word_anywhere());
    // Every number takes a digit and a blank.
    const std::size_t numbers = std::max<std::size_t>(1, channels_.size());
    if (frames < 1 || std::size_t(frames) > 1 + scanner_.left() / numbers) {
      scanner_.fail(fmt::format("announces {} frames, which are not there", frames), kWriteAgain);
    }
    if (!(step > 0) || !std::isfinite(step)) {
      scanner_.fail("has no time between frames", kWriteAgain);
    }
    read_frames(frames, step);
    anatomy::make_names_differ(out_);
    return std::move(out_);
  }

 private:
  void expect(std::string_view word) {
    const std::string_view found = scanner_.next_word_anywhere();
    if (found != word) {
      scanner_.fail(fmt::format("found {}, expected {}", in_quotes(found), word), kWriteAgain);
    }
  }

  double finite_number() { return finite(scanner_.next_word_anywhere()); }

  double finite(std::string_view word) {
    const double value = scanner_.number(word);
    if (!std::isfinite(value)) scanner_.fail("a number is not finite", kWriteAgain);
    return value;
  }

  /// From the first ROOT to MOTION. `open` are the joints whose braces are open.
  void read_joints() {
    std::vector<int> open;
    for (;;) {
      const std::string_view word = scanner_.next_word_anywhere();
      if (word == "MOTION" && open.empty() && !out_.joints.empty()) return;
      const int parent = open.empty() ? -1 : open.back();
      if ((word == "ROOT" && open.empty()) || (word == "JOINT" && !open.empty())) {
        open.push_back(add_joint(std::string(scanner_.rest_of_line()), parent));
      } else if (word == "End" && !open.empty()) {
        const bool opened = scanner_.rest_of_line().ends_with('{');  // after "Site"
        open.push_back(add_joint(out_.joints[parent].name + (opened ? "_end{" : "_end"), parent));
        out_.joints.back().tip = true;
      } else if (word == "OFFSET" && !open.empty()) {
        read_offset(out_.joints[parent]);
      } else if (word == "CHANNELS" && !open.empty()) {
        read_channels(parent);
      } else if (word == "}" && !open.empty()) {
        open.pop_back();
      } else {
        scanner_.fail(fmt::format("found {}, expected a joint, its offset and its channels, or "
                                  "MOTION after the last brace",
                                  in_quotes(word)),
                      kWriteAgain);
      }
    }
  }

  int add_joint(std::string name, int parent) {
    if (name.ends_with('{')) {
      name.erase(name.find_last_not_of(" \t{") + 1);
    } else {
      expect("{");
    }
    if (name.empty()) scanner_.fail("a joint has no name", kWriteAgain);
    out_.joints.push_back({.name = std::move(name), .parent = parent, .local = {}, .rest = {}});
    return static_cast<int>(out_.joints.size()) - 1;
  }

  void read_offset(anatomy::Joint& joint) {
    for (int a = 0; a < 3; ++a) joint.local.translation[a] = finite_number();
    const Vec3d origin =
        joint.parent < 0 ? Vec3d{0, 0, 0} : out_.joints[joint.parent].rest.translation;
    joint.rest.translation = origin + joint.local.translation;
  }

  void read_channels(int joint) {
    const std::int64_t count = scanner_.integer(scanner_.next_word_anywhere());
    if (count < 0 || count > 6) {
      scanner_.fail(fmt::format("a joint has {} channels, expected 0 to 6", count), kWriteAgain);
    }
    for (std::int64_t k = 0; k < count; ++k) {
      const std::string_view word = scanner_.next_word_anywhere();
      const std::string_view kind = word.empty() ? word : word.substr(1);
      const bool turns = kind == "rotation";
      const std::size_t axis = word.empty() ? word.npos : std::string_view("XYZ").find(word[0]);
      if (axis == word.npos || (!turns && kind != "position")) {
        scanner_.fail(
            fmt::format("{} is no channel, expected Xposition to Zrotation", in_quotes(word)),
            kWriteAgain);
      }
      channels_.push_back({joint, static_cast<int>(axis), turns});
    }
  }

  /// Angles are degrees; the first one of a joint turns last. Positions stand in place of offsets.
  void read_frames(std::int64_t frames, double step) {
    anatomy::Clip clip{.name = "motion",
                       .joints = std::vector<anatomy::JointTracks>(out_.joints.size())};
    for (std::int64_t f = 0; f < frames; ++f) {
      anatomy::Pose pose;
      for (const anatomy::Joint& joint : out_.joints) pose.push_back(joint.local);
      std::vector<Mat3d> turned(pose.size(), Mat3d::identity());
      std::vector<bool> moves(pose.size()), turns(pose.size());
      for (const Channel& channel : channels_) {
        const std::string_view word = scanner_.next_word_anywhere();
        if (word.empty()) {
          scanner_.fail(fmt::format("ends after {} of {} frames", f, frames), kWriteAgain);
        }
        const double value = finite(word);
        if (channel.turns) {
          Vec3d turn{0, 0, 0};
          turn[channel.axis] = value * std::numbers::pi / 180;
          turned[channel.joint] = turned[channel.joint] * rotation_from_vector(turn);
          turns[channel.joint] = true;
        } else {
          pose[channel.joint].translation[channel.axis] = value;
          moves[channel.joint] = true;
        }
      }
      for (std::size_t j = 0; j < pose.size(); ++j) {
        anatomy::JointTracks& tracks = clip.joints[j];
        if (moves[j]) add_key(tracks.translation, double(f) * step, pose[j].translation);
        if (turns[j]) add_key(tracks.rotation, double(f) * step, anatomy::quaternion_of(turned[j]));
      }
    }
    out_.clips.push_back(std::move(clip));
  }

  template <class Value>
  static void add_key(anatomy::Track<Value>& track, double time, const Value& value) {
    track.times.push_back(time);
    track.values.push_back(value);
  }

  TextScanner scanner_;
  anatomy::Skeleton out_;
  std::vector<Channel> channels_;
};

}  // namespace

anatomy::Skeleton read_bvh(std::string place, std::string_view text) {
  return BvhReader(std::move(place), text).read();
}

}  // namespace isochor::files
