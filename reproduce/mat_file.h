#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace isochor::reproduce {

/// The real, full, numeric arrays of a MATLAB file of level 5 by name, column after column, as
/// doubles. Everything else in it (structs, cells, text, sparse and complex arrays) is passed over.
/// A foreign or damaged file is an input error; so is one written on a big-endian machine.
using MatArrays = std::map<std::string, std::vector<double>>;
MatArrays read_mat_file(const std::filesystem::path& path);

/// The same of a file's bytes; `place` names it in errors.
MatArrays parse_mat(std::span<const std::byte> bytes, const std::string& place);

}  // namespace isochor::reproduce
