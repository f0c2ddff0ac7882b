#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace isochor::run {

/// Where the parts of a run lie (docs/formats/run-directory.md).
struct RunDirectory {
  std::filesystem::path root;

  std::filesystem::path manifest() const { return root / "run.json"; }
  std::filesystem::path diagnostics() const { return root / "diagnostics.csv"; }
  std::filesystem::path convergence() const { return root / "convergence.csv"; }
  std::filesystem::path report() const { return root / "report.html"; }
  std::filesystem::path topology() const { return root / "frames" / "topology.bin"; }
  std::filesystem::path frame(int index) const;
  std::filesystem::path checkpoint(int index) const;
  std::filesystem::path exports() const { return root / "export"; }

  bool is_run() const { return std::filesystem::exists(manifest()); }
  /// The frames that have a file, ascending from 0 without a gap.
  int frame_count() const;
};

/// An existing run, for commands that read one. Anything else is an input error.
RunDirectory open_run(const std::filesystem::path& root);

/// run.json: what was simulated, by what, where, and how it ended.
struct Manifest {
  static constexpr int kFormat = 1;

  struct FrameEntry {
    int frame = 0;
    std::string file;  ///< relative to the run directory
    std::string hash;  ///< as stored in the file, 16 hexadecimal digits
  };
  std::string version;
  std::string machine;
  int threads = 0;
  std::string status = "running";  ///< running, done, failed, interrupted
  std::string message;             ///< why it did not get to the end
  std::string scene_file;
  std::string scene;     ///< as resolved, TOML
  std::string identity;  ///< hash of all that determines the frames
  int last_frame = 0;    ///< that the scene asks for
  double wall_seconds = 0;
  std::vector<FrameEntry> frames;
};
void write_manifest(const RunDirectory& directory, const Manifest& manifest);
Manifest read_manifest(const RunDirectory& directory);

/// A run directory with nothing in it but its manifest, which marks it as one. A run that is
/// already there is kept as NAME.previous (replacing an earlier one of that name); a directory with
/// anything else in it is refused.
RunDirectory make_run(const std::filesystem::path& root, const Manifest& manifest);

}  // namespace isochor::run
