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

/// What others take, where bench/peers was built (`./dev setup --peers`): `arguments` are those of
/// its program, by default that of PETSc and hypre. Nothing without it.
std::vector<Peer> run_peers(const std::string& arguments, double unknowns,
                            const char* program_name = "isochor_peers");

}  // namespace isochor::bench
