/// Solves the linear system of `isochor bench linear-solve` with PETSc and hypre and prints per
/// solver: its name, seconds of set-up and of solving on one core, iterations, true residual. A
/// program of its own, so that ours depends on neither.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <petscksp.h>

#include "bench/assembled.h"
#include "bench/held_cube.h"

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

void tell_rigid_motions(Mat M, const bench::HeldCube& cube) {
  Vec coordinates;
  VecCreateSeq(PETSC_COMM_SELF, static_cast<PetscInt>(3 * cube.free().size()), &coordinates);
  VecSetBlockSize(coordinates, 3);
  double* x = nullptr;
  VecGetArray(coordinates, &x);
  for (const std::int32_t n : cube.free()) {
    for (int a = 0; a < 3; ++a) *x++ = cube.model().rest_positions[n][a];
  }
  x -= 3 * cube.free().size();
  VecRestoreArray(coordinates, &x);
  MatNullSpace motions;
  MatNullSpaceCreateRigidBody(coordinates, &motions);
  MatSetNearNullSpace(M, motions);
  MatNullSpaceDestroy(&motions);
  VecDestroy(&coordinates);
}

void run(const Solver& solver, Mat M, Vec b, Vec x, Vec r) {
  PetscOptionsClear(nullptr);
  PetscOptionsInsertString(nullptr, solver.options);
  KSP ksp;
  KSPCreate(PETSC_COMM_SELF, &ksp);
  KSPSetType(ksp, KSPCG);
  KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED);
  KSPSetTolerances(ksp, 1e-6, 1e-50, 1e10, 2000);
  KSPSetOperators(ksp, M, M);
  KSPSetFromOptions(ksp);
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
  std::printf("%s %.4f %.4f %d %.3e\n", solver.name, ready - start, done - ready, int(iterations),
              error / size);
  std::fflush(stdout);
  KSPDestroy(&ksp);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: isochor_peers CELLS POISSON\n");
    return 2;
  }
  PetscInitialize(nullptr, nullptr, nullptr, nullptr);
  {
    ThreadArena one(1);
    Context context(1);
    bench::HeldCube cube(std::atoi(argv[1]), std::atof(argv[2]),
                         {.preconditioner = lattice::Preconditioner::Multigrid}, context);
    cube.set_up(one);
    Mat M = make_matrix(bench::assemble(cube.model(), cube.tangents(), cube.free(), one));
    std::vector<double> load = cube.load();
    Vec b, x, r;
    VecCreateSeqWithArray(PETSC_COMM_SELF, 3, static_cast<PetscInt>(load.size()), load.data(), &b);
    VecDuplicate(b, &x);
    VecDuplicate(b, &r);
    for (const Solver& solver : kSolvers) {
      if (solver.knows_rigid_motions) tell_rigid_motions(M, cube);
      if (!solver.knows_rigid_motions) MatSetNearNullSpace(M, nullptr);
      VecSet(x, 0);
      run(solver, M, b, x, r);
    }
  }
  PetscFinalize();
}
