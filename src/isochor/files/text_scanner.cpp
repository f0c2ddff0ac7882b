#include "isochor/files/text_scanner.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <utility>

#include "isochor/base/error.h"

namespace isochor::files {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Only a # that begins a word begins a comment: 1.#INF is a broken number, not 1.
std::size_t comment_start(std::string_view line) {
  std::size_t at = line.find('#');
  while (at != line.npos && at > 0 && !is_space(line[at - 1])) at = line.find('#', at + 1);
  return at;
}

/// from_chars knows no leading plus.
std::string_view without_plus(std::string_view word) {
  const bool has_plus = word.size() > 1 && word[0] == '+' && word[1] != '-';
  return word.substr(has_plus ? 1 : 0);
}

}  // namespace

bool has_open_end(std::span<const std::byte> bytes) {
  return !bytes.empty() && bytes.back() != std::byte{'\n'} && bytes.back() != std::byte{'\r'};
}

std::string in_quotes(std::string_view word) {
  std::string text(word.substr(0, 24));
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", text, word.size() > text.size() ? "..." : "");
}

TextScanner::TextScanner(std::string place, std::string_view text, LineSyntax syntax)
    : place_(std::move(place)), rest_(text), syntax_(syntax) {
  // A number takes two characters, so below this no count leaves 32 bits.
  if (text.size() / 2 > std::numeric_limits<std::int32_t>::max()) {
    throw Error(Fault::Input, place_, "larger than 4 GiB",
                "simplify the mesh or split it into several bodies");
  }
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // byte order mark
}

void TextScanner::fail(std::string problem, std::string remedy) const {
  fail_at(line_number_, std::move(problem), std::move(remedy));
}

void TextScanner::fail_at(std::int64_t line, std::string problem, std::string remedy) const {
  throw Error(Fault::Input, fmt::format("{}:{}", place_, line), std::move(problem),
              std::move(remedy));
}

/// Up to the line's end, without comment and trailing blanks.
std::string_view TextScanner::take_physical_line() {
  const std::size_t end = rest_.find('\n');
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
  ++lines_taken_;
  if (syntax_.comments) line = line.substr(0, comment_start(line));
  while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
  return line;
}

bool TextScanner::next_line() {
  line_ = {};
  if (rest_.empty()) return false;
  line_ = take_physical_line();
  line_number_ = lines_taken_;
  if (!syntax_.continuations || !line_.ends_with('\\')) return true;
  joined_.clear();
  while (line_.ends_with('\\')) {
    joined_.append(line_.substr(0, line_.size() - 1)).push_back(' ');
    line_ = take_physical_line();
  }
  line_ = joined_.append(line_);
  return true;
}

bool TextScanner::next_filled_line() {
  while (next_line()) {
    if (!line_.empty()) return true;
  }
  return false;
}

std::string_view TextScanner::next_word() {
  std::size_t start = 0;
  while (start < line_.size() && is_space(line_[start])) ++start;
  std::size_t end = start;
  while (end < line_.size() && !is_space(line_[end])) ++end;
  const std::string_view word = line_.substr(start, end - start);
  line_.remove_prefix(end);
  return word;
}

std::string_view TextScanner::next_word_anywhere() {
  std::string_view word = next_word();
  while (word.empty() && next_line()) word = next_word();
  return word;
}

std::string_view TextScanner::rest_of_line() {
  while (!line_.empty() && is_space(line_.front())) line_.remove_prefix(1);
  return std::exchange(line_, {});
}

double TextScanner::number(std::string_view word) const {
  const std::string_view digits = without_plus(word);
  const char* end = digits.data() + digits.size();
  double value = 0;
  const auto [stop, code] = std::from_chars(digits.data(), end, value);
  if (code == std::errc::invalid_argument || stop != end) {
    fail(in_quotes(word) + " is not a number", "write numbers like -1.5 or 2e-3");
  }
  if (code == std::errc::result_out_of_range) {
    // Too small is as good as zero, too large is not; a wider type can tell them apart.
    long double wide = std::numeric_limits<long double>::infinity();
    std::from_chars(digits.data(), end, wide);
    value = static_cast<double>(wide);
  }
  return value;
}

std::int64_t TextScanner::integer(std::string_view word) const {
  const std::string_view digits = without_plus(word);
  const char* end = digits.data() + digits.size();
  std::int64_t value = 0;
  const auto [stop, code] = std::from_chars(digits.data(), end, value);
  if (code != std::errc{} || stop != end) {
    fail(in_quotes(word) + " is not a whole number", "write counts and indices like 12");
  }
  return value;
}

Vec3d TextScanner::position(std::size_t vertex) {
  Vec3d position{};
  for (int axis = 0; axis < 3; ++axis) {
    const std::string_view word = next_word();
    if (word.empty()) {
      fail(fmt::format("vertex {} has {} coordinates, expected 3", vertex, axis),
           "give every vertex x, y and z");
    }
    position[axis] = number(word);
    if (!std::isfinite(position[axis])) {
      fail(fmt::format("vertex {} has the coordinate {}, expected a finite number", vertex,
                       in_quotes(word)),
           kMendVertex);
    }
  }
  return position;
}

}  // namespace isochor::files
