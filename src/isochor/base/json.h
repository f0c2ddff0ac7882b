#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isochor {

/// A JSON value to be printed: what the program writes for other programs. Members keep their
/// order; numbers are printed so that the same number is read back, those that are not finite as
/// null.
class Json {
 public:
  using Member = std::pair<std::string, Json>;

  Json(std::nullptr_t = nullptr) : text_("null") {}  // NOLINT: values convert by themselves
  Json(double value);                                // NOLINT
  Json(std::string_view value);                      // NOLINT
  Json(const std::string& value) : Json(std::string_view(value)) {}  // NOLINT
  Json(const char* value) : Json(std::string_view(value)) {}         // NOLINT
  template <std::integral T>
  Json(T value) {  // NOLINT
    if constexpr (std::same_as<T, bool>) {
      text_ = value ? "true" : "false";
    } else {
      text_ = std::to_string(value);
    }
  }
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}  // NOLINT
  /// An object.
  Json(std::initializer_list<Member> members) : kind_(Kind::Object), members_(members) {}

  static Json object() { return Json(Kind::Object); }
  static Json array() { return Json(Kind::Array); }
  /// An array of f(item).
  template <class Items, class F>
  static Json array(const Items& items, F&& f) {
    Json result = array();
    for (const auto& item : items) result.push_back(f(item));
    return result;
  }

  void push_back(Json value) { members_.emplace_back("", std::move(value)); }
  void add(std::string key, Json value) { members_.emplace_back(std::move(key), std::move(value)); }

  /// The document. Arrays and objects of plain values stay on one line if they are short.
  std::string text() const;

 private:
  enum class Kind { Plain, Object, Array };
  explicit Json(Kind kind) : kind_(kind) {}
  void print(std::string& out, std::size_t indent) const;

  Kind kind_ = Kind::Plain;
  std::string text_;  ///< of a plain value
  std::vector<Member> members_;
};

}  // namespace isochor
