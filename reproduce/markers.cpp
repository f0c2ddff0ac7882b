#include "reproduce/markers.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/text_scanner.h"
#include "isochor/math/polar.h"

namespace isochor::reproduce {
namespace {

constexpr const char* kRemedy = "take the file from where its README says";
constexpr std::string_view kTime = "time_s", kFirst = "_x_m";

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t end = 0; end != std::string_view::npos; line.remove_prefix(end + 1)) {
    end = line.find(',');
    cells.push_back(line.substr(0, end));
    if (end == std::string_view::npos) break;
  }
  return cells;
}

bool seen(std::span<const Vec3d> markers) {
  for (const Vec3d& p : markers) {
    if (!std::isfinite(p[0] + p[1] + p[2])) return false;
  }
  return true;
}

}  // namespace

std::vector<Vec3d> MarkerRecord::mean(std::size_t begin, std::size_t end) const {
  std::vector<Vec3d> sum(names.size(), Vec3d{0, 0, 0});
  double count = 0;
  for (std::size_t f = begin; f < std::min(end, positions.size()); ++f) {
    if (!seen(positions[f])) continue;
    for (std::size_t m = 0; m < sum.size(); ++m) sum[m] += positions[f][m];
    ++count;
  }
  for (Vec3d& p : sum) p *= 1 / count;
  return sum;
}

double MarkerRecord::scatter(std::size_t marker, std::size_t begin, std::size_t end) const {
  const Vec3d middle = mean(begin, end)[marker];
  double squares = 0, count = 0;
  for (std::size_t f = begin; f < std::min(end, positions.size()); ++f) {
    if (!seen(positions[f])) continue;
    const Vec3d away = positions[f][marker] - middle;
    squares += dot(away, away);
    ++count;
  }
  return std::sqrt(squares / count);
}

MarkerRecord read_markers(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  files::TextScanner scanner(path.string(), text, {});
  MarkerRecord record;
  if (!scanner.next_filled_line()) scanner.fail("is empty", kRemedy);
  const std::vector<std::string_view> head = cells_of(scanner.rest_of_line());
  if (head.size() < 4 || head.size() % 3 != 1 || head[0] != kTime) {
    scanner.fail("has no columns time_s and three for each marker", kRemedy);
  }
  for (std::size_t c = 1; c < head.size(); c += 3) {
    if (!head[c].ends_with(kFirst)) scanner.fail("has no column NAME_x_m for a marker", kRemedy);
    record.names.emplace_back(head[c].substr(0, head[c].size() - kFirst.size()));
  }
  while (scanner.next_filled_line()) {
    const std::vector<std::string_view> cells = cells_of(scanner.rest_of_line());
    if (cells.size() != head.size()) {
      scanner.fail(fmt::format("has {} values in place of {}", cells.size(), head.size()), kRemedy);
    }
    const auto number = [&](std::string_view cell) {
      return cell == "nan" ? std::numeric_limits<double>::quiet_NaN() : scanner.number(cell);
    };
    record.time.push_back(scanner.number(cells[0]));
    std::vector<Vec3d>& at = record.positions.emplace_back();
    for (std::size_t c = 1; c < cells.size(); c += 3) {
      at.push_back({number(cells[c]), number(cells[c + 1]), number(cells[c + 2])});
    }
  }
  return record;
}

RigidMotion closest_motion(std::span<const Vec3d> from, std::span<const Vec3d> to) {
  RigidMotion motion;
  for (std::size_t i = 0; i < from.size(); ++i) {
    motion.from += (1.0 / double(from.size())) * from[i];
    motion.to += (1.0 / double(from.size())) * to[i];
  }
  Mat3d spread = Mat3d::zero();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Vec3d a = from[i] - motion.from, b = to[i] - motion.to;
    for (int c = 0; c < 3; ++c) spread.column[c] += a[c] * b;
  }
  motion.rotation = polar_decomposition(spread).R;
  return motion;
}

}  // namespace isochor::reproduce
