#include "isochor/lattice/multigrid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/lattice/element_kernel.h"
#include "isochor/solve/chebyshev.h"
#include "isochor/solve/largest_eigenvalue.h"

namespace isochor::lattice {
namespace {

Vec3f times(const Vec3f& a, const Vec3f& b) { return {a[0] * b[0], a[1] * b[1], a[2] * b[2]}; }

/// Levels with fewer nodes are left to one thread: fetching them from the cache of another one
/// would take longer than the work.
constexpr std::size_t kNodeGrain = 8192;

template <class F>
void each_node(ThreadArena& arena, std::size_t count, F&& f) {
  parallel_for(arena, count, kNodeGrain, f);
}

/// x += length D^-1 (b - A x), `image` being A x; none: x is zero.
void relax(const float* __restrict inverse_diagonal, const float* __restrict b,
           const float* __restrict image, float* __restrict x, std::size_t count, float length) {
  if (!image) {
    for (std::size_t i = 0; i < count; ++i) x[i] = length * (inverse_diagonal[i] * b[i]);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    x[i] += length * (inverse_diagonal[i] * (b[i] - image[i]));
  }
}

}  // namespace

MultigridMemory::MultigridMemory(const Model& model)
    : pull(std::max(model.springs.count(), model.surfaces.springs.count())) {
  if (!model.hierarchy) return;
  levels.emplace_back(model.node_count());
  if (!model.hierarchy->levels.empty()) halves.emplace_back(model);
  for (const CoarseLevel& coarse : model.hierarchy->levels) {
    levels.emplace_back(coarse.model.node_count());
    levels.back().anchors.resize(coarse.model.node_count());
    levels.back().anchored.reserve(coarse.model.node_count());
    if (&coarse != &model.hierarchy->levels.back()) halves.emplace_back(coarse.model);
    tangents.emplace_back(coarse.model);
    gradients.emplace_back(8 * coarse.model.blocks.size());
  }
  coarsest = solve::SplitCholesky(model.hierarchy->direct.envelope);
  coarsest_solution.resize(coarsest.size());
}

std::size_t MultigridMemory::bytes() const {
  const auto sum = [](const auto&... v) {
    return (... + (v.capacity() * sizeof(typename std::remove_cvref_t<decltype(v)>::value_type)));
  };
  std::size_t bytes = sum(pull, coarsest_solution) + coarsest.bytes();
  for (const Level& l : levels) {
    bytes += sum(l.x, l.b, l.direction, l.image, l.inverse_diagonal, l.anchors, l.anchored);
  }
  for (const HalfTangents& h : halves) bytes += sum(h.principal, h.dense);
  for (const Tangents& t : tangents) bytes += sum(t.principal, t.dense);
  for (const auto& g : gradients) bytes += sum(g);
  return bytes;
}

void MultigridMemory::poison() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto fill = [](auto& v, const auto& value) { std::fill(v.begin(), v.end(), value); };
  for (Level& l : levels) {
    for (auto* v : {&l.x, &l.b, &l.direction, &l.image, &l.inverse_diagonal, &l.anchors}) {
      fill(*v, Vec3f{nan, nan, nan});
    }
    l.largest_eigenvalue = nan;
  }
  for (auto& g : gradients) fill(g, Mat3d::diagonal({nan, nan, nan}));
  fill(pull, Vec3f{nan, nan, nan});
  coarsest.fill(nan);
  fill(coarsest_solution, double(nan));
}

void Multigrid::linearise(const Configuration& at) {
  restrict_gradients(at);
  for (std::size_t l = 1; l < memory_.levels.size(); ++l) {
    lattice::linearise(model(l), memory_.gradients[l - 1], at.activations,
                       coarse_stabilisation(model_.params), materials::Definiteness::Clamp,
                       memory_.tangents[l - 1], arena_);
  }
}

void Multigrid::prepare(const Tangents& tangents, std::span<const Vec3f> diagonal,
                        std::span<const float> shift) {
  tangents_ = &tangents;
  shift_ = shift;
  for (std::size_t l = 0; l < memory_.halves.size(); ++l) {
    halve(l == 0 ? tangents : memory_.tangents[l - 1], memory_.halves[l], arena_);
  }
  invert_diagonal(0, diagonal);
  set_anchors(diagonal);
  const std::size_t last = memory_.levels.size() - 1;
  for (std::size_t l = 1; l <= last; ++l) {
    Level& level = memory_.levels[l];
    // The image is free until the level is smoothed.
    stiffness_diagonal(model(l), memory_.tangents[l - 1], std::span(level.image), arena_);
    each_node(arena_, level.image.size(),
              [&](std::size_t i) { level.image[i] += level.anchors[i]; });
    add_diagonal(springs(l), level.image);
    if (passing_) add_diagonal(passing_->coarse[l - 1], level.image);
    invert_diagonal(l, level.image);
  }
  const bool direct = coarsest().size() > 0;
  for (std::size_t l = 0; !published_ && l < last + !direct; ++l) estimate_eigenvalue(l);
  if (direct) factorise_coarsest();
}

void Multigrid::restrict_gradients(const Configuration& at) {
  for (std::size_t l = 0; l + 1 < memory_.levels.size(); ++l) {
    const CoarseLevel& coarse = model_.hierarchy->levels[l];
    const Model& fine = model(l);
    parallel_for(arena_, coarse.model.cells.size(), 64, [&](std::size_t cell) {
      const std::int32_t begin = coarse.first_child[cell], end = coarse.first_child[cell + 1];
      Mat3d sum = Mat3d::zero();
      for (std::int32_t k = begin; k < end; ++k) {
        const std::int32_t child = fine.cells[coarse.children[k]];
        if (l > 0) {
          sum += memory_.gradients[l - 1][child];
          continue;
        }
        Vec3d x[8];
        for (int c = 0; c < 8; ++c) x[c] = at.positions[fine.corner(child, c)];
        sum += deformation_gradient(x, 1 / fine.blocks[child / 8].h);
        if (!at.offsets.empty()) sum += at.offsets[child];
      }
      memory_.gradients[l][coarse.model.cells[cell]] = sum * (1.0 / (end - begin));
    });
  }
}

void Multigrid::set_anchors(std::span<const Vec3f> diagonal) {
  for (std::size_t l = 1; l < memory_.levels.size(); ++l) set_level_anchors(l, diagonal);
}

/// `diagonal` is that of the finest level.
void Multigrid::set_level_anchors(std::size_t l, std::span<const Vec3f> diagonal) {
  const CoarseLevel& coarse = model_.hierarchy->levels[l - 1];
  const Level& finer = memory_.levels[l - 1];
  Level& level = memory_.levels[l];
  // How strongly each node of the finer level is tied to the ground; its x is free until then.
  std::vector<Vec3f>& ties = memory_.levels[l - 1].x;
  each_node(arena_, ties.size(), [&](std::size_t i) {
    const float inertia = l == 1 && !shift_.empty() ? shift_[i] : 0;
    ties[i] = l == 1 ? Vec3f{inertia, inertia, inertia} : finer.anchors[i];
    if (l == 1 && !published_ && model_.freedom[i] == Freedom::Held) ties[i] = diagonal[i];
  });
  if (l == 1) {
    for (std::size_t k = 0; k < model_.sliding.size(); ++k) {
      const std::int32_t n = model_.sliding[k];
      for (int d = 0; d < slides_[k].count; ++d) {
        for (int a = 0; a < 3; ++a) {
          const auto q = static_cast<float>(slides_[k].direction[d][a]);
          ties[n][a] += q * q * diagonal[n][a];
        }
      }
    }
  }
  const Transfer::Rows& rows = coarse.transfer.to_coarse;
  each_node(arena_, level.anchors.size(), [&](std::size_t i) {
    Vec3f sum{0, 0, 0};
    for (std::int32_t t = rows.first[i]; t < rows.first[i + 1]; ++t) {
      sum += rows.terms[t].weight() * ties[rows.terms[t].node()];
    }
    level.anchors[i] = sum;
  });
  level.anchored.clear();
  for (std::size_t i = 0; i < level.anchors.size(); ++i) {
    const Vec3f& anchor = level.anchors[i];
    if (anchor[0] != 0 || anchor[1] != 0 || anchor[2] != 0) {
      level.anchored.push_back(static_cast<std::int32_t>(i));
    }
  }
}

void Multigrid::invert_diagonal(std::size_t l, std::span<const Vec3f> diagonal) {
  Level& level = memory_.levels[l];
  each_node(arena_, diagonal.size(), [&](std::size_t i) {
    const bool held =
        published_ ? published(l).held[i] : l == 0 && model_.freedom[i] == Freedom::Held;
    const float damping = published_ ? published(l).damping[i] : 1;
    for (int a = 0; a < 3; ++a) {
      const float d = diagonal[i][a];
      level.inverse_diagonal[i][a] = !held && d > 0 ? damping / d : 0.0f;
    }
  });
}

void Multigrid::estimate_eigenvalue(std::size_t l) {
  Level& level = memory_.levels[l];
  level.largest_eigenvalue = solve::largest_eigenvalue(
      {.z = level.x, .r = level.b, .p = level.direction, .image = level.image}, arena_,
      [&] {
        each_node(arena_, level.x.size(), [&](std::size_t i) {
          level.x[i] = times(level.inverse_diagonal[i], level.b[i]);
        });
      },
      [&] { multiply(l, level.direction, level.image); },
      [&](std::span<Vec3f> v) {
        if (l == 0) keep_sliding(model_, slides_, v);
      });
}

void Multigrid::factorise_coarsest() {
  const std::size_t l = memory_.levels.size() - 1;
  Level& level = memory_.levels[l];
  factorise(
      plan(), coarsest(), level.x, level.image,
      [&](std::int32_t n, int a) { return level.inverse_diagonal[n][a] == 0; },
      [&] {
        if (l == 0) keep_sliding(model_, slides_, std::span(level.x));
        multiply(l, level.x, level.image);
      },
      arena_);
}

void Multigrid::multiply(std::size_t l, std::span<const Vec3f> v, std::span<Vec3f> out) {
  const Level& level = memory_.levels[l];
  if (l < memory_.halves.size()) {
    apply_stiffness(model(l), memory_.halves[l], v, out, arena_);
  } else {
    apply_stiffness(model(l), l == 0 ? *tangents_ : memory_.tangents[l - 1], v, out, arena_);
  }
  if (l > 0) {
    each_node(arena_, level.anchored.size(), [&](std::size_t k) {
      const std::int32_t i = level.anchored[k];
      out[i] += times(level.anchors[i], v[i]);
    });
    add_product(springs(l), v, out, arena_);
    if (passing_) add_product(passing_->coarse[l - 1], v, out, arena_);
    return;
  }
  if (passing_) add_spring_stiffness(passing_->finest, v, passing_->pull, out, arena_);
  add_spring_stiffness(model_.springs, v, memory_.pull, out, arena_);
  add_spring_stiffness(model_.surfaces.springs, v, memory_.pull, out, arena_);
  if (!shift_.empty()) {
    each_node(arena_, v.size(), [&](std::size_t i) { out[i] += shift_[i] * v[i]; });
  }
  keep_sliding(model_, slides_, out);
}

void Multigrid::smooth(std::size_t l, bool from_zero) {
  if (published_) return sweep(l, from_zero);
  Level& level = memory_.levels[l];
  solve::chebyshev_smooth(level.largest_eigenvalue, kDegree, [&](double length, bool first) {
    const bool zero = from_zero && first;
    if (!zero) multiply(l, level.x, level.image);
    arena_.for_chunks(level.x.size(), kNodeGrain, [&](std::size_t begin, std::size_t end) {
      relax(level.inverse_diagonal[begin].e, level.b[begin].e,
            zero ? nullptr : level.image[begin].e, level.x[begin].e, 3 * (end - begin),
            float(length));
    });
    if (l == 0) keep_sliding(model_, slides_, std::span(level.x));
  });
}

void Multigrid::restrict_residual(std::size_t l) {
  Level& fine = memory_.levels[l];
  Level& coarse = memory_.levels[l + 1];
  multiply(l, fine.x, fine.image);
  const Transfer& transfer = model_.hierarchy->levels[l].transfer;
  // What nothing may move does not count. A node gives all its coarse ones the same part.
  each_node(arena_, fine.x.size(), [&](std::size_t i) {
    const float part = transfer.part(i);
    for (int a = 0; a < 3; ++a) {
      const bool moves = fine.inverse_diagonal[i][a] > 0;
      fine.image[i][a] = moves ? part * (fine.b[i][a] - fine.image[i][a]) : 0.0f;
    }
  });
  const Transfer::Rows& rows = transfer.to_coarse;
  parallel_for(arena_, coarse.b.size(), kNodeGrain / 8, [&](std::size_t i) {
    Vec3f sum{0, 0, 0};
    for (const Transfer::Term& term : rows.of(i)) sum += fine.image[term.node()];
    coarse.b[i] = sum;
  });
}

void Multigrid::prolong(std::size_t l) {
  Level& fine = memory_.levels[l];
  const Level& coarse = memory_.levels[l + 1];
  const Transfer& transfer = model_.hierarchy->levels[l].transfer;
  each_node(arena_, fine.x.size(), [&](std::size_t i) {
    Vec3f sum{0, 0, 0};
    for (const Transfer::Term& term : transfer.to_fine.of(i)) sum += coarse.x[term.node()];
    const float part = transfer.part(i);
    for (int a = 0; a < 3; ++a) {
      if (fine.inverse_diagonal[i][a] > 0) fine.x[i][a] += part * sum[a];
    }
  });
  if (l == 0) keep_sliding(model_, slides_, std::span(fine.x));
}

void Multigrid::cycle(std::size_t l, bool from_zero) {
  Level& level = memory_.levels[l];
  const bool last = l + 1 == memory_.levels.size();
  if (last && coarsest().size() > 0) {
    std::vector<double>& x = memory_.coarsest_solution;
    const std::vector<std::int32_t>& place = plan().place;
    for (std::size_t i = 0; i < x.size(); ++i)
      x[3 * place[i / 3] + i % 3] = level.b[i / 3].e[i % 3];
    coarsest().solve(x, arena_);
    for (std::size_t i = 0; i < x.size(); ++i) {
      level.x[i / 3].e[i % 3] = static_cast<float>(x[3 * place[i / 3] + i % 3]);
    }
    return;
  }
  smooth(l, from_zero);
  if (!last) {
    restrict_residual(l);
    cycle(l + 1, true);
    // Twice on coarse levels, which cost little: thin parts are worth it.
    if (!published_ && l + 2 < memory_.levels.size()) cycle(l + 1, false);
    prolong(l);
  }
  smooth(l, false);
}

void Multigrid::apply(std::span<const Vec3d> r, std::span<Vec3d> z) {
  Level& finest = memory_.levels[0];
  each_node(arena_, r.size(), [&](std::size_t i) {
    for (int a = 0; a < 3; ++a) finest.b[i][a] = static_cast<float>(r[i][a]);
  });
  cycle(0, true);
  each_node(arena_, z.size(), [&](std::size_t i) {
    for (int a = 0; a < 3; ++a) z[i][a] = finest.x[i][a];
  });
}

}  // namespace isochor::lattice
