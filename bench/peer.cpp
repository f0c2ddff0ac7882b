#include "bench/peer.h"

#include <cstdio>
#include <filesystem>
#include <fmt/core.h>

namespace isochor::bench {

std::vector<Peer> run_peers(const std::string& arguments, double unknowns,
                            const char* program_name) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / program_name;
  std::vector<Peer> peers;
  if (!std::filesystem::exists(program)) return peers;
  const std::string command = fmt::format("'{}' {} 2>&1", program.string(), arguments);
  FILE* const output = popen(command.c_str(), "r");
  if (!output) return peers;
  char name[64];
  double set_up = 0, solve = 0, residual = 0;
  int iterations = 0;
  while (std::fscanf(output, "%63s %lf %lf %d %lf", name, &set_up, &solve, &iterations,
                     &residual) == 5) {
    peers.push_back({name, 1e6 * (set_up + solve) / unknowns,
                     fmt::format("{} iterations, residual {:.1e}, set-up {:.2f} s of {:.2f} s",
                                 iterations, residual, set_up, set_up + solve)});
  }
  pclose(output);
  return peers;
}

}  // namespace isochor::bench
