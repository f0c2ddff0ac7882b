#pragma once

#include <span>
#include <string>
#include <vector>

#include "isochor/base/function_ref.h"
#include "isochor/base/json.h"
#include "isochor/geometry/mesh_report.h"

/// How commands speak of meshes, whatever these are made of.
namespace isochor::app {

/// How a kind of defect is spoken of.
struct DefectText {
  const char* key;      ///< in JSON
  const char* one;      ///< of it there is
  const char* many;     ///< of it there are
  const char* indices;  ///< what the indices of a place are
  const char* meaning;  ///< for a simulation
};

/// "1 edge", "5 edges".
std::string counted(std::int64_t count, const char* one, const char* many);
/// "[x y z]", without the sign that a zero may have.
std::string text(const Vec3d& p);
/// "a", "a and b", "a, b and c".
std::string enumerated(const std::vector<std::string>& words);

/// A line of a report: a name and its value, in columns.
void print_line(const char* name, const std::string& value);
void print_size(const geometry::Bounds& bounds);
void print_edges(const geometry::EdgeLengths& edges);
/// Kinds that are there, with places, then those that are not. `more(kind)` may add a line to one.
void print_defects(std::span<const DefectText> names, std::span<const geometry::DefectList> lists,
                   FunctionRef<void(std::size_t)> more);

Json to_json(const Vec3d& p);
Json to_json(const geometry::Bounds& box);
Json to_json(const geometry::EdgeLengths& edges);
/// All kinds, by their keys.
Json to_json(std::span<const DefectText> names, std::span<const geometry::DefectList> lists);

}  // namespace isochor::app
