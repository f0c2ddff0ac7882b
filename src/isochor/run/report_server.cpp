#include "isochor/run/report_server.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/core.h>

#include "isochor/base/file.h"

namespace isochor::run {
namespace {

namespace fs = std::filesystem;

/// The target without its query, %XX decoded; nothing where that cannot be a path.
std::optional<std::string> path_of(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  if (!target.starts_with('/')) return {};
  std::string path;
  for (std::size_t i = 0; i < target.size(); ++i) {
    char c = target[i];
    if (c == '%') {
      unsigned code = 0;
      const char* digits = target.data() + i + 1;
      if (i + 2 >= target.size() ||
          std::from_chars(digits, digits + 2, code, 16).ptr != digits + 2) {
        return {};
      }
      c = static_cast<char>(code);
      i += 2;
    }
    if (c == '\0' || c == '\\') return {};
    path += c;
  }
  return path;
}

std::string type_of(const fs::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".html") return "text/html; charset=utf-8";
  if (extension == ".json") return "application/json";
  if (extension == ".csv") return "text/csv; charset=utf-8";
  if (extension == ".png") return "image/png";
  return "application/octet-stream";
}

bool is_within(const fs::path& file, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), file.begin(), file.end()).first == root.end();
}

HttpResponse refuse(int status, std::string why) {
  return {.status = status, .body = std::move(why) + '\n'};
}

}  // namespace

HttpResponse answer_request(const RunDirectory& directory, int port, const HttpRequest& request) {
  const std::array names{fmt::format("127.0.0.1:{}", port), fmt::format("localhost:{}", port)};
  const auto is_ours = [&](std::string_view host) {
    return std::ranges::find(names, host) != names.end();
  };
  if (!is_ours(request.host)) return refuse(403, "this server has another name");
  if (request.origin && !(request.origin->starts_with("http://") &&
                          is_ours(std::string_view(*request.origin).substr(7)))) {
    return refuse(403, "a page of another origin may not read this run");
  }
  if (request.method != "GET" && request.method != "HEAD")
    return refuse(405, "only GET is answered");

  const std::optional<std::string> path = path_of(request.target);
  if (!path) return refuse(400, "this is no path");
  std::error_code code;
  const fs::path root = fs::canonical(directory.root, code);
  const fs::path wanted = *path == "/" ? directory.report() : root / path->substr(1);
  const fs::path file = code ? fs::path() : fs::canonical(wanted, code);
  // What is outside of the run is not there, whether or not it exists.
  if (code || !is_within(file, root) || !fs::is_regular_file(file, code)) {
    return refuse(404, "this run has no such file");
  }
  return {.status = 200, .type = type_of(file), .body = read_text_file(file)};
}

}  // namespace isochor::run
