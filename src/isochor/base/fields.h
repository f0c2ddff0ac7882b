#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isochor {

/// What a number measures. Scenes and outputs are SI; a scene may write "12 kPa".
enum class Unit {
  None,
  Length,           ///< m
  Angle,            ///< rad
  Time,             ///< s
  Frequency,        ///< 1/s
  Pressure,         ///< Pa
  Density,          ///< kg/m^3
  Velocity,         ///< m/s
  AngularVelocity,  ///< rad/s
  Acceleration,     ///< m/s^2
  Force,            ///< N
  Energy,           ///< J
  Volume,           ///< m^3
  Bedding,          ///< stiffness per area, N/m^3
};

/// The SI symbol, empty for a plain number.
std::string_view symbol(Unit unit);

/// What values a number may take. Bounds are inclusive unless `open_*` is set.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open_min = false;
  bool open_max = false;

  static constexpr Range positive() { return {.min = 0, .open_min = true}; }
  static constexpr Range at_least(double low) { return {.min = low}; }
  static constexpr Range between(double low, double high) { return {.min = low, .max = high}; }
  bool contains(double value) const;  ///< NaN and infinities are in no range
  std::string text() const;           ///< "> 0", "0 to 0.5"
};

/// Where in a user's file something was said.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  std::string key;  ///< dotted path, "body[0].material"

  /// "scene.toml:12:3: body[0].material.young" ; pass a key to append one.
  std::string text(std::string_view sub_key = {}) const;
};

enum class Need { Optional, Required };

/// Walks the parameters of a struct. Every parameter struct has one function
///     void describe(FieldVisitor&, TheStruct&);
/// which lists each field once, with unit, range and meaning. Reading a scene, printing it with
/// every default resolved, and the reference in docs/ are three visitors over the same list.
/// The value a field has when visited is its default.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;

  virtual void flag(std::string_view name, bool& value, std::string_view doc) = 0;
  virtual void integer(std::string_view name, int& value, Range range, std::string_view doc,
                       Need need = Need::Optional) = 0;
  virtual void number(std::string_view name, double& value, Unit unit, Range range,
                      std::string_view doc, Need need = Need::Optional) = 0;
  /// A number that may be left out, with no default.
  virtual void number(std::string_view name, std::optional<double>& value, Unit unit, Range range,
                      std::string_view doc) = 0;
  virtual void vector(std::string_view name, std::span<double> value, Unit unit, Range range,
                      std::string_view doc, Need need = Need::Optional) = 0;
  virtual void text(std::string_view name, std::string& value, std::string_view doc,
                    Need need = Need::Optional) = 0;
  /// One of `options`, written as text.
  virtual void choice(std::string_view name, std::string& value,
                      std::span<const std::string_view> options, std::string_view doc,
                      Need need = Need::Optional) = 0;
  /// Stores where the table being described stands, for errors found later.
  virtual void place(Place& place) = 0;

  template <class T>
  void group(std::string_view name, T& value, std::string_view doc) {
    begin_group(name, doc);
    describe(*this, value);
    end_group();
  }
  /// An array of tables.
  template <class T>
  void list(std::string_view name, std::vector<T>& values, std::string_view doc) {
    values.resize(begin_list(name, values.size(), doc));
    for (std::size_t i = 0; i < values.size(); ++i) {
      begin_item(i);
      describe(*this, values[i]);
      end_item();
    }
    end_list();
  }

 protected:
  virtual void begin_group(std::string_view name, std::string_view doc) = 0;
  virtual void end_group() = 0;
  /// Returns how many items there are; `current` is how many the struct holds now.
  virtual std::size_t begin_list(std::string_view name, std::size_t current,
                                 std::string_view doc) = 0;
  virtual void begin_item(std::size_t index) = 0;
  virtual void end_item() = 0;
  virtual void end_list() = 0;
};

}  // namespace isochor
