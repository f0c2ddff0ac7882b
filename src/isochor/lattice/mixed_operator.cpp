#include "isochor/lattice/mixed_operator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "isochor/lattice/element_kernel.h"
#include "isochor/lattice/hierarchy.h"
#include "isochor/lattice/mixed_cut_visit.h"
#include "isochor/lattice/multigrid.h"
#include "isochor/math/reduce.h"
#include "isochor/solve/vector_ops.h"

namespace isochor::lattice::mixed {
namespace {

/// omega W of find_schur() in multiples of b^T D^-1 b, and the part of it that jumps within a block
/// have: of what oscillates from cell to cell, motions of nodes take away less.
constexpr double kSchurScale = 1.6, kJumpShare = 0.25;

/// Calls f(visit) for all half groups of a tile.
template <class F>
void visit_cells(const Model& model, const Configuration& at, GroupRange groups, Isa isa, F&& f) {
  for (std::size_t g = groups.begin; g < std::size_t(groups.end); ++g) {
    for (int b = 0; b < kGroupBlocks; b += kBatchBlocks) {
      Visit visit(model.base, model.measures, g, b, model.spread_part(), at.activations, isa);
      visit.deform(at.positions);
      for (int i = 0; i < kBatchCells; ++i) visit.pressure()[i] = at.pressure[visit.pressure_at(i)];
      f(visit);
    }
  }
}

/// Calls f(visit) for the cells of a tile with points of their own.
template <class F>
void visit_cut(const Model& model, const Configuration& at, std::size_t tile, Isa isa, F&& f) {
  for_each_cut(model.base, tile, [&](const CutGroup& cut) {
    MixedCutVisit visit(model, cut, at, isa);
    f(visit);
  });
}

/// Energy and least J of the blocks of a batch that responded, and alpha W M of its cells.
void sum_cells(const Model& model, Visit& visit, std::span<double> volume, BlockValues& out) {
  for (int b = 0; b < kBatchBlocks; ++b) {
    const std::size_t block = visit.place(b) / 8;
    double least = std::numeric_limits<double>::infinity();
    for (int i = b; i < kBatchCells; i += kBatchBlocks) {
      if (visit.weight(i) > 0) least = std::min(least, visit.ratio(i));
    }
    out.energy[block] = visit.block_energy(b);
    out.least_j[block] = least;
  }
  for (int i = 0; i < kBatchCells; ++i) {
    const std::size_t at = visit.pressure_at(i);
    const GroupVolume& v = model.volumes[at / kGroupCells];
    const double W = v.volume[i / kBatchBlocks][at % kGroupBlocks];
    volume[at] = model.alpha * W * visit.value()[i];
  }
}

/// The same of cells with points of their own, added to their blocks.
void sum_cells(const Model& model, MixedCutVisit& visit, std::span<double> volume,
               BlockValues& out) {
  const CutGroup& cut = visit.group();
  for (int lane = 0; lane < kGroupBlocks; ++lane) {
    if (cut.volume[lane] == 0) continue;
    const std::int32_t cell = cut.cell[lane];
    out.energy[cell / 8] += cut.volume[lane] * visit.energy_of(lane);
    for (int q = 0; q < kCutPoints; ++q) {
      out.least_j[cell / 8] = std::min(out.least_j[cell / 8], visit.ratio(kGroupBlocks * q + lane));
    }
    volume[Model::pressure_at(cell)] = model.alpha * cut.volume[lane] * visit.measure_of(lane);
  }
}

/// Nothing yet for the blocks of a tile.
void clear_blocks(GroupRange groups, BlockValues& out) {
  const std::ptrdiff_t begin = std::ptrdiff_t{groups.begin} * kGroupBlocks,
                       end = std::ptrdiff_t{groups.end} * kGroupBlocks;
  std::fill(out.energy.begin() + begin, out.energy.begin() + end, 0.0);
  std::fill(out.least_j.begin() + begin, out.least_j.begin() + end,
            std::numeric_limits<double>::infinity());
}

double sum_of(std::span<const double> values, ThreadArena& arena) {
  return deterministic_sum(arena, values.size(), [&](std::size_t begin, std::size_t end) {
    return std::accumulate(values.begin() + begin, values.begin() + end, 0.0);
  });
}

/// Calls f(group) for all of them.
template <class F>
void each_group(const Model& model, ThreadArena& arena, F&& f) {
  constexpr std::size_t kGrain = 64;
  parallel_for(arena, model.volumes.size(), kGrain, f);
}

void clear_pressures(GroupRange groups, std::span<double> pressures) {
  std::fill(pressures.begin() + std::ptrdiff_t{groups.begin} * kGroupCells,
            pressures.begin() + std::ptrdiff_t{groups.end} * kGroupCells, 0.0);
}

/// Calls f(group) for the cells of a tile whose points the matrix knows.
template <class F>
void for_each_matrix(const Model& model, std::size_t tile, F&& f) {
  for_each_cut(model.base, tile, [&](const CutGroup& cut) {
    if (cut.matrix >= 0) f(cut);
  });
}

/// force += b dp.
void add_cut_gradient(const CutGroup& cut, const CutGradient& gradient, std::span<const double> dp,
                      std::span<Vec3d> force, Isa isa) {
  double pressure[kGroupBlocks];
  for (int lane = 0; lane < kGroupBlocks; ++lane) {
    pressure[lane] = dp[Model::pressure_at(cut.cell[lane])];
  }
  ISOCHOR_CALL_KERNEL(isa, add_cut_gradient_kernel(cut, gradient, pressure, force.data()));
}

/// b^T D^-1 b of one cell.
double schur_weight(const CutGroup& cut, const CutGradient& gradient, int lane,
                    std::span<const Vec3f> inverse_diagonal) {
  double weight = 0;
  Vec3d first{0, 0, 0};
  const auto add = [&](int corner, const Vec3d& b) {
    const Vec3f& d = inverse_diagonal[cut.nodes[corner][lane] / 3];
    for (int a = 0; a < 3; ++a) weight += b[a] * b[a] * double(d[a]);
  };
  for (int c = 0; c < 7; ++c) {
    Vec3d b;
    for (int a = 0; a < 3; ++a) b[a] = gradient.entry[3 * c + a][lane];
    add(1 + c, b);
    first = first - b;
  }
  add(0, first);
  return weight;
}

/// What C of a group is multiplied by.
double softness_of(const Model& model, std::span<const double> softness, std::size_t group) {
  return softness.empty() ? 1 : softness[std::size_t(model.base.groups[group].body)];
}

/// gamma of a cell, in units of pressures; `soft` is what C of its group is multiplied by.
double augmentation(const Model& model, std::size_t g, int c, int b, double soft) {
  return kAugmentation * model.base.moduli[g].mu[c][b] / (soft * model.alpha * model.alpha);
}

/// The Schur complement of block b of a group; weights are b^T D^-1 b of its cells, and `soft` is
/// what C is multiplied by.
void fill_schur(const Model& model, std::size_t g, int b, const double* weights, double soft,
                GroupSchur& out) {
  const GroupVolume& v = model.matrix_volume(g);
  const double scale = model.alpha * model.alpha * soft;
  double omega[8] = {}, whole[8] = {};  // per region
  for (int c = 0; c < 8; ++c) {
    omega[v.region[c][b]] += kSchurScale * weights[kGroupBlocks * c + b];
    whole[v.region[c][b]] += v.volume[c][b];
  }
  for (int c = 0; c < 8; ++c) {
    out.inverse[c][b] = out.mean[c][b] = 0;
    const double W = v.volume[c][b];
    if (!(W > 0)) continue;
    const double gamma = augmentation(model, g, c, b, soft);
    const double own = scale * v.compliance[c][b], jump = scale * v.jump[c][b] / W;
    const auto jumps = [&](double o) {
      return W * (own + jump + kJumpShare * o) / (1 + gamma * kJumpShare * o);
    };
    const double of_cell = jumps(kSchurScale * weights[kGroupBlocks * c + b] / W);
    const double mean = omega[v.region[c][b]] / whole[v.region[c][b]];
    out.inverse[c][b] = of_cell > 0 ? 1 / of_cell : 0;
    out.mean[c][b] = jumps(mean) - W * (own + mean) / (1 + gamma * mean);
  }
}

}  // namespace

Evaluation evaluate(const Model& model, const Configuration& at, std::span<Vec3d> force,
                    std::span<double> volume, BlockValues& blocks, ThreadArena& arena, Isa isa) {
  for_each_tile(model.base, arena, [&](std::size_t tile, GroupRange groups) {
    clear_nodes(model.base, tile, force);
    clear_blocks(groups, blocks);
    if (model.base.has_centres()) {
      visit_cells(model, at, groups, isa, [&](Visit& visit) {
        visit.respond();
        visit.add_forces(force.data());
        sum_cells(model, visit, volume, blocks);
      });
      if (model.strain_part() > 0) {
        ISOCHOR_CALL_KERNEL(
            isa, hourglass_kernel(model.base, groups, model.strain_part(), at.positions.data(),
                                  blocks.energy.data(), force.data()));
      }
    } else {
      clear_pressures(groups, volume);
    }
    visit_cut(model, at, tile, isa, [&](MixedCutVisit& visit) {
      visit.respond();
      visit.add_forces(force.data());
      sum_cells(model, visit, volume, blocks);
      add_skin_forces(model.base, visit.group(), at.positions, force.data(), blocks.energy);
    });
  });
  // So far W M; of pressures for themselves it lacks C p, and the energy half of p C p.
  each_group(model, arena, [&](std::size_t g) {
    const std::size_t first = g * kGroupCells;
    double before[kGroupCells];
    std::copy_n(volume.data() + first, kGroupCells, before);
    ISOCHOR_CALL_KERNEL(
        isa, compliance_kernel(model.volumes[g], model.alpha * softness_of(model, at.softness, g),
                               at.pressure.data() + first, volume.data() + first));
    for (int i = 0; i < kGroupCells; ++i) {
      const double change = volume[first + i] - before[i];
      blocks.energy[g * kGroupBlocks + std::size_t(i % kGroupBlocks)] +=
          0.5 * at.pressure[first + i] * change / model.alpha;
    }
  });
  Evaluation result;
  result.energy = sum_of(blocks.energy, arena);
  result.scale = deterministic_sum(arena, blocks.energy.size(), [&](std::size_t b, std::size_t e) {
    double sum = 0;
    for (; b < e; ++b) sum += std::abs(blocks.energy[b]);
    return sum;
  });
  result.least_j = *std::min_element(blocks.least_j.begin(), blocks.least_j.end());
  return result;
}

void measure(const Model& model, const Configuration& at, std::span<double> values,
             ThreadArena& arena, Isa isa) {
  for_each_tile(model.base, arena, [&](std::size_t tile, GroupRange groups) {
    visit_cells(model, at, groups, isa, [&](Visit& visit) {
      visit.measure_volume();
      for (int i = 0; i < kBatchCells; ++i) values[visit.pressure_at(i)] = visit.value()[i];
    });
    visit_cut(model, at, tile, isa, [&](MixedCutVisit& visit) {
      const CutGroup& cut = visit.group();
      visit.measure_volume();
      for (int lane = 0; lane < kGroupBlocks; ++lane) {
        values[Model::pressure_at(cut.cell[lane])] = visit.measure_of(lane);
      }
    });
  });
}

void linearise(const Model& model, const Configuration& at, Fix fix, Tangents& tangents,
               ThreadArena& arena, Isa isa) {
  for (std::size_t b = 0; b < tangents.softness.size(); ++b) {
    tangents.softness[b] = at.softness.empty() ? 1 : at.softness[b];
  }
  std::copy(at.positions.begin(), at.positions.end(), tangents.positions.begin());
  tangents.exact = fix == Fix::None;
  for_each_tile(model.base, arena, [&](std::size_t tile, GroupRange groups) {
    visit_cells(model, at, groups, isa, [&](Visit& visit) {
      visit.linearise(fix, model.alpha, model.cycle_spread(), tangents);
    });
    visit_cut(model, at, tile, isa, [&](MixedCutVisit& visit) {
      const CutGroup& cut = visit.group();
      if (cut.matrix < 0) return;
      visit.linearise(fix, tangents);
      add_skin_tangent(model.base, cut, at.positions, fix != Fix::None,
                       tangents.system.cut[cut.matrix]);
      add_skin_tangent(model.base, cut, at.positions, true, tangents.cycle.cut[cut.matrix]);
    });
  });
}

void linearise_coarse(const Model& model, const Configuration& at, bool exact,
                      MultigridMemory& memory, std::vector<std::vector<double>>& pressures,
                      ThreadArena& arena, Isa isa) {
  const lattice::Model* fine = &model.base;
  for (std::size_t l = 0; l < model.base.hierarchy->levels.size(); ++l) {
    const CoarseLevel& coarse = model.base.hierarchy->levels[l];
    // What the cells of a coarse level have is the mean of their children.
    parallel_for(arena, coarse.model.cells.size(), 64, [&](std::size_t cell) {
      const std::int32_t begin = coarse.first_child[cell], end = coarse.first_child[cell + 1];
      Mat3d F = Mat3d::zero();
      double pressure = 0;
      for (std::int32_t k = begin; k < end; ++k) {
        const std::int32_t child = fine->cells[coarse.children[k]];
        if (l > 0) {
          F += memory.gradients[l - 1][child];
          pressure += pressures[l - 1][child];
          continue;
        }
        Vec3d x[8];
        for (int c = 0; c < 8; ++c) x[c] = at.positions[fine->corner(child, c)];
        F += deformation_gradient(x, 1 / fine->blocks[child / 8].h);
        pressure += at.pressure[Model::pressure_at(child)];
      }
      const double share = 1.0 / (end - begin);
      memory.gradients[l][coarse.model.cells[cell]] = F * share;
      pressures[l][coarse.model.cells[cell]] = pressure * share;
    });
    for_each_tile(coarse.model, arena, [&](std::size_t, GroupRange groups) {
      for (std::size_t g = groups.begin; g < std::size_t(groups.end); ++g) {
        for (int b = 0; b < kGroupBlocks; b += kBatchBlocks) {
          Visit visit(coarse.model, model.measures, g, b, model.coarse_spread(), at.activations,
                      isa);
          visit.deform(memory.gradients[l]);
          for (int i = 0; i < kBatchCells; ++i) {
            visit.pressure()[i] = visit.is_there(i) ? pressures[l][visit.place(i)] : 0.0;
          }
          visit.linearise_coarse(exact, memory.tangents[l]);
        }
      }
    });
    fine = &coarse.model;
  }
}

void apply(const Model& model, const Tangents& tangents, std::span<const Vec3d> dx,
           std::span<const double> dp, std::span<Vec3d> force, std::span<double> volume,
           ThreadArena& arena, Isa isa) {
  const double scale = model.alpha * model.alpha;
  for_each_tile(model.base, arena, [&](std::size_t tile, GroupRange groups) {
    clear_nodes(model.base, tile, force);
    ISOCHOR_CALL_KERNEL(isa, apply_mixed_kernel(model.base, tangents, groups, dx.data(), dp.data(),
                                                force.data(), volume.data()));
    // Also where only the matrix has centres: defect correction.
    if (model.strain_part() > 0) {
      ISOCHOR_CALL_KERNEL(
          isa, apply_hourglass_kernel(model.base, groups, model.strain_part(), tangents.exact,
                                      tangents.positions.data(), dx.data(), force.data()));
    }
    for_each_matrix(model, tile, [&](const CutGroup& cut) {
      ISOCHOR_CALL_KERNEL(
          isa, apply_cut_kernel(cut, tangents.system.cut[cut.matrix], dx.data(), force.data()));
      double change[kGroupBlocks];
      ISOCHOR_CALL_KERNEL(isa, cut_change_kernel(cut, tangents.cut[cut.matrix], dx.data(), change));
      for (int lane = 0; lane < kGroupBlocks; ++lane) {
        if (cut.volume[lane] > 0) volume[Model::pressure_at(cut.cell[lane])] = change[lane];
      }
      add_cut_gradient(cut, tangents.cut[cut.matrix], dp, force, isa);
    });
    for (std::size_t g = groups.begin; g < std::size_t(groups.end); ++g) {
      ISOCHOR_CALL_KERNEL(
          isa, compliance_kernel(model.matrix_volume(g),
                                 scale * softness_of(model, tangents.softness, g),
                                 dp.data() + g * kGroupCells, volume.data() + g * kGroupCells));
    }
  });
}

void add_gradient(const Model& model, const Tangents& tangents, std::span<const double> dp,
                  std::span<Vec3d> force, ThreadArena& arena, Isa isa) {
  for_each_tile(model.base, arena, [&](std::size_t tile, GroupRange groups) {
    ISOCHOR_CALL_KERNEL(
        isa, apply_gradient_kernel(model.base, tangents, groups, dp.data(), force.data()));
    for_each_matrix(model, tile, [&](const CutGroup& cut) {
      add_cut_gradient(cut, tangents.cut[cut.matrix], dp, force, isa);
    });
  });
}

void find_schur(const Model& model, const Tangents& tangents,
                std::span<const Vec3f> inverse_diagonal, std::span<double> weights,
                std::span<GroupSchur> schur, ThreadArena& arena, Isa isa) {
  for_each_tile(model.base, arena, [&](std::size_t tile, GroupRange groups) {
    ISOCHOR_CALL_KERNEL(isa, schur_weight_kernel(model.base, tangents, groups,
                                                 inverse_diagonal.data(), weights.data()));
    for_each_matrix(model, tile, [&](const CutGroup& cut) {
      for (int lane = 0; lane < kGroupBlocks; ++lane) {
        if (cut.volume[lane] == 0) continue;
        weights[Model::pressure_at(cut.cell[lane])] =
            schur_weight(cut, tangents.cut[cut.matrix], lane, inverse_diagonal);
      }
    });
    for (std::size_t g = groups.begin; g < std::size_t(groups.end); ++g) {
      const double soft = softness_of(model, tangents.softness, g);
      for (int b = 0; b < kGroupBlocks; ++b) {
        fill_schur(model, g, b, weights.data() + g * kGroupCells, soft, schur[g]);
      }
    }
  });
}

void apply_schur(const Model& model, std::span<const GroupSchur> schur, std::span<const double> r,
                 std::span<double> z, ThreadArena& arena, Isa isa) {
  each_group(model, arena, [&](std::size_t g) {
    const std::size_t first = g * kGroupCells;
    ISOCHOR_CALL_KERNEL(
        isa, schur_kernel(model.matrix_volume(g), schur[g], r.data() + first, z.data() + first));
  });
}

void augment(const Model& model, const Tangents& tangents, std::span<const double> s,
             std::span<double> r, ThreadArena& arena, Isa isa) {
  each_group(model, arena, [&](std::size_t g) {
    const GroupVolume& v = model.matrix_volume(g);
    const double soft = softness_of(model, tangents.softness, g);
    const double* from = s.data() + g * kGroupCells;
    double* to = r.data() + g * kGroupCells;
    ISOCHOR_CALL_KERNEL(isa, compliance_kernel(v, model.alpha * model.alpha * soft, from, to));
    for (int i = 0; i < kGroupCells; ++i) {
      const int c = i / kGroupBlocks, b = i % kGroupBlocks;
      const double W = v.volume[c][b];
      to[i] = W > 0 ? from[i] + augmentation(model, g, c, b, soft) / W * to[i] : 0;
    }
  });
}

}  // namespace isochor::lattice::mixed
