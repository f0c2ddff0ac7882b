#pragma once

#include <map>
#include <string>
#include <vector>

#include "isochor/base/fields.h"

namespace isochor {

/// Notes what a describe function lists: names in order, and the range and unit of each number.
class FieldRecorder : public FieldVisitor {
 public:
  struct Number {
    Unit unit = Unit::None;
    Range range;
    bool required = false;
  };
  std::vector<std::string> names;
  std::map<std::string, Number> numbers;
  std::map<std::string, std::vector<std::string>> options;
  std::size_t list_length = 0;  ///< what begin_list answers

  void flag(std::string_view name, bool&, std::string_view) override { add(name); }
  void integer(std::string_view name, int&, Range range, std::string_view, Need need) override {
    add(name, Unit::None, range, need);
  }
  void number(std::string_view name, double&, Unit unit, Range range, std::string_view,
              Need need) override {
    add(name, unit, range, need);
  }
  void number(std::string_view name, std::optional<double>&, Unit unit, Range range,
              std::string_view) override {
    add(name, unit, range, Need::Optional);
  }
  void vector(std::string_view name, std::span<double>, Unit unit, Range range, std::string_view,
              Need need) override {
    add(name, unit, range, need);
  }
  void text(std::string_view name, std::string&, std::string_view, Need) override { add(name); }
  void choice(std::string_view name, std::string&, std::span<const std::string_view> allowed,
              std::string_view, Need) override {
    add(name);
    options[std::string(name)] = {allowed.begin(), allowed.end()};
  }
  void place(Place&) override {}

 protected:
  void begin_group(std::string_view name, std::string_view) override {
    add(std::string(name) + "{");
  }
  void end_group() override { add("}"); }
  std::size_t begin_list(std::string_view name, std::size_t, std::string_view) override {
    add(std::string(name) + "[");
    return list_length;
  }
  void begin_item(std::size_t index) override { add(std::to_string(index) + ":"); }
  void end_item() override {}
  void end_list() override { add("]"); }

 private:
  void add(std::string_view name) { names.emplace_back(name); }
  void add(std::string_view name, Unit unit, Range range, Need need) {
    add(name);
    numbers[std::string(name)] = {unit, range, need == Need::Required};
  }
};

}  // namespace isochor
