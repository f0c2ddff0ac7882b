#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isochor/base/fields.h"
#include "isochor/scene/document.h"

namespace isochor::scene {

/// Fills a parameter struct from a document, field by field as it is described, so that a
/// description may depend on values read before. Strict: what is missing, misplaced, misspelled or
/// out of range is an input error with its place and a remedy.
class Reader final : public FieldVisitor {
 public:
  /// The document must outlive the reader.
  explicit Reader(const Document& document);

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

  /// Refuses the keys of the outermost table that nothing asked for. Inner tables are checked as
  /// soon as their description ends.
  void finish();

 protected:
  void begin_group(std::string_view name, std::string_view doc) override;
  void end_group() override;
  std::size_t begin_list(std::string_view name, std::size_t current, std::string_view doc) override;
  void begin_item(std::size_t index) override;
  void end_item() override;
  void end_list() override;

 private:
  /// A table or list being described.
  struct Level {
    std::string key;               ///< dotted path
    Mark mark;                     ///< of the nearest table that is in the file
    const Table* table = nullptr;  ///< null for a list, and where the file has none
    const Array* items = nullptr;  ///< null for a table, and where the file has none
    std::vector<std::string> visited = {};
  };

  /// The value of a key, or null where it may be left out.
  const Value* look_up(std::string_view name, std::string_view doc, Need need,
                       std::string_view expected);
  double to_number(const Value& value, const std::string& key, Unit unit, Range range) const;
  std::string key_of(std::string_view name) const;
  std::string place_text(Mark mark, const std::string& key) const;
  [[noreturn]] void fail(Mark mark, const std::string& key, std::string problem,
                         std::string remedy) const;
  [[noreturn]] void fail_type(const Value& value, const std::string& key, std::string_view expected,
                              std::string remedy) const;
  /// A required key is missing: if one that looks like it stands there, that one is the mistake.
  void refuse_misspelling(std::string_view name) const;
  void refuse_unvisited_keys() const;
  [[noreturn]] void refuse(const Entry& entry, const std::vector<std::string_view>& known) const;

  const Document& document_;
  std::vector<Level> levels_;
};

/// Reads the whole document into `value`, which holds the defaults.
template <class T>
void read(const Document& document, T& value) {
  Reader reader(document);
  describe(reader, value);
  reader.finish();
}

}  // namespace isochor::scene
