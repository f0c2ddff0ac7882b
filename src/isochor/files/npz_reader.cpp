#include "isochor/files/npz_reader.h"

#include <charconv>
#include <fmt/core.h>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/text_scanner.h"
#include "isochor/files/zip_reader.h"

namespace isochor::files {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY", kExtension = ".npy";

/// What a type of numpy says about its numbers: byte order, kind, size.
std::optional<NumberType> number_type(std::string_view type) {
  if (type.size() != 3 || std::string_view("<>|=").find(type[0]) == type.npos) return {};
  const auto size = static_cast<std::size_t>(type[2] - '0');
  const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
  const bool big_endian = type[0] == '>';
  switch (type[1]) {
    case 'b':
      if (size == 1) return NumberType{NumberKind::Unsigned, 1, false};
      return {};
    case 'i':
      if (whole) return NumberType{NumberKind::Signed, size, big_endian};
      return {};
    case 'u':
      if (whole) return NumberType{NumberKind::Unsigned, size, big_endian};
      return {};
    case 'f':
      if (size == 4 || size == 8) return NumberType{NumberKind::Floating, size, big_endian};
      return {};
    default:
      return {};
  }
}

/// Reads the header of an array: a Python dictionary with three known keys.
class HeaderParser {
 public:
  HeaderParser(const std::string& place, std::string_view text, NpzArray& array)
      : place_(place), rest_(text), array_(array) {}

  void parse() {
    expect('{');
    int known = 0;
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        read_type();
      } else if (key == "fortran_order") {
        read_order();
      } else if (key == "shape") {
        read_shape();
      } else {
        fail(fmt::format("the unknown key {}", in_quotes(key)));
      }
      ++known;
      if (!accept(',') && !next_is('}')) fail("no comma between two keys");
    }
    if (known != 3) fail("not the three keys descr, fortran_order and shape");
  }

 private:
  [[noreturn]] void fail(const std::string& found) const {
    throw Error(Fault::Input, place_,
                fmt::format("the header of {} has {}", in_quotes(array_.name), found),
                "save the array again with numpy.savez");
  }
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) {
      rest_.remove_prefix(1);
    }
  }
  bool next_is(char c) {
    skip_blanks();
    return rest_.starts_with(c);
  }
  bool accept(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("no '{}' where one must be", c));
  }
  std::string_view quoted() {
    skip_blanks();
    const char quote = next_is('"') ? '"' : '\'';
    expect(quote);
    const std::size_t end = rest_.find(quote);
    if (end == rest_.npos) fail("a text without end");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  /// A type of several parts is a list, which holds brackets in quotes only if someone is nasty.
  void read_type() {
    if (!next_is('[')) {
      array_.type = quoted();
      return;
    }
    int depth = 0;
    std::size_t end = 0;
    do {
      if (end == rest_.size()) fail("a list without end");
      depth += rest_[end] == '[' ? 1 : rest_[end] == ']' ? -1 : 0;
      ++end;
    } while (depth > 0);
    array_.type = rest_.substr(0, end);
    rest_.remove_prefix(end);
  }
  void read_order() {
    skip_blanks();
    array_.fortran_order = rest_.starts_with("True");
    if (!array_.fortran_order && !rest_.starts_with("False")) fail("neither True nor False");
    rest_.remove_prefix(array_.fortran_order ? 4 : 5);
  }
  void read_shape() {
    expect('(');
    array_.shape.clear();
    while (!accept(')')) {
      std::size_t size = 0;
      skip_blanks();
      const auto [stop, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (code != std::errc{}) fail("a shape that is not made of whole numbers");
      rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
      array_.shape.push_back(size);
      if (!accept(',') && !next_is(')')) fail("no comma between two sizes");
    }
  }

  const std::string& place_;
  std::string_view rest_;
  NpzArray& array_;
};

/// The product of all sizes, or nothing if it is beyond all memory.
std::optional<std::size_t> checked_count(std::span<const std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t n : shape) {
    if (n > 0 && count > std::numeric_limits<std::size_t>::max() / sizeof(double) / n) return {};
    count *= n;
  }
  return count;
}

/// An array in numpy's own format [NEP 1]: magic, version, size of the header, header, numbers.
NpzArray parse_array(const std::string& place, std::string name,
                     const std::vector<std::byte>& file) {
  NpzArray array{.name = std::move(name)};
  const auto fail = [&](const std::string& problem) {
    throw Error(Fault::Input, place, fmt::format("{} {}", in_quotes(array.name), problem),
                "save the array again with numpy.savez");
  };
  const std::string_view text = text_of(file);
  if (text.size() < 10 || !text.starts_with(kMagic)) fail("is no array of numpy");
  const auto byte = [&](std::size_t at) { return std::to_integer<std::size_t>(file[at]); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) fail(fmt::format("has the unknown version {}", version));
  const std::size_t start = version == 1 ? 10 : 12;
  if (text.size() < start) fail("is truncated");
  std::size_t size = byte(8) | byte(9) << 8;
  if (version > 1) size |= byte(10) << 16 | byte(11) << 24;
  if (size > text.size() - start) fail("is truncated");
  HeaderParser(place, text.substr(start, size), array).parse();
  array.numbers = number_type(array.type);
  if (!array.numbers) return array;
  const std::span<const std::byte> bytes = std::span(file).subspan(start + size);
  const std::optional<std::size_t> count = checked_count(array.shape);
  if (!count || *count != bytes.size() / array.numbers->size ||
      bytes.size() % array.numbers->size != 0) {
    fail(fmt::format("has {} bytes, its shape asks for another number", bytes.size()));
  }
  array.bytes.assign(bytes.begin(), bytes.end());
  return array;
}

}  // namespace

std::size_t NpzArray::count() const {
  std::size_t product = 1;
  for (const std::size_t n : shape) product *= n;
  return product;
}

std::vector<double> NpzArray::values() const {
  std::vector<double> stored = widened(bytes, numbers.value());
  if (!fortran_order || shape.size() < 2) return stored;
  // Walk over the indices with the last one fastest, and follow where each number is stored.
  std::vector<double> ordered;
  ordered.reserve(stored.size());
  std::vector<std::size_t> index(shape.size(), 0), stride(shape.size(), 1);
  for (std::size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
  std::size_t at = 0;
  while (ordered.size() < stored.size()) {
    ordered.push_back(stored[at]);
    for (std::size_t d = shape.size(); d-- > 0;) {
      at += stride[d];
      if (++index[d] < shape[d]) break;
      at -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
  return ordered;
}

std::vector<NpzArray> read_npz(const std::filesystem::path& path) {
  return read_npz(path.string(), read_file(path));
}

std::vector<NpzArray> read_npz(const std::string& place, std::span<const std::byte> bytes) {
  std::vector<NpzArray> arrays;
  for (const ZipMember& member : list_zip(place, bytes)) {
    if (!member.name.ends_with(kExtension)) continue;
    std::string name = member.name.substr(0, member.name.size() - kExtension.size());
    arrays.push_back(parse_array(place, std::move(name), extract(place, bytes, member)));
  }
  return arrays;
}

}  // namespace isochor::files
