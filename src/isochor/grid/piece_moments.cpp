#include "isochor/grid/piece_moments.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "isochor/geometry/predicates.h"
#include "isochor/grid/cell_pieces.h"

namespace isochor::grid {
namespace {

using geometry::Moments;

/// Volumes by three axes differ by rounding, which grows with the size of triangles.
constexpr double kClosed = 1e-9;
/// Lines see the volume of a clean piece better than this.
constexpr double kDoubt = 0.1;
/// Lines per axis, squared, in a cell that is sampled.
constexpr int kFine = 16;

/// A vertex that counts as lying in a wall is moved there, so that what does not enter a cell has
/// no part in it.
geometry::TriangleCorners snapped(geometry::TriangleCorners corners) {
  constexpr double kReach = 0.5 * kWall;
  for (Vec3d& p : corners) {
    for (int a = 0; a < 3; ++a) {
      if (std::abs(p[a]) <= kReach) p[a] = 0;
      if (std::abs(p[a] - 1) <= kReach) p[a] = 1;
    }
  }
  return corners;
}

}  // namespace

void PieceMoments::measure(const Index3& at, const CellContents& contents,
                           std::span<const std::uint8_t> of_touch, std::span<const float> by_lines,
                           std::vector<PieceMeasure>& measures) {
  const std::size_t first = measures.size();
  measures.resize(first + by_lines.size());
  const auto pieces = std::span(measures).subspan(first);
  if (contents.is_orderly() && !triangles_cross(contents) &&
      clip(contents, of_touch, by_lines, pieces)) {
    return;
  }
  sample(at, contents.touches(), of_touch, pieces);
}

/// Returns whether the surface is clean.
bool PieceMoments::clip(const CellContents& contents, std::span<const std::uint8_t> of_touch,
                        std::span<const float> by_lines, std::span<PieceMeasure> pieces) {
  sums_.assign(pieces.size(), {});
  for (std::size_t i = 0; i < of_touch.size(); ++i) {
    const std::uint8_t piece = pieces.size() == 1 ? std::uint8_t{0} : of_touch[i];
    if (piece != kNoPiece) sums_[piece].add(snapped(contents.corners(i)));
  }
  double total = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    // The corner is in the piece or not, which is a whole cell more or less.
    const double bare = sums_[p].bare_volume();
    const auto corner = static_cast<int>(std::lround(by_lines[p] - bare));
    if (corner < 0 || corner > 1 || sums_[p].mismatch() > kClosed ||
        std::abs(bare + corner - by_lines[p]) > kDoubt || bare + corner < -kClosed) {
      return false;
    }
    pieces[p].moments = sums_[p].moments(corner);
    pieces[p].moments.volume = std::max(0.0, pieces[p].moments.volume);
    total += pieces[p].moments.volume;
  }
  return total < 1 + kClosed;
}

bool PieceMoments::triangles_cross(const CellContents& contents) {
  const auto touches = contents.touches();
  entering_.clear();
  boxes_.resize(touches.size());
  for (std::size_t i = 0; i < touches.size(); ++i) {
    if (!touches[i].enters()) continue;
    entering_.push_back(i);
    boxes_[i] = geometry::bounds_of(contents.corners(i));
  }
  std::sort(entering_.begin(), entering_.end(),
            [&](std::size_t i, std::size_t j) { return boxes_[i].low[0] < boxes_[j].low[0]; });
  const auto share_a_vertex = [&](std::size_t i, std::size_t j) {
    const geometry::Triangle& s = body_.triangles[touches[i].triangle()];
    const geometry::Triangle& t = body_.triangles[touches[j].triangle()];
    return std::find_first_of(s.begin(), s.end(), t.begin(), t.end()) != s.end();
  };
  for (std::size_t first = 0; first < entering_.size(); ++first) {
    const std::size_t i = entering_[first];
    for (std::size_t second = first + 1; second < entering_.size(); ++second) {
      const std::size_t j = entering_[second];
      const geometry::Bounds &s = boxes_[i], &t = boxes_[j];
      if (t.low[0] > s.high[0]) break;
      if (t.low[1] > s.high[1] || s.low[1] > t.high[1] || t.low[2] > s.high[2] ||
          s.low[2] > t.high[2] || share_a_vertex(i, j)) {
        continue;
      }
      if (geometry::triangles_cross(contents.corners(i), contents.corners(j))) return true;
    }
  }
  return false;
}

void PieceMoments::sample(const Index3& at, std::span<const Touch> touches,
                          std::span<const std::uint8_t> of_touch, std::span<PieceMeasure> pieces) {
  if (!fine_) fine_.emplace(body_, box_, kFine);
  fine_->look_at(at, touches);
  // Triangles say which piece the sets of what fine lines see belong to.
  std::vector<std::uint8_t> piece_of(fine_->element(touches.size()), 0);
  for (std::size_t i = touches.size(); i-- > 0;) {
    if (of_touch[i] != kNoPiece) piece_of[fine_->name(fine_->element(i))] = of_touch[i];
  }
  std::fill(pieces.begin(), pieces.end(), PieceMeasure{.source = MomentSource::Sampled});
  const CellLines& lines = fine_->lines();
  const int axis = fine_->steepest_axis();
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (const CellContents::Stretch& stretch : fine_->stretches()) {
    if (lines.axis(stretch.line) != axis) continue;
    // A line stands for the square around it.
    const auto rest = stretch.line % static_cast<int>(lines.lines_per_axis());
    Vec3d low, high;
    low[axis] = stretch.from;
    high[axis] = stretch.to;
    low[u] = double(rest % kFine) / kFine;
    low[v] = double(rest / kFine) / kFine;  // NOLINT(bugprone-integer-division)
    high[u] = low[u] + 1.0 / kFine;
    high[v] = low[v] + 1.0 / kFine;
    pieces[piece_of[fine_->name(stretch.element)]].moments += geometry::box_moments(low, high);
  }
}

}  // namespace isochor::grid
