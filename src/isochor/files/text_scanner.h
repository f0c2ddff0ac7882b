#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isochor/math/vec3.h"

namespace isochor::files {

/// The same bytes as characters.
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether the last line lacks its end. Where a format has no mark at its end, a file that was cut
/// within its last number can be told by nothing else.
bool has_open_end(std::span<const std::byte> bytes);

/// A word of a file in quotes for a message, cut short and printable.
std::string in_quotes(std::string_view word);

/// The remedies for a file that is cut short or contradicts itself, and for a coordinate that is no
/// finite number.
inline constexpr const char* kExportAgain =
    "copy the file again from where it was whole, or export the mesh again";
inline constexpr const char* kMendVertex =
    "mend this vertex in the program that made the mesh and export it again";

/// A note on `has_open_end`.
inline constexpr const char* kOpenEnd =
    "its last line has no end: if the file was cut there, the last number is wrong";

/// What a line may hold beside words.
struct LineSyntax {
  bool comments = false;       ///< from a # that begins a word to the end of the line
  bool continuations = false;  ///< a backslash at the end joins the next line
};

/// Walks over the lines of a text and over the words of a line. Does not own the text. Errors name
/// the file and the line.
class TextScanner {
 public:
  /// `place` names the file. Throws if the file is so large that its numbers could not be counted
  /// in 32 bits.
  TextScanner(std::string place, std::string_view text, LineSyntax syntax);

  /// Steps to the next line, which may be blank; false at the end of the text.
  bool next_line();
  /// The same, past blank lines.
  bool next_filled_line();
  /// The next word of the line; empty at its end.
  std::string_view next_word();
  /// The next word of this line or of one below; empty at the end of the text.
  std::string_view next_word_anywhere();
  /// The words not taken yet, without the blanks around them. The line is used up by this.
  std::string_view rest_of_line();

  /// Infinite if too large for a double.
  double number(std::string_view word) const;
  std::int64_t integer(std::string_view word) const;
  /// Takes three finite coordinates; `vertex` counts from 1 and is for messages.
  Vec3d position(std::size_t vertex);

  const std::string& place() const { return place_; }
  std::int64_t line_number() const { return line_number_; }
  /// Bytes of the words and lines not taken yet.
  std::size_t left() const { return line_.size() + rest_.size(); }

  [[noreturn]] void fail(std::string problem, std::string remedy) const;
  /// About an earlier line.
  [[noreturn]] void fail_at(std::int64_t line, std::string problem, std::string remedy) const;

 private:
  std::string_view take_physical_line();

  std::string place_;
  std::string_view rest_;  ///< what no line has been taken from yet
  LineSyntax syntax_;
  std::int64_t lines_taken_ = 0;
  std::string_view line_;         ///< what no word has been taken from yet
  std::int64_t line_number_ = 0;  ///< of the first physical line of line_
  std::string joined_;            ///< holds line_ if it spans several
};

}  // namespace isochor::files
