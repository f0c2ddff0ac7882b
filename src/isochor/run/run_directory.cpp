#include "isochor/run/run_directory.h"

#include <fmt/core.h>
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
  const Json json{{"format", Manifest::kFormat},
                  {"program", "isochor"},
                  {"version", manifest.version},
                  {"machine", manifest.machine},
                  {"threads", manifest.threads},
                  {"status", manifest.status},
                  {"message", manifest.message},
                  {"scene_file", manifest.scene_file},
                  {"identity", manifest.identity},
                  {"last_frame", manifest.last_frame},
                  {"wall_seconds", manifest.wall_seconds},
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
                  fmt::format("has format {}, this program reads {}", json.at("format").dump(),
                              Manifest::kFormat),
                  "use the version that wrote it, or run the scene again");
    }
    Manifest manifest{.version = json.at("version"),
                      .machine = json.at("machine"),
                      .threads = json.at("threads"),
                      .status = json.at("status"),
                      .message = json.at("message"),
                      .scene_file = json.at("scene_file"),
                      .scene = json.at("scene"),
                      .identity = json.at("identity"),
                      .last_frame = json.at("last_frame"),
                      .wall_seconds = json.at("wall_seconds")};
    for (const Json& f : json.at("frames")) {
      manifest.frames.push_back({f.at("frame"), f.at("file"), f.at("hash")});
    }
    return manifest;
  } catch (const Json::exception& error) {
    throw Error(Fault::Input, path.string(), fmt::format("cannot be understood: {}", error.what()),
                "restore the file, or run the scene again");
  }
}

RunDirectory make_run(const fs::path& root, const Manifest& manifest) {
  RunDirectory directory{root};
  std::error_code code;
  if (fs::exists(root, code)) {
    if (!fs::is_directory(root, code)) {
      throw Error(Fault::Input, root.string(), "is a file, expected a directory",
                  "choose another place (--out DIR)");
    }
    if (directory.is_run()) {
      fs::path previous = root.lexically_normal();
      if (!previous.has_filename()) previous = previous.parent_path();
      previous += ".previous";
      if (fs::exists(previous, code) && !RunDirectory{previous}.is_run()) {
        throw Error(Fault::Input, previous.string(),
                    "is in the way: the earlier run would be kept there, and it is not a run",
                    "move it, or choose another place (--out DIR)");
      }
      fs::remove_all(previous, code);
      if (!code) fs::rename(root, previous, code);
      if (code) {
        throw Error(
            Fault::Input, root.string(),
            fmt::format("cannot keep the earlier run as {}: {}", previous.string(), code.message()),
            "choose another place (--out DIR)");
      }
    } else if (!fs::is_empty(root, code)) {
      throw Error(Fault::Input, root.string(), "has files in it that are not a run",
                  "choose an empty or new directory (--out DIR)");
    }
  }
  make_directory(root, Fault::Input);
  write_manifest(directory, manifest);
  make_directory(root / "frames");
  make_directory(root / "checkpoint");
  return directory;
}

}  // namespace isochor::run
