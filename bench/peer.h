#pragma once

#include <string>
#include <vector>

namespace isochor::bench {

/// Another solver on the same system.
struct Peer {
  std::string name;
  double microseconds = 0;  ///< per unknown, set-up included
  std::string note;
};

/// What the solvers of PETSc and hypre take, where bench/peers was built (`./dev setup --peers`):
/// `arguments` are those of its program. Nothing without it.
std::vector<Peer> run_peers(const std::string& arguments, double unknowns);

}  // namespace isochor::bench
