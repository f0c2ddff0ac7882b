#include "isochor/run/convergence_log.h"

#include <fmt/core.h>

#include "isochor/base/file.h"
#include "isochor/run/diagnostics.h"

namespace isochor::run {
namespace {

constexpr const char* kHeader =
    "frame,step_begin [frames],newton_iterations,krylov_iterations,residual\n";

}  // namespace

ConvergenceLog::ConvergenceLog(std::filesystem::path path, std::optional<int> keep_through,
                               Context& context)
    : path_(std::move(path)), context_(context), listener_(context.on_progress) {
  std::string kept;
  if (keep_through && *keep_through >= 0 && std::filesystem::exists(path_)) {
    kept = rows_through(read_text_file(path_), *keep_through);
  }
  if (!kept.starts_with(kHeader)) kept = kHeader;
  write_file_atomic(path_, kept);
  context_.on_progress = [this](const Progress& p) {
    rows_ += fmt::format("{},{},{},{},{}\n", p.frame, p.fraction, p.newton_iterations,
                         p.krylov_iterations, p.residual);
    listener_(p);
  };
}

ConvergenceLog::~ConvergenceLog() { context_.on_progress = std::move(listener_); }

void ConvergenceLog::write() {
  if (!rows_.empty()) append_to_file(path_, rows_);
  rows_.clear();
}

}  // namespace isochor::run
