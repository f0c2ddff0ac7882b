#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isochor/files/field_file.h"
#include "isochor/files/tet_file.h"

/// Shared by the readers of tets.
namespace isochor::files {

/// The places of items by the numbers that a file gives them: in order as a rule, but any.
class IdTable {
 public:
  void add(std::int64_t id);
  /// To be called before `find`. Returns a number that two items have, if there is one.
  const std::int64_t* finish();
  /// -1 for an unknown number.
  std::int32_t find(std::int64_t id) const;
  std::size_t size() const { return count_; }

 private:
  /// From the first number; a huge one below it.
  std::uint64_t offset(std::int64_t id) const {
    return static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_);
  }

  std::int64_t first_ = 0;
  std::size_t count_ = 0;
  std::vector<std::pair<std::int64_t, std::int32_t>> sorted_;  ///< only if not in order
};

/// Collects what a reader finds and makes the file of it.
class TetBuilder {
 public:
  /// `place` names the file in errors.
  explicit TetBuilder(std::string place) : place_(std::move(place)) {}

  void add_point(const Vec3d& position) { file_.mesh.positions.push_back(position); }
  std::size_t point_count() const { return file_.mesh.positions.size(); }

  /// Corners must be points. `label` is the file's number for what the tet belongs to.
  void add_tet(const geometry::Tet& corners, std::int64_t label = 0) {
    file_.mesh.tets.push_back(corners);
    labels_.push_back(label);
  }
  std::size_t tet_count() const { return file_.mesh.tets.size(); }

  void name_label(std::int64_t label, std::string name) { names_[label] = std::move(name); }
  void set_labels(std::vector<std::int64_t> labels) { labels_ = std::move(labels); }
  /// A tet of which only the corners are taken.
  void note_second_order() { ++second_order_; }
  /// A cell that is no tet: "triangle", "triangles".
  void leave_out(std::string_view one, std::string_view many, std::size_t count = 1) {
    left_out_[{std::string(one), std::string(many)}] += count;
  }
  void note(std::string text) { file_.notes.push_back(std::move(text)); }
  TetFile& file() { return file_; }
  const std::string& place() const { return place_; }

  /// Refuses a file without tets and points that are not finite; drops points without tets and tets
  /// with equal corners, turns tets of negative volume, and notes all of it.
  TetFile finish();

 private:
  void note_left_out();
  void drop_collapsed();
  void drop_unused();
  void number_regions();

  std::string place_;
  TetFile file_;
  std::vector<std::int64_t> labels_;  ///< per tet
  std::map<std::int64_t, std::string> names_;
  std::map<std::pair<std::string, std::string>, std::size_t> left_out_;
  std::size_t second_order_ = 0;
};

/// The tets of a grid of VTK. Regions are those of an array of whole numbers on cells that has one
/// of the usual names.
TetFile tets_of(FieldFile grid);

}  // namespace isochor::files
