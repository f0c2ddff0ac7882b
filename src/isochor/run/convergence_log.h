#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "isochor/base/context.h"

namespace isochor::run {

/// Writes convergence.csv: a row per Newton iteration, as the solver reports its progress. It
/// listens to the context for as long as it lives, in front of whoever listened before.
class ConvergenceLog {
 public:
  /// A new file; or, with `keep_through`, the rows of an earlier one up to that frame.
  ConvergenceLog(std::filesystem::path path, std::optional<int> keep_through, Context& context);
  ~ConvergenceLog();
  ConvergenceLog(const ConvergenceLog&) = delete;
  ConvergenceLog& operator=(const ConvergenceLog&) = delete;

  /// Brings what was heard since the last call into the file.
  void write();

 private:
  std::filesystem::path path_;
  Context& context_;
  std::function<void(const Progress&)> listener_;  ///< that was there before
  std::string rows_;
};

}  // namespace isochor::run
