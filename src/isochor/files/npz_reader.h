#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isochor/files/number_type.h"

namespace isochor::files {

/// One array of an .npz file.
struct NpzArray {
  std::string name;
  std::string type;                   ///< as numpy writes it: "<f8", "|b1", "<U5"
  std::optional<NumberType> numbers;  ///< nothing if the type is none of those that are read
  std::vector<std::size_t> shape;     ///< empty for a single number
  bool fortran_order = false;         ///< the first index runs fastest
  std::vector<std::byte> bytes;

  std::size_t count() const;  ///< of numbers
  /// All numbers, the last index fastest. Only for arrays of numbers.
  std::vector<double> values() const;
};

/// The arrays that numpy.savez or numpy.savez_compressed wrote. Truth values and whole numbers of
/// any size are read, and floating ones of 4 and 8 bytes; arrays of another type come without
/// `numbers`. Arrays of Python objects hold code and are never read.
std::vector<NpzArray> read_npz(const std::filesystem::path& path);
/// The same from memory; `place` names the file in errors.
std::vector<NpzArray> read_npz(const std::string& place, std::span<const std::byte> bytes);

}  // namespace isochor::files
