#pragma once

#include <concepts>
#include <initializer_list>

#include "isochor/files/byte_stream.h"
#include "isochor/files/streamed_file.h"

namespace isochor::files {

/// What numpy calls a type.
template <class T>
constexpr std::string_view numpy_type() {
  if constexpr (std::same_as<T, float>) return "<f4";
  if constexpr (std::same_as<T, double>) return "<f8";
  if constexpr (std::same_as<T, std::int32_t>) return "<i4";
}

/// Writes an .npz file: a zip archive of arrays in numpy's own format, not compressed. Arrays may
/// be larger than memory, and larger than 4 GiB.
class NpzArchive {
 public:
  /// Sizes and places above `largest_plain` go into the 64-bit fields of the archive's directory,
  /// which not all readers know; only tests have a reason to lower it.
  explicit NpzArchive(std::filesystem::path path, std::uint64_t largest_plain = 0xfffffffe)
      : file_(std::move(path)), largest_plain_(largest_plain) {}

  /// A whole array; rows are stored one after the other.
  template <Number T>
  void add(std::string_view name, std::initializer_list<std::size_t> shape,
           std::span<const T> values) {
    begin<T>(name, shape);
    append(values);
    end();
  }

  /// The same in pieces: begin, any number of append, end.
  template <Number T>
  void begin(std::string_view name, std::initializer_list<std::size_t> shape) {
    begin_array(name, numpy_type<T>(), sizeof(T), shape);
  }
  template <Number T>
  void append(std::span<const T> values) {
    append_bytes(std::as_bytes(values));
  }
  void end();

  /// Puts the file in its place.
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint64_t offset = 0;  ///< of its local header
    std::uint64_t size = 0;
    std::uint32_t crc = 0;
  };

  void begin_array(std::string_view name, std::string_view type, std::size_t number_size,
                   std::span<const std::size_t> shape);
  void append_bytes(std::span<const std::byte> bytes);
  ByteWriter directory_entry(const Member& member) const;

  StreamedFile file_;
  std::uint64_t largest_plain_;
  std::vector<Member> members_;
  std::uint64_t missing_ = 0;  ///< bytes that the open array still needs
};

}  // namespace isochor::files
