#include "app/mesh_words.h"

#include <fmt/core.h>

namespace isochor::app {
namespace {

using geometry::DefectList;
using geometry::DefectPlace;

Json defect_json(const DefectList& list, const DefectText& name) {
  const auto place = [&](const DefectPlace& p) -> Json {
    const auto [a, b] = p.indices;
    const Json which = b < 0 ? Json(a) : Json::array(p.indices, [](auto i) { return Json(i); });
    return {{name.indices, which}, {"at", to_json(p.position)}};
  };
  return {
      {"count", list.count}, {"meaning", name.meaning}, {"first", Json::array(list.first, place)}};
}

}  // namespace

std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string text(const Vec3d& p) {
  return fmt::format("[{:.6g} {:.6g} {:.6g}]", p[0] + 0.0, p[1] + 0.0, p[2] + 0.0);
}

std::string enumerated(const std::vector<std::string>& words) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) all += i + 1 == words.size() ? " and " : ", ";
    all += words[i];
  }
  return all;
}

void print_line(const char* name, const std::string& value) {
  fmt::print("{:<12} {}\n", name, value);
}

void print_size(const geometry::Bounds& bounds) {
  const Vec3d size = bounds.size();
  print_line("size", fmt::format("{:.6g} x {:.6g} x {:.6g}, from {} to {}", size[0], size[1],
                                 size[2], text(bounds.low), text(bounds.high)));
}

void print_edges(const geometry::EdgeLengths& e) {
  print_line("edges",
             fmt::format("{:.4g} to {:.4g}, median {:.4g}", e.smallest, e.largest, e.median));
}

void print_defects(std::span<const DefectText> names, std::span<const DefectList> lists,
                   FunctionRef<void(std::size_t)> more) {
  std::vector<std::string> absent;
  for (std::size_t d = 0; d < names.size(); ++d) {
    const DefectText& name = names[d];
    const DefectList& list = lists[d];
    if (list.count == 0) {
      absent.emplace_back(name.many);
      continue;
    }
    fmt::print("\n{}: {}\n", counted(list.count, name.one, name.many), name.meaning);
    more(d);
    for (const DefectPlace& place : list.first) {
      const auto [a, b] = place.indices;
      fmt::print("  {:<9}{:<17} at {}\n", name.indices,
                 b < 0 ? std::to_string(a) : fmt::format("{}, {}", a, b), text(place.position));
    }
    const auto listed = static_cast<std::int64_t>(list.first.size());
    if (list.count > listed) fmt::print("  and {} more\n", list.count - listed);
  }
  if (!absent.empty()) fmt::print("\nno {}\n", enumerated(absent));
  if (absent.size() < names.size()) fmt::print("indices count from 0\n");
}

Json to_json(const Vec3d& p) {
  return Json::array(p.e, [](double x) { return Json(x); });
}

Json to_json(const geometry::Bounds& box) {
  return {{"low", to_json(box.low)}, {"high", to_json(box.high)}};
}

Json to_json(const geometry::EdgeLengths& e) {
  return {{"smallest", e.smallest}, {"median", e.median}, {"largest", e.largest}};
}

Json to_json(std::span<const DefectText> names, std::span<const DefectList> lists) {
  Json all = Json::object();
  for (std::size_t d = 0; d < names.size(); ++d) {
    all.add(names[d].key, defect_json(lists[d], names[d]));
  }
  return all;
}

}  // namespace isochor::app
