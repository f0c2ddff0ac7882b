#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "isochor/base/error.h"

namespace isochor::files {

static_assert(std::endian::native == std::endian::little, "files are copies of memory");

/// A number of the same size on every machine.
template <class T>
concept Number = (std::integral<T> && !std::same_as<T, bool>) || std::floating_point<T>;

/// Contiguous values stored as their bytes. Structs with padding would make files differ at random.
template <class R>
concept PlainRange =
    std::ranges::contiguous_range<R> && !std::convertible_to<const R&, std::string_view> &&
    std::is_trivially_copyable_v<std::ranges::range_value_t<R>>;

/// Collects a file's bytes, little endian.
class ByteWriter {
 public:
  template <Number T>
  void put(T value) {
    append(std::as_bytes(std::span(&value, 1)));
  }
  /// A 64-bit count, then the characters.
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    append(std::as_bytes(std::span(text)));
  }
  /// A 64-bit count, then the values.
  template <PlainRange R>
  void put(const R& values) {
    put(std::uint64_t{std::ranges::size(values)});
    append(std::as_bytes(std::span(values)));
  }
  /// The bytes alone.
  void append(std::span<const std::byte> bytes);

  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what ByteWriter wrote. Does not own the bytes. Nothing is allocated before the bytes that
/// would fill it are known to be there, so a damaged count cannot exhaust memory.
class ByteReader {
 public:
  /// `place` names the file in errors.
  ByteReader(std::string place, std::span<const std::byte> bytes)
      : place_(std::move(place)), rest_(bytes) {}

  template <Number T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string get_string();
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> get_vector() {
    const std::size_t count = get_count(sizeof(T));
    const std::span<const std::byte> bytes = take(count * sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  /// How many items follow, each of at least `bytes_each` bytes.
  std::size_t get_count(std::size_t bytes_each);

  std::size_t left() const { return rest_.size(); }
  /// Refuses bytes that nobody asked for.
  void expect_end() const;
  /// Refuses the file: its bytes are whole, their meaning is not.
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  std::span<const std::byte> take(std::size_t count);

  std::string place_;
  std::span<const std::byte> rest_;
};

/// The eight characters that say what kind of file this is.
struct Magic {
  std::array<char, 8> text;
  consteval Magic(const char (&literal)[9])  // NOLINT: "ISOFRAME" should convert by itself
      : text(std::to_array({literal[0], literal[1], literal[2], literal[3], literal[4], literal[5],
                            literal[6], literal[7]})) {}
  std::string_view view() const { return {text.data(), text.size()}; }
};

/// The envelope of every binary file: magic, format version, payload, and last a 64-bit hash of all
/// that precedes it.
std::vector<std::byte> seal(Magic magic, std::uint32_t version, std::span<const std::byte> payload);

/// A file that may well be whole, but is of another format version. Who replaces damaged files must
/// not replace this one.
class VersionError : public Error {
 public:
  VersionError(const std::filesystem::path& path, std::uint32_t found, std::uint32_t expected);
};

/// A reader of the payload. Refuses a foreign file, another format version and damage. `bytes` must
/// outlive the reader.
ByteReader open_sealed(const std::filesystem::path& path, std::span<const std::byte> bytes,
                       Magic magic, std::uint32_t version);
ByteReader open_sealed(const std::filesystem::path& path, std::vector<std::byte>&& bytes,
                       Magic magic, std::uint32_t version) = delete;

/// The hash that ends a file made by `seal`.
std::uint64_t sealed_hash(std::span<const std::byte> sealed);

}  // namespace isochor::files
