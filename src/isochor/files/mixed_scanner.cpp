#include "isochor/files/mixed_scanner.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/core.h>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

std::string_view trimmed(std::string_view line) {
  const std::size_t start = line.find_first_not_of(kBlanks);
  if (start == line.npos) return {};
  return line.substr(start, line.find_last_not_of(kBlanks) + 1 - start);
}

}  // namespace

MixedScanner::MixedScanner(std::string place, std::span<const std::byte> bytes)
    : place_(std::move(place)), text_(text_of(bytes)) {}

std::string_view MixedScanner::peek_line() const {
  const std::string_view rest = text_.substr(at_);
  return trimmed(rest.substr(0, rest.find('\n')));
}

std::string_view MixedScanner::line() {
  const std::string_view line = peek_line();
  const std::size_t end = text_.find('\n', at_);
  at_ = end == text_.npos ? text_.size() : end + 1;
  in_bytes_ = false;
  return line;
}

std::string_view MixedScanner::word() {
  in_bytes_ = false;
  at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
  const std::size_t end = std::min(text_.find_first_of(kBlanks, at_), text_.size());
  const std::string_view word = text_.substr(at_, end - at_);
  at_ = end;
  return word;
}

double MixedScanner::number() {
  const std::string_view word = this->word();
  if (word.empty()) fail_truncated("numbers");
  const std::string_view digits = word.substr(word[0] == '+' ? 1 : 0);
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, code] = std::from_chars(digits.data(), end, value);
  if (code == std::errc::invalid_argument || stop != end) {
    fail(in_quotes(word) + " is not a number", kExportAgain);
  }
  if (code == std::errc::result_out_of_range) {
    // Too small is as good as zero, too large is not; a wider type can tell them apart.
    long double wide = std::numeric_limits<long double>::infinity();
    std::from_chars(digits.data(), end, wide);
    value = static_cast<double>(wide);
  }
  return value;
}

std::int64_t MixedScanner::integer() {
  const std::string_view word = this->word();
  if (word.empty()) fail_truncated("numbers");
  std::int64_t value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, code] = std::from_chars(word.data(), end, value);
  if (code != std::errc{} || stop != end) {
    fail(in_quotes(word) + " is not a whole number", kExportAgain);
  }
  return value;
}

std::size_t MixedScanner::checked_count(double announced, std::string_view what,
                                        std::size_t bytes_each) const {
  // The last item may lack its blank.
  const double most = static_cast<double>(left() + 1) / static_cast<double>(bytes_each);
  if (!(announced >= 0 && announced <= most)) {
    fail(fmt::format("{:.0f} {} announced, but only {} bytes follow", announced, what, left()),
         kExportAgain);
  }
  if (announced > std::numeric_limits<std::int32_t>::max()) {
    fail(fmt::format("{:.0f} {} are more than can be counted in 32 bits", announced, what),
         "make a coarser mesh");
  }
  return static_cast<std::size_t>(announced);
}

std::size_t MixedScanner::count(std::string_view what, std::size_t bytes_each) {
  return checked_count(static_cast<double>(integer()), what, bytes_each);
}

void MixedScanner::take_raw(std::span<std::byte> out) {
  in_bytes_ = true;
  if (out.size() > left()) fail_truncated("data");
  std::memcpy(out.data(), text_.data() + at_, out.size());
  at_ += out.size();
}

std::vector<double> MixedScanner::raw_numbers(std::size_t count, const NumberType& type) {
  in_bytes_ = true;
  if (count > left() / type.size) fail_truncated("data");
  const auto bytes = std::as_bytes(std::span(text_)).subspan(at_, count * type.size);
  at_ += bytes.size();
  return widened(bytes, type);
}

void MixedScanner::skip_line_end() {
  if (text_.substr(at_).starts_with("\r\n")) ++at_;
  if (text_.substr(at_).starts_with('\n')) ++at_;
}

bool MixedScanner::skip_past(std::string_view wanted) {
  while (!at_end()) {
    const std::size_t found = std::min(text_.find(wanted, at_), text_.size());
    at_ = found;
    if (found < text_.size() && line() == wanted) return true;
  }
  return false;
}

void MixedScanner::fail(const std::string& problem, const std::string& remedy) const {
  const auto lines = std::ranges::count(text_.substr(0, at_), '\n');
  const std::string where =
      in_bytes_ ? fmt::format("{}, byte {}", place_, at_) : fmt::format("{}:{}", place_, lines + 1);
  throw Error(Fault::Input, where, problem, remedy);
}

void MixedScanner::fail_truncated(std::string_view what) const {
  fail(fmt::format("truncated: the file ends within its {}", what), kExportAgain);
}

}  // namespace isochor::files
