#include "isochor/files/point_animation.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/byte_stream.h"
#include "isochor/files/surface_file.h"

namespace isochor::files {
namespace {

void check_vertices(const std::string& place, std::size_t found, std::size_t expected) {
  if (found == expected) return;
  throw Error(Fault::Input, place,
              fmt::format("has {}, its mesh at rest has {}", counted(found, "vertex", "vertices"),
                          expected),
              "export both from the same mesh, without modifiers that add vertices");
}

PointAnimation read_pc2(const std::filesystem::path& path, std::size_t vertices) {
  const std::vector<std::byte> bytes = read_file(path);
  ByteReader reader(path.string(), bytes);
  constexpr std::string_view kName("POINTCACHE2\0", 12);
  for (const char expected : kName) {
    if (reader.left() == 0 || reader.get<char>() != expected) {
      throw Error(Fault::Input, path.string(), "is not a Pointcache 2 file",
                  "export it as .pc2 again");
    }
  }
  reader.get<std::int32_t>();  // version
  const auto points = reader.get<std::int32_t>();
  PointAnimation out{.first = reader.get<float>(), .step = reader.get<float>(), .samples = {}};
  const auto samples = reader.get<std::int32_t>();
  check_vertices(path.string(), std::size_t(std::max(0, points)), vertices);
  if (samples <= 0 || !(out.step > 0) || !std::isfinite(out.first + out.step)) {
    reader.fail(fmt::format("it has {} samples, {} frames apart", samples, out.step));
  }
  const std::size_t size = 3 * sizeof(float) * vertices;
  if (reader.left() / size < std::size_t(samples)) {
    throw Error(Fault::Input, path.string(),
                fmt::format("ends after {} of {} samples", reader.left() / size, samples),
                "export it again");
  }
  for (std::int32_t s = 0; s < samples; ++s) {
    std::vector<Vec3d>& sample = out.samples.emplace_back(vertices);
    for (Vec3d& p : sample) {
      for (int a = 0; a < 3; ++a) p[a] = reader.get<float>();
      if (!is_finite(p)) reader.fail(fmt::format("a vertex of sample {} is not finite", s));
    }
  }
  return out;
}

/// The files of a sequence by their numbers.
std::map<int, std::filesystem::path> files_of(const std::filesystem::path& pattern) {
  const std::string name = pattern.filename().string();
  const std::size_t first = name.find('#');
  const std::size_t end = name.find_first_not_of('#', first);
  const std::string head = name.substr(0, first),
                    tail = end == std::string::npos ? "" : name.substr(end);
  const std::filesystem::path folder = pattern.parent_path().empty() ? "." : pattern.parent_path();
  std::map<int, std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string file = entry.path().filename().string();
    constexpr std::size_t kMostDigits = 9;
    if (file.size() <= head.size() + tail.size() || !file.starts_with(head) ||
        !file.ends_with(tail)) {
      continue;
    }
    const std::string digits = file.substr(head.size(), file.size() - head.size() - tail.size());
    const bool number =
        digits.size() <= kMostDigits && digits.find_first_not_of("0123456789") == std::string::npos;
    if (number) files.emplace(std::stoi(digits), entry.path());
  }
  if (files.empty()) {
    throw Error(Fault::Input, pattern.string(), "no file has this name with a number for #",
                "name the files of a sequence as \"bone_####.obj\", relative to the scene");
  }
  return files;
}

PointAnimation read_sequence(const std::filesystem::path& pattern, std::size_t vertices) {
  const std::map<int, std::filesystem::path> files = files_of(pattern);
  PointAnimation out{.first = double(files.begin()->first), .samples = {}};
  int next = files.begin()->first;
  for (const auto& [number, file] : files) {
    if (number != next) {
      throw Error(Fault::Input, pattern.string(),
                  fmt::format("frame {} is missing: there are {} to {}", next, files.begin()->first,
                              files.rbegin()->first),
                  "export all frames in between");
    }
    ++next;
    out.samples.push_back(read_surface(file).mesh.positions);
    check_vertices(file.string(), out.samples.back().size(), vertices);
  }
  return out;
}

}  // namespace

PointAnimation read_point_animation(const std::filesystem::path& path, std::size_t vertices) {
  const std::string name = path.filename().string();
  if (name.find('#') != std::string::npos) return read_sequence(path, vertices);
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".pc2") return read_pc2(path, vertices);
  throw Error(Fault::Input, path.string(), "is not known as an animated mesh",
              "use a .pc2 file, or a sequence with # for its numbers, as \"bone_####.obj\"");
}

}  // namespace isochor::files
