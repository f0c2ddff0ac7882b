#include "isochor/contact/contact_matrix.h"

#include <tuple>

namespace isochor::contact {

void ContactMatrix::assemble(std::span<const Term> terms, ThreadArena& arena) {
  entries_.clear();
  for (std::size_t t = 0; t < terms.size(); ++t) {
    for (std::int32_t i = 0; i < terms[t].count; ++i) {
      for (std::int32_t j = 0; j < terms[t].count; ++j) {
        entries_.push_back({.row = terms[t].points[i],
                            .column = terms[t].points[j],
                            .term = std::int32_t(t),
                            .block = 4 * i + j});
      }
    }
  }
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
    return std::tie(a.row, a.column, a.term, a.block) < std::tie(b.row, b.column, b.term, b.block);
  });
  points_.clear();
  pattern_.first.assign(1, 0);
  pattern_.columns.clear();
  blocks_.clear();
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Entry& entry = entries_[e];
    const bool new_row = points_.empty() || points_.back() != entry.row;
    if (new_row) {
      points_.push_back(entry.row);
      pattern_.first.push_back(pattern_.first.back());
    }
    if (new_row || pattern_.columns.back() != entry.column) {
      pattern_.columns.push_back(entry.column);
      blocks_.push_back(Mat3d::zero());
      ++pattern_.first.back();
    }
    blocks_.back() += terms[entry.term].hessian[entry.block];
  }
  diagonal_.resize(points_.size());
  parallel_for(arena, points_.size(), kRowsAtOnce, [&](std::size_t row) {
    for (std::int32_t k = pattern_.first[row]; k < pattern_.first[row + 1]; ++k) {
      if (pattern_.columns[k] == points_[row]) diagonal_[row] = blocks_[k];
    }
  });
}

}  // namespace isochor::contact
