#include "isochor/staggered/turns.h"

#include <cmath>

#include "isochor/math/mat3.h"
#include "isochor/math/svd_batch.h"
#include "isochor/staggered/gradients.h"

namespace isochor::staggered {
namespace {

/// Cells whose rotations are found at a time.
constexpr std::size_t kBatch = 256;

/// Matrices of cells on their way to rotations.
template <int D>
class Rotations {
 public:
  explicit Rotations(std::size_t length) : length_(length) {}

  template <class Out>
  void add(const std::array<double, D * D>& matrix, std::size_t place, Out* out) {
    if constexpr (D == 2) {
      const double c = matrix[0] + matrix[3], s = matrix[2] - matrix[1], size = std::hypot(c, s);
      const double cosine = size > 0 ? c / size : 1, sine = size > 0 ? s / size : 0;
      const double turn[4] = {cosine, -sine, sine, cosine};
      for (int k = 0; k < 4; ++k) out[k * length_ + place] = Out(turn[k]);
    } else {
      for (int k = 0; k < 9; ++k) matrices_[column_major(k) * kBatch + count_] = matrix[k];
      places_[count_++] = place;
      if (count_ == kBatch) finish(out);
    }
  }
  template <class Out>
  void finish(Out* out) {
    if constexpr (D == 3) {
      svd_batch({.count = kBatch, .matrices = matrices_, .U = left_, .sigma = sizes_, .V = right_});
      for (std::size_t n = 0; n < count_; ++n) {
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) {
              sum += left_[(3 * k + i) * kBatch + n] * right_[(3 * k + j) * kBatch + n];
            }
            out[(3 * i + j) * length_ + places_[n]] = Out(sum);
          }
        }
      }
      count_ = 0;
    }
  }

 private:
  static int column_major(int k) { return 3 * (k % 3) + k / 3; }

  std::size_t length_, count_ = 0;
  std::size_t places_[kBatch];
  double matrices_[9 * kBatch] = {}, left_[9 * kBatch], sizes_[3 * kBatch], right_[9 * kBatch];
};

/// Calls f(cell, rotations) for the cells of all stored rows that are not at the end of the box.
template <int D, class Out, class F>
void for_stored(const Layout<D>& layout, ThreadArena& arena, Out* out, F&& f) {
  constexpr std::size_t kRows = 8;
  arena.for_chunks(layout.stored.size(), kRows, [&](std::size_t begin, std::size_t end) {
    Rotations<D> rotations(layout.length);
    for (std::size_t n = begin; n < end; ++n) {
      const auto& row = layout.stored[n];
      for (std::int32_t x = std::max(row.begin, 1); x < std::min(row.end, layout.size[0] - 1);
           ++x) {
        const Index<D> at = layout.coordinate(row, x);
        bool inside = true;
        for (int k = 1; k < D; ++k) inside = inside && at[k] > 0 && at[k] < layout.size[k] - 1;
        if (inside) f(at, rotations);
      }
    }
    rotations.finish(out);
  });
}

/// Of a cell: what it weighs among its siblings.
template <int D>
double weight_of(const Level<D>& level, std::size_t place, const float* turns) {
  const std::uint8_t byte = level.weights.bytes[place];
  if (byte > 0) return double(byte) / kFullWeight;
  // What is held has no weight of its own.
  for (int k = 0; k < D; ++k) {
    if (turns[k * level.layout.length + place] != 0) return 1;
  }
  return 0;
}

template <int D>
void coarsen_turns(const Level<D>& fine, const std::vector<float>& from, const Level<D>& coarse,
                   std::vector<float>& to, ThreadArena& arena) {
  for_stored<D>(coarse.layout, arena, to.data(), [&](const Index<D>& at, Rotations<D>& rotations) {
    std::array<double, D * D> sum{};
    double weight = 0;
    for (int c = 0; c < 1 << D; ++c) {
      Index<D> child;
      for (int k = 0; k < D; ++k) child[k] = 2 * at[k] - Layout<D>::kMargin + (c >> k & 1);
      if (!fine.layout.stores(child)) continue;
      const std::size_t place = fine.layout.place(child);
      const double w = weight_of(fine, place, from.data());
      for (int k = 0; k < D * D && w > 0; ++k) sum[k] += w * from[k * fine.layout.length + place];
      weight += w;
    }
    if (weight > 0) rotations.add(sum, coarse.layout.place(at), to.data());
  });
}

}  // namespace

template <int D>
Turns<D>::Turns(const Model<D>& model) : finest(D * D * model.length()) {
  for (const Level<D>& level : model.levels) {
    cycles.emplace_back(D * D * level.layout.length);
  }
}

template <int D>
std::size_t Turns<D>::bytes() const {
  std::size_t sum = finest.capacity() * sizeof(double) + coarsest.bytes();
  for (const auto& level : cycles) sum += level.capacity() * sizeof(float);
  return sum;
}

template <int D>
void find_turns(const Model<D>& model, std::span<const double> u, Turns<D>& turns,
                ThreadArena& arena) {
  const Gradients<D> gradients(model.levels[0], u, turns.finest);
  const Layout<D>& layout = model.levels[0].layout;
  for_stored<D>(layout, arena, turns.finest.data(),
                [&](const Index<D>& at, Rotations<D>& rotations) {
                  if (!gradients.turns(at)) return;
                  rotations.add(gradients.at(at), layout.place(at), turns.finest.data());
                });
}

template <int D>
void turn_cycles(const Model<D>& model, bool spin, Turns<D>& turns, ThreadArena& arena) {
  turns.spin = spin;
  std::vector<float>& finest = turns.cycles[0];
  parallel_for(arena, finest.size(), 8192,
               [&](std::size_t i) { finest[i] = float(turns.finest[i]); });
  for (std::size_t l = 1; l < model.levels.size(); ++l) {
    coarsen_turns(model.levels[l - 1], turns.cycles[l - 1], model.levels[l], turns.cycles[l],
                  arena);
  }
  const Level<D>& last = model.levels.back();
  const std::vector<double> entries(turns.cycles.back().begin(), turns.cycles.back().end());
  View<D, double> view = last.template view<double>(model.material);
  view.turns = entries.data();
  turns.coarsest = Coarsest<D>(last, view, spin, model.order);
}

template struct Turns<2>;
template struct Turns<3>;
template void find_turns(const Model<2>&, std::span<const double>, Turns<2>&, ThreadArena&);
template void find_turns(const Model<3>&, std::span<const double>, Turns<3>&, ThreadArena&);
template void turn_cycles(const Model<2>&, bool, Turns<2>&, ThreadArena&);
template void turn_cycles(const Model<3>&, bool, Turns<3>&, ThreadArena&);

}  // namespace isochor::staggered
