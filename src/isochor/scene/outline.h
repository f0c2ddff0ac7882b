#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isochor/base/fields.h"

namespace isochor::scene {

/// One field of a parameter struct as text, with its value.
struct OutlineField {
  std::string name = {};
  std::string type = {};   ///< "number", "3 numbers", "text", ...
  std::string unit = {};   ///< SI symbol, empty for a plain number
  std::string range = {};  ///< or the options of a choice; empty for no limit
  std::string value = {};  ///< as TOML; empty for an optional number that is absent
  std::string doc = {};
  bool required = false;
};

/// A group, a list, or one item of a list. Lists have only items as children.
struct OutlineSection {
  enum class Kind { Group, List, Item };

  Kind kind = Kind::Group;
  std::string name;  ///< empty for the outermost one and for items
  std::string doc;
  std::vector<OutlineField> fields = {};
  std::vector<OutlineSection> children = {};
};

/// Collects what a description says, for the printers to lay out.
class Outline final : public FieldVisitor {
 public:
  /// What to do with a list that has no items: a printer of values keeps it, the reference wants
  /// to see what an item looks like.
  enum class EmptyLists { Keep, ShowOneItem };

  explicit Outline(EmptyLists empty_lists);

  const OutlineSection& root() const { return open_.front(); }

  void flag(std::string_view name, bool& value, std::string_view doc) override;
  void integer(std::string_view name, int& value, Range range, std::string_view doc,
               Need need) override;
  void number(std::string_view name, double& value, Unit unit, Range range, std::string_view doc,
              Need need) override;
  void number(std::string_view name, std::optional<double>& value, Unit unit, Range range,
              std::string_view doc) override;
  void vector(std::string_view name, std::span<double> value, Unit unit, Range range,
              std::string_view doc, Need need) override;
  void text(std::string_view name, std::string& value, std::string_view doc, Need need) override;
  void choice(std::string_view name, std::string& value, std::span<const std::string_view> options,
              std::string_view doc, Need need) override;
  void place(Place& place) override;

 protected:
  void begin_group(std::string_view name, std::string_view doc) override;
  void end_group() override;
  std::size_t begin_list(std::string_view name, std::size_t current, std::string_view doc) override;
  void begin_item(std::size_t index) override;
  void end_item() override;
  void end_list() override;

 private:
  void add(OutlineField field) { open_.back().fields.push_back(std::move(field)); }
  void close_section();

  EmptyLists empty_lists_;
  std::vector<OutlineSection> open_;  ///< the outermost section first
};

}  // namespace isochor::scene
