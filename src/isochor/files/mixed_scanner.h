#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/files/number_type.h"

namespace isochor::files {

/// Walks over a file in which lines of text and numbers, as words or as bytes, follow each other.
/// Does not own the bytes. Errors name the file and the line, or the byte among bytes. Nothing is
/// allocated before what would fill it is known to be there.
class MixedScanner {
 public:
  /// `place` names the file.
  MixedScanner(std::string place, std::span<const std::byte> bytes);

  /// Up to the end of the line, without blanks around it. The empty line at the end of the file
  /// is not told from others: ask `at_end`.
  std::string_view line();
  /// The next word of this line or of one below; empty at the end of the file.
  std::string_view word();
  double number();
  std::int64_t integer();
  /// How many items follow, each of `bytes_each` at least; read as a word.
  std::size_t count(std::string_view what, std::size_t bytes_each);
  /// Refuses a number of items that the rest of the file cannot hold.
  std::size_t checked_count(double announced, std::string_view what, std::size_t bytes_each) const;

  /// From here on, numbers are bytes of these types.
  std::vector<double> raw_numbers(std::size_t count, const NumberType& type);
  template <class T>
  T raw() {
    T value;
    take_raw(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  /// The line end that may stand between bytes and text.
  void skip_line_end();

  /// Steps behind the next line that is, or ends with, `wanted`; false, and at the end, if there is
  /// none.
  bool skip_past(std::string_view wanted);
  /// The next line without taking it.
  std::string_view peek_line() const;

  bool at_end() const { return at_ == text_.size(); }
  std::size_t left() const { return text_.size() - at_; }
  const std::string& place() const { return place_; }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const;
  [[noreturn]] void fail_truncated(std::string_view what) const;

 private:
  void take_raw(std::span<std::byte> out);

  std::string place_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool in_bytes_ = false;  ///< the last thing read was bytes
};

}  // namespace isochor::files
