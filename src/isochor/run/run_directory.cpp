#include "isochor/run/run_directory.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <functional>
#include <nlohmann/json.hpp>

#include "isochor/base/error.h"
#include "isochor/base/file.h"

namespace isochor::run {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path RunDirectory::frame(int index) const {
  return root / "frames" / fmt::format("{:06}.frame", index);
}

fs::path RunDirectory::checkpoint(int index) const {
  return root / "checkpoint" / fmt::format("{:06}.state", index);
}

int RunDirectory::frame_count() const {
  int count = 0;
  while (fs::exists(frame(count))) ++count;
  return count;
}

namespace {

constexpr const char* kUnfinished = ".part";  // as write_file_atomic names them

/// Descending, so that a list of files never gets a gap while they are removed one by one.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
    if (entry.is_regular_file(code)) files.push_back(entry.path());
  }
  std::ranges::sort(files, std::greater{});
  return files;
}

void remove_file(const fs::path& file) {
  std::error_code code;
  fs::remove(file, code);
  if (!code) return;
  throw Error(Fault::System, file.string(), "cannot remove: " + code.message(),
              "make the directory writable, then go on with --resume");
}

/// Nothing is there but what a run that was killed at its very start leaves.
bool is_untouched(const RunDirectory& directory) {
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory.root, code)) {
    if (entry.path() != directory.lock() &&
        entry.path() != directory.manifest().string() + kUnfinished) {
      return false;
    }
  }
  return !code;
}

FileLock take_lock(const RunDirectory& directory) {
  if (std::optional<FileLock> lock = FileLock::take(directory.lock())) return std::move(*lock);
  throw Error(Fault::Input, directory.root.string(),
              fmt::format("is being written by {}", FileLock::holder(directory.lock())),
              "wait until it ends, or choose another place (--out DIR)");
}

/// Moves a run out of the way. What it replaces goes last of all with its manifest, so that being
/// killed here leaves something that is still known as a run.
fs::path keep_as_previous(const fs::path& root) {
  fs::path previous = root.lexically_normal();
  if (!previous.has_filename()) previous = previous.parent_path();
  previous += ".previous";
  std::error_code code;
  if (fs::exists(previous, code)) {
    const RunDirectory older{previous};
    if (!older.is_run()) {
      throw Error(Fault::Input, previous.string(),
                  "is in the way: the earlier run would be kept there, and it is not a run",
                  "move it, or choose another place (--out DIR)");
    }
    const FileLock lock = take_lock(older);
    for (const fs::directory_entry& entry : fs::directory_iterator(previous, code)) {
      if (entry.path() != older.manifest()) fs::remove_all(entry.path(), code);
    }
    fs::remove_all(previous, code);
  }
  if (!code) fs::rename(root, previous, code);
  if (code) {
    throw Error(
        Fault::Input, root.string(),
        fmt::format("cannot keep the earlier run as {}: {}", previous.string(), code.message()),
        "choose another place (--out DIR)");
  }
  return previous;
}

}  // namespace

RunDirectory open_run(const fs::path& root) {
  RunDirectory directory{root};
  std::error_code code;
  if (!fs::is_directory(root, code)) {
    throw Error(Fault::Input, root.string(), "is not a directory",
                "name the directory of a run, as 'isochor run' printed it");
  }
  if (!directory.is_run()) {
    throw Error(Fault::Input, root.string(), "is not a run: it has no run.json",
                "name the directory of a run, as 'isochor run' printed it");
  }
  return directory;
}

void write_manifest(const RunDirectory& directory, const Manifest& manifest) {
  Json frames = Json::array();
  for (const Manifest::FrameEntry& f : manifest.frames) {
    frames.push_back({{"frame", f.frame}, {"file", f.file}, {"hash", f.hash}});
  }
  Json parts = Json::array();
  for (const Manifest::Part& p : manifest.parts) {
    parts.push_back({{"name", p.name}, {"hash", p.hash}});
  }
  const Json json{{"format", Manifest::kFormat},
                  {"program", "isochor"},
                  {"version", manifest.version},
                  {"machine", manifest.machine},
                  {"threads", manifest.threads},
                  {"status", manifest.status},
                  {"message", manifest.message},
                  {"scene_file", manifest.scene_file},
                  {"identity", manifest.identity},
                  {"parts", parts},
                  {"last_frame", manifest.last_frame},
                  {"wall_seconds", manifest.wall_seconds},
                  {"inputs", manifest.inputs},
                  {"frames", frames},
                  {"scene", manifest.scene}};
  write_file_atomic(directory.manifest(), json.dump(2) + "\n");
}

Manifest read_manifest(const RunDirectory& directory) {
  const fs::path path = directory.manifest();
  try {
    const Json json = Json::parse(read_text_file(path));
    if (json.at("format") != Manifest::kFormat) {
      throw Error(Fault::Input, path.string(),
                  fmt::format("format version {}, this program reads {}", json.at("format").dump(),
                              Manifest::kFormat),
                  fmt::format("use the version of Isochor that wrote it ({}), or run the scene "
                              "again with this one, without --resume",
                              json.value("version", "unknown")));
    }
    Manifest manifest{.version = json.at("version"),
                      .machine = json.at("machine"),
                      .threads = json.at("threads"),
                      .status = json.at("status"),
                      .message = json.at("message"),
                      .scene_file = json.at("scene_file"),
                      .scene = json.at("scene"),
                      .identity = json.at("identity"),
                      .inputs = json.at("inputs"),
                      .last_frame = json.at("last_frame"),
                      .wall_seconds = json.at("wall_seconds")};
    for (const Json& f : json.at("frames")) {
      manifest.frames.push_back({f.at("frame"), f.at("file"), f.at("hash")});
    }
    for (const Json& p : json.at("parts")) {
      manifest.parts.push_back({p.at("name"), p.at("hash")});
    }
    return manifest;
  } catch (const Json::exception& error) {
    throw Error(Fault::Input, path.string(), fmt::format("cannot be understood: {}", error.what()),
                "restore the file, or run the scene again");
  }
}

std::optional<FileLock> lock_run(const fs::path& root) {
  const RunDirectory directory{root};
  std::error_code code;
  if (!fs::is_directory(root, code) || !(directory.is_run() || is_untouched(directory))) return {};
  return take_lock(directory);
}

RunDirectory make_run(const fs::path& root, const Manifest& manifest,
                      std::optional<FileLock>& lock) {
  RunDirectory directory{root};
  std::error_code code;
  if (directory.is_run()) {
    if (!lock) lock = take_lock(directory);
    const fs::path previous = keep_as_previous(root);
    lock->moved_to(RunDirectory{previous}.lock());
    lock.reset();
  } else if (fs::is_directory(root, code) && !is_untouched(directory)) {
    throw Error(Fault::Input, root.string(), "has files in it that are not a run",
                "choose an empty or new directory (--out DIR)");
  } else if (fs::exists(root, code) && !fs::is_directory(root, code)) {
    throw Error(Fault::Input, root.string(), "is a file, expected a directory",
                "choose another place (--out DIR)");
  }
  make_directory(root, Fault::Input);
  if (!lock) lock = take_lock(directory);
  write_manifest(directory, manifest);
  make_directory(root / "frames");
  make_directory(root / "checkpoint");
  return directory;
}

void remove_unfinished_files(const RunDirectory& directory) {
  for (const fs::path& folder :
       {directory.root, directory.frame(0).parent_path(), directory.checkpoint(0).parent_path()}) {
    for (const fs::path& file : files_in(folder)) {
      if (file.extension() == kUnfinished) remove_file(file);
    }
  }
}

void remove_frames_after(const RunDirectory& directory, int last) {
  // Frames first: a checkpoint without its frame means nothing, a frame must have one.
  for (const fs::path& some : {directory.frame(0), directory.checkpoint(0)}) {
    for (const fs::path& file : files_in(some.parent_path())) {
      if (file.extension() != some.extension()) continue;
      const std::string name = file.stem().string();
      int index = -1;
      std::from_chars(name.data(), name.data() + name.size(), index);
      if (index > last) remove_file(file);
    }
  }
}

}  // namespace isochor::run
