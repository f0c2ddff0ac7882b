#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "isochor/base/file_lock.h"

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
  std::filesystem::path lock() const { return root / "run.lock"; }

  bool is_run() const { return std::filesystem::exists(manifest()); }
  /// The frames that have a file, ascending from 0 without a gap.
  int frame_count() const;
};

/// An existing run, for commands that read one. Anything else is an input error.
RunDirectory open_run(const std::filesystem::path& root);

/// run.json: what was simulated, by what, where, and how it ended.
struct Manifest {
  static constexpr int kFormat = 2;

  struct FrameEntry {
    int frame = 0;
    std::string file;  ///< relative to the run directory
    std::string hash;  ///< as stored in the file, 16 hexadecimal digits
  };
  /// Something outside the scene file that all frames depend on, such as a mesh.
  struct Part {
    std::string name;  ///< "surface of 'bar'"
    std::string hash;
    bool operator==(const Part&) const = default;
  };
  std::string version;
  std::string machine;
  int threads = 0;
  std::string status = "running";  ///< running, done, failed, interrupted
  std::string message;             ///< why it did not get to the end
  std::string scene_file;
  std::string scene;                ///< as resolved, TOML
  std::string identity;             ///< hash of all that every frame depends on
  std::vector<Part> parts;          ///< of the identity
  std::vector<std::string> inputs;  ///< per frame, hash of what moves the bodies on the way to it
  int last_frame = 0;               ///< that the scene asks for
  double wall_seconds = 0;
  std::vector<FrameEntry> frames;
};
void write_manifest(const RunDirectory& directory, const Manifest& manifest);
Manifest read_manifest(const RunDirectory& directory);

/// Keeps a run that exists, or a directory in which one was about to start, to this process.
/// Nothing where there is none. If another process writes to it, that is an input error.
std::optional<FileLock> lock_run(const std::filesystem::path& root);

/// A run directory with nothing in it but its manifest, which marks it as one. A run that is
/// already there, and which the caller has locked, is kept as NAME.previous (replacing an earlier
/// one of that name); a directory with anything else in it is refused. The lock becomes that of the
/// new run.
RunDirectory make_run(const std::filesystem::path& root, const Manifest& manifest,
                      std::optional<FileLock>& lock);

/// Removes what killed processes were about to write. Only for who has the lock.
void remove_unfinished_files(const RunDirectory& directory);

/// Removes frames and checkpoints after frame `last`, so that they are not taken for those of a run
/// that goes another way.
void remove_frames_after(const RunDirectory& directory, int last);

}  // namespace isochor::run
