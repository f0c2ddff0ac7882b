/// Solves the linear systems of `isochor bench linear-solve` and, with pressures, of `mixed-solve`
/// with PETSc and hypre and prints per solver: its name, seconds of set-up and of solving on one
/// core, iterations, true residual. A program of its own, so that ours depends on neither.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <petscksp.h>
#include <string_view>

#include "bench/assembled.h"
#include "bench/held_cube.h"
#include "bench/mixed_case.h"

namespace {

using namespace isochor;

/// Options that made each fastest on this kind of problem, of those that were tried.
struct Solver {
  const char* name;
  const char* options;
  bool knows_rigid_motions;
};
constexpr Solver kSolvers[] = {
    {"PETSc-GAMG", "-pc_type gamg -mat_no_inode 1 -matptap_via rap -pc_gamg_agg_nsmooths 0", true},
    {"PETSc-GAMG-smoothed", "-pc_type gamg -mat_no_inode 1 -matptap_via rap", true},
    {"hypre-BoomerAMG",
     "-pc_type hypre -pc_hypre_boomeramg_coarsen_type HMIS -pc_hypre_boomeramg_interp_type ext+i "
     "-pc_hypre_boomeramg_P_max 4 -pc_hypre_boomeramg_agg_nl 1 "
     "-pc_hypre_boomeramg_strong_threshold 0.5 -pc_hypre_boomeramg_relax_type_all Chebyshev",
     false},
};

double seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

Mat make_matrix(const bench::BlockRows& A) {
  const auto size = static_cast<PetscInt>(3 * A.rows());
  std::vector<PetscInt> per_row(3 * A.rows());
  for (std::size_t i = 0; i < per_row.size(); ++i) {
    per_row[i] = static_cast<PetscInt>(3 * (A.first[i / 3 + 1] - A.first[i / 3]));
  }
  Mat M;
  MatCreateSeqAIJ(PETSC_COMM_SELF, size, size, 0, per_row.data(), &M);
  MatSetBlockSize(M, 3);
  std::vector<PetscInt> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < A.rows(); ++i) {
    for (int a = 0; a < 3; ++a) {
      columns.clear();
      values.clear();
      for (std::int64_t k = A.first[i]; k < A.first[i + 1]; ++k) {
        for (int b = 0; b < 3; ++b) {
          columns.push_back(3 * A.columns[k] + b);
          values.push_back(A.blocks[k][3 * a + b]);
        }
      }
      const auto row = static_cast<PetscInt>(3 * i + a);
      MatSetValues(M, 1, &row, static_cast<PetscInt>(columns.size()), columns.data(), values.data(),
                   INSERT_VALUES);
    }
  }
  MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY);
  MatSetOption(M, MAT_SPD, PETSC_TRUE);
  return M;
}

void tell_rigid_motions(Mat M, const lattice::Model& model, std::span<const std::int32_t> free) {
  Vec coordinates;
  VecCreateSeq(PETSC_COMM_SELF, static_cast<PetscInt>(3 * free.size()), &coordinates);
  VecSetBlockSize(coordinates, 3);
  double* x = nullptr;
  VecGetArray(coordinates, &x);
  for (const std::int32_t n : free) {
    for (int a = 0; a < 3; ++a) *x++ = model.rest_positions[n][a];
  }
  x -= 3 * free.size();
  VecRestoreArray(coordinates, &x);
  MatNullSpace motions;
  MatNullSpaceCreateRigidBody(coordinates, &motions);
  MatSetNearNullSpace(M, motions);
  MatNullSpaceDestroy(&motions);
  VecDestroy(&coordinates);
}

/// `prepare` may tell the solver more about its system.
template <class Prepare>
void run(const char* name, const char* options, KSPType type, Mat M, Vec b, Vec x, Vec r,
         Prepare&& prepare) {
  PetscOptionsClear(nullptr);
  PetscOptionsInsertString(nullptr, options);
  KSP ksp;
  KSPCreate(PETSC_COMM_SELF, &ksp);
  KSPSetType(ksp, type);
  KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED);
  KSPSetTolerances(ksp, 1e-6, 1e-50, 1e10, 2000);
  KSPSetOperators(ksp, M, M);
  KSPSetFromOptions(ksp);
  prepare(ksp);
  const double start = seconds();
  KSPSetUp(ksp);
  const double ready = seconds();
  KSPSolve(ksp, b, x);
  const double done = seconds();
  PetscInt iterations = 0;
  KSPGetIterationNumber(ksp, &iterations);
  double error = 0, size = 0;
  MatMult(M, x, r);
  VecAYPX(r, -1, b);
  VecNorm(r, NORM_2, &error);
  VecNorm(b, NORM_2, &size);
  std::printf("%s %.4f %.4f %d %.3e\n", name, ready - start, done - ready, int(iterations),
              error / size);
  std::fflush(stdout);
  KSPDestroy(&ksp);
}

void solve_elastic(int n, double poisson) {
  ThreadArena one(1);
  Context context(1);
  bench::HeldCube cube(n, poisson, {.preconditioner = lattice::Preconditioner::Multigrid}, context);
  cube.set_up(one);
  Mat M = make_matrix(bench::assemble(cube.model(), cube.tangents(), cube.free(), one));
  std::vector<double> load = cube.load();
  Vec b, x, r;
  VecCreateSeqWithArray(PETSC_COMM_SELF, 3, static_cast<PetscInt>(load.size()), load.data(), &b);
  VecDuplicate(b, &x);
  VecDuplicate(b, &r);
  for (const Solver& solver : kSolvers) {
    if (solver.knows_rigid_motions) tell_rigid_motions(M, cube.model(), cube.free());
    if (!solver.knows_rigid_motions) MatSetNearNullSpace(M, nullptr);
    VecSet(x, 0);
    run(solver.name, solver.options, KSPCG, M, b, x, r, [](KSP) {});
  }
}

/// The blocks of the mixed system beside A, pressures in the order of cells.
struct PressureBlocks {
  Mat B, transposed, minus_C;
  Mat schur;  ///< what stands for -(C + B A^-1 B^T)
};

/// Column by column of the matrix-free operator: cells in the same place of their block share no
/// node.
PressureBlocks make_pressure_blocks(const bench::MixedCase& cube,
                                    const lattice::mixed::Tangents& tangents, ThreadArena& arena) {
  namespace mixed = lattice::mixed;
  const mixed::Model& model = cube.model();
  const std::vector<std::int32_t>& cells = model.base.cells;
  std::vector<std::int32_t> row_of(model.node_count(), -1),
      cell_of(8 * model.base.blocks.size(), -1);
  for (std::size_t i = 0; i < cube.free().size(); ++i) {
    row_of[cube.free()[i]] = static_cast<std::int32_t>(i);
  }
  for (std::size_t c = 0; c < cells.size(); ++c) cell_of[cells[c]] = static_cast<std::int32_t>(c);
  const auto rows = static_cast<PetscInt>(cells.size()),
             columns = static_cast<PetscInt>(3 * cube.free().size());
  PressureBlocks out{};
  MatCreateSeqAIJ(PETSC_COMM_SELF, rows, columns, 24, nullptr, &out.B);
  MatCreateSeqAIJ(PETSC_COMM_SELF, rows, rows, 8, nullptr, &out.minus_C);
  MatCreateSeqAIJ(PETSC_COMM_SELF, rows, rows, 1, nullptr, &out.schur);
  std::vector<Vec3d> zero(model.node_count(), Vec3d{0, 0, 0}), force(model.node_count());
  std::vector<double> unit(model.pressure_count()), volume(model.pressure_count());
  const double scale = model.alpha * model.alpha;
  for (int lane = 0; lane < 8; ++lane) {
    std::fill(unit.begin(), unit.end(), 0.0);
    for (const std::int32_t cell : cells) {
      if (cell % 8 == lane) unit[mixed::Model::pressure_at(cell)] = 1;
    }
    mixed::apply(model, tangents, zero, unit, force, volume, arena);
    for (const std::int32_t cell : cells) {
      if (cell % 8 != lane) continue;
      const PetscInt row = cell_of[cell];
      for (int c = 0; c < 8; ++c) {
        const std::int32_t node = model.base.corner(cell, c);
        for (int a = 0; a < 3 && row_of[node] >= 0; ++a) {
          MatSetValue(out.B, row, 3 * row_of[node] + a, force[node][a], INSERT_VALUES);
        }
      }
      for (int other = 0; other < 8; ++other) {
        const std::int32_t neighbour = cell / 8 * 8 + other;
        if (cell_of[neighbour] < 0) continue;
        MatSetValue(out.minus_C, cell_of[neighbour], row,
                    volume[mixed::Model::pressure_at(neighbour)], INSERT_VALUES);
      }
      const std::size_t at = mixed::Model::pressure_at(cell), g = at / mixed::kGroupCells;
      const mixed::GroupVolume& v = model.volumes[g];
      const std::size_t b = at % lattice::kGroupBlocks;
      const double own = v.volume[lane][b] * (1 / model.base.mu(cell) + v.compliance[lane][b]);
      MatSetValue(out.schur, row, row, -scale * own, INSERT_VALUES);
    }
  }
  for (Mat m : {out.B, out.minus_C, out.schur}) {
    MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY);
  }
  MatTranspose(out.B, MAT_INITIAL_MATRIX, &out.transposed);
  return out;
}

/// Field-split: pressures through a diagonal, then displacements through a cycle of GAMG.
void solve_mixed(int n, double poisson) {
  ThreadArena one(1);
  Context context(1);
  bench::MixedCase cube = bench::cube_at_rest(n, poisson, lattice::mixed::Params{}.jumps, context);
  const lattice::mixed::Tangents& tangents = cube.linearise();
  // With what resists hourglass modes, which is no part of the tangents: without it GAMG is lost.
  const std::vector<double> no_pressure(cube.model().pressure_count());
  std::vector<double> volume(no_pressure.size());
  const auto product = [&](std::span<const Vec3d> u, std::span<Vec3d> f) {
    lattice::mixed::apply(cube.model(), tangents, u, no_pressure, f, volume, one);
  };
  Mat A = make_matrix(bench::assemble(cube.model().base, product, cube.free(), one));
  tell_rigid_motions(A, cube.model().base, cube.free());
  const PressureBlocks p = make_pressure_blocks(cube, tangents, one);
  Mat blocks[4] = {A, p.transposed, p.B, p.minus_C}, M;
  MatCreateNest(PETSC_COMM_SELF, 2, nullptr, 2, nullptr, blocks, &M);
  IS fields[2];
  MatNestGetISs(M, fields, nullptr);
  std::vector<double> load;
  for (const std::int32_t node : cube.free()) {
    for (int a = 0; a < 3; ++a) load.push_back(cube.load()[3 * std::size_t(node) + std::size_t(a)]);
  }
  load.resize(load.size() + cube.model().base.cells.size(), 0.0);
  Vec b, x, r;
  VecCreateSeqWithArray(PETSC_COMM_SELF, 1, static_cast<PetscInt>(load.size()), load.data(), &b);
  VecDuplicate(b, &x);
  VecDuplicate(b, &r);
  VecSet(x, 0);
  run("PETSc-fieldsplit-GAMG",
      "-ksp_gmres_restart 100 -pc_type fieldsplit -pc_fieldsplit_type schur "
      "-pc_fieldsplit_schur_fact_type upper -fieldsplit_0_ksp_type preonly "
      "-fieldsplit_0_pc_type gamg -fieldsplit_0_mat_no_inode 1 -matptap_via rap "
      "-fieldsplit_1_ksp_type preonly -fieldsplit_1_pc_type jacobi",
      KSPFGMRES, M, b, x, r, [&](KSP ksp) {
        PC pc;
        KSPGetPC(ksp, &pc);
        PCFieldSplitSetIS(pc, "0", fields[0]);
        PCFieldSplitSetIS(pc, "1", fields[1]);
        PCFieldSplitSetSchurPre(pc, PC_FIELDSPLIT_SCHUR_PRE_USER, p.schur);
      });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view kind = argc == 4 ? argv[1] : "";
  if (kind != "elastic" && kind != "mixed") {
    std::fprintf(stderr, "usage: isochor_peers elastic|mixed CELLS POISSON\n");
    return 2;
  }
  PetscInitialize(nullptr, nullptr, nullptr, nullptr);
  (kind == "mixed" ? solve_mixed : solve_elastic)(std::atoi(argv[2]), std::atof(argv[3]));
  PetscFinalize();
}
