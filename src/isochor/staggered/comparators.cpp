#include "isochor/staggered/comparators.h"

#include <set>
#include <string>
#include <unordered_map>

#include "isochor/staggered/entries.h"
#include "isochor/staggered/inverse.h"

namespace isochor::staggered {
template <int D>
Comparator<D>::Comparator(const Level<D>& level, const Material& material, Boundary kind)
    : first_((D + 1) * level.layout.length + 1), length_(level.layout.length) {
  const View<D, double> view = level.template view<double>(material);
  pressure_ = float(1 / (level.spacing[0] * level.spacing[0]));
  std::size_t count = 0;
  for_each_entry<D>(level, view, [&](std::size_t row, std::size_t, double) {
    ++first_[row + 1];
    ++count;
  });
  for (std::size_t row = 1; row < first_.size(); ++row) first_[row] += first_[row - 1];
  entries_.resize(count);
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for_each_entry<D>(level, view, [&](std::size_t row, std::size_t column, double value) {
    entries_[next[row]++] = {std::uint32_t(column), float(value)};
  });
  if (kind == Boundary::Boxes) make_boxes(level);
  for (int k = 0; kind == Boundary::Kaczmarz && k <= D; ++k) {
    for (std::size_t place = 0; place < length_; ++place) {
      const std::uint16_t flags = level.weights.flags[place];
      if ((flags >> (kActive + k) & 1) && !(flags >> (kPlain + k) & 1)) {
        members_.push_back(std::uint32_t(k * length_ + place));
      }
    }
  }
}

template <int D>
void Comparator<D>::make_boxes(const Level<D>& level) {
  const Layout<D>& layout = level.layout;
  std::unordered_map<std::string, std::uint32_t> known;
  // Blocks by the first of their cells. All faces of a block are free: where those around it stood
  // still, only the compressibility would hold its mean pressure.
  std::set<Index<D>> blocks;
  for (const Index<D>& cell : find_band(layout, level.weights, 1)) {
    for (int c = 0; c < 1 << D; ++c) {
      Index<D> first = cell;
      for (int k = 0; k < D; ++k) first[k] -= c >> k & 1;
      blocks.insert(first);
    }
  }
  for (const Index<D>& block : blocks) {
    Box box{std::uint32_t(members_.size()), 0, 0};
    for (int k = 0; k <= D; ++k) {
      for (int n = 0; n < (D == 3 ? 27 : 9); ++n) {
        Index<D> at = block;
        bool inside = true;
        for (int axis = 0, rest = n; axis < D; ++axis, rest /= 3) {
          at[axis] += rest % 3;
          inside = inside && (axis == k || rest % 3 < 2);
        }
        const std::size_t place = layout.place(at);
        if (inside && (level.weights.flags[place] >> (kActive + k) & 1)) {
          members_.push_back(std::uint32_t(k * length_ + place));
        }
      }
    }
    box.count = std::uint32_t(members_.size()) - box.first;
    std::unordered_map<std::uint32_t, std::size_t> number;
    for (std::size_t i = 0; i < box.count; ++i) number[members_[box.first + i]] = i;
    std::vector<double> matrix(std::size_t(box.count) * box.count);
    for (std::size_t i = 0; i < box.count; ++i) {
      const std::uint32_t row = members_[box.first + i];
      for (std::uint32_t e = first_[row]; e < first_[row + 1]; ++e) {
        const auto column = number.find(entries_[e].place);
        if (column != number.end()) {
          matrix[box.count * i + column->second] = double(entries_[e].value);
        }
      }
    }
    const std::string key(reinterpret_cast<const char*>(matrix.data()),
                          matrix.size() * sizeof(double));
    const auto [found, made] = known.try_emplace(key, std::uint32_t(inverses_.size()));
    if (made) {
      for (const double entry : inverted(matrix, int(box.count))) inverses_.push_back(float(entry));
    }
    box.inverse = found->second;
    boxes_.push_back(box);
  }
}

template <int D>
float Comparator<D>::residual(std::uint32_t place, const float* b, const float* u) const {
  float sum = b[place];
  for (std::uint32_t e = first_[place]; e < first_[place + 1]; ++e) {
    sum -= entries_[e].value * u[entries_[e].place];
  }
  return sum;
}

/// The least change that satisfies one equation.
template <int D>
void Comparator<D>::project(std::uint32_t place, const float* b, float* u) const {
  const auto worth = [&](const Entry& e) { return e.place < D * length_ ? 1.0f : pressure_; };
  float squares = 0;
  for (std::uint32_t e = first_[place]; e < first_[place + 1]; ++e) {
    squares += worth(entries_[e]) * entries_[e].value * entries_[e].value;
  }
  const float by = residual(place, b, u) / squares;
  for (std::uint32_t e = first_[place]; e < first_[place + 1]; ++e) {
    u[entries_[e].place] += by * worth(entries_[e]) * entries_[e].value;
  }
}

template <int D>
void Comparator<D>::sweep(const float* b, float* u) const {
  if (boxes_.empty()) {
    for (const std::uint32_t place : members_) project(place, b, u);
    return;
  }
  std::vector<float> changes;
  for (const Box& box : boxes_) {
    const std::uint32_t* const members = members_.data() + box.first;
    const float* inverse = inverses_.data() + box.inverse;
    changes.assign(box.count, 0);
    for (std::uint32_t i = 0; i < box.count; ++i, inverse += box.count) {
      const float r = residual(members[i], b, u);
      for (std::uint32_t j = 0; j < box.count; ++j) changes[j] += inverse[j] * r;  // symmetric
    }
    for (std::uint32_t i = 0; i < box.count; ++i) u[members[i]] += changes[i];
  }
}

template <int D>
std::size_t Comparator<D>::bytes() const {
  return (first_.capacity() + members_.capacity()) * sizeof(std::uint32_t) +
         entries_.capacity() * sizeof(Entry) + boxes_.capacity() * sizeof(Box) +
         inverses_.capacity() * sizeof(float);
}

template class Comparator<2>;
template class Comparator<3>;

}  // namespace isochor::staggered
