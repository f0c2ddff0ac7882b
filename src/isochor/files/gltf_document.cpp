#include "isochor/files/gltf_document.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <utility>

#include "isochor/base/error.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

std::size_t size_of(GltfType type) {
  switch (type) {
    case GltfType::Int8:
    case GltfType::Uint8:
      return 1;
    case GltfType::Int16:
    case GltfType::Uint16:
      return 2;
    default:
      return 4;
  }
}

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// A number as a float; whole ones that are normalised come from 0..1 or -1..1.
float load_float(GltfType type, bool normalized, const std::byte* bytes) {
  float value = 0, whole = 1;
  switch (type) {
    case GltfType::Int8:
      value = load<std::int8_t>(bytes);
      whole = 127;
      break;
    case GltfType::Uint8:
      value = load<std::uint8_t>(bytes);
      whole = 255;
      break;
    case GltfType::Int16:
      value = load<std::int16_t>(bytes);
      whole = 32767;
      break;
    case GltfType::Uint16:
      value = load<std::uint16_t>(bytes);
      whole = 65535;
      break;
    case GltfType::Uint32:
      return static_cast<float>(load<std::uint32_t>(bytes));
    case GltfType::Float32:
      return load<float>(bytes);
  }
  return normalized ? std::max(value / whole, -1.0f) : value;
}

std::uint32_t load_integer(GltfType type, const std::byte* bytes) {
  switch (type) {
    case GltfType::Uint8:
      return load<std::uint8_t>(bytes);
    case GltfType::Uint16:
      return load<std::uint16_t>(bytes);
    default:
      return load<std::uint32_t>(bytes);
  }
}

bool is_unsigned(GltfType type) {
  return type == GltfType::Uint8 || type == GltfType::Uint16 || type == GltfType::Uint32;
}

/// Elements at equal distances in a buffer.
struct Elements {
  const std::byte* first = nullptr;
  std::size_t stride = 0;
  const std::byte* operator[](std::size_t i) const { return first + i * stride; }
};

/// Reads one accessor; `Load` turns the bytes at a pointer into a Number.
template <class Number, class Load>
class AccessorReader {
 public:
  AccessorReader(const GltfDocument& document, std::size_t index, Load load)
      : document_(document),
        accessor_(document.accessors[index]),
        where_(fmt::format("accessors[{}]", index)),
        load_(load) {}

  std::vector<Number> read() const {
    const std::size_t element = accessor_.components * size_of(accessor_.type);
    std::vector<Number> numbers;
    if (accessor_.view) {
      const Elements elements = locate(*accessor_.view, accessor_.offset, element, accessor_.count);
      numbers.resize(accessor_.count * accessor_.components);
      for (std::size_t i = 0; i < accessor_.count; ++i) copy(elements[i], i, numbers);
    } else {
      // Zeros take no bytes; but no honest file has more of them than it has bytes.
      if (accessor_.count > document_.size) {
        fail(fmt::format("announces {} elements without data", accessor_.count));
      }
      numbers.resize(accessor_.count * accessor_.components);
    }
    if (accessor_.sparse) replace(*accessor_.sparse, element, numbers);
    return numbers;
  }

 private:
  [[noreturn]] void fail(std::string problem) const {
    document_.fail(where_, std::move(problem), kExportAgain);
  }

  void copy(const std::byte* from, std::size_t element, std::vector<Number>& numbers) const {
    for (std::size_t c = 0; c < accessor_.components; ++c) {
      numbers[element * accessor_.components + c] = load_(from + c * size_of(accessor_.type));
    }
  }

  void replace(const GltfAccessor::Sparse& sparse, std::size_t element,
               std::vector<Number>& numbers) const {
    if (!is_unsigned(sparse.index_type)) fail("has sparse indices that are no whole numbers");
    const Elements indices =
        locate(sparse.index_view, sparse.index_offset, size_of(sparse.index_type), sparse.count);
    const Elements values = locate(sparse.value_view, sparse.value_offset, element, sparse.count);
    for (std::size_t i = 0; i < sparse.count; ++i) {
      const std::size_t target = load_integer(sparse.index_type, indices[i]);
      if (target >= accessor_.count) {
        fail(fmt::format("replaces element {}, but has {}", target, accessor_.count));
      }
      copy(values[i], target, numbers);
    }
  }

  /// Where `count` elements begin, all of which are known to be there.
  Elements locate(std::size_t view_index, std::size_t offset, std::size_t element,
                  std::size_t count) const {
    const GltfView& view = document_.views[view_index];
    const std::vector<std::byte>& buffer = document_.buffers[view.buffer];
    if (view.offset > buffer.size() || view.length > buffer.size() - view.offset) {
      document_.fail(fmt::format("bufferViews[{}]", view_index),
                     fmt::format("ends at byte {} of a buffer of {}", view.offset + view.length,
                                 buffer.size()),
                     kExportAgain);
    }
    const std::size_t stride = view.stride == 0 ? element : view.stride;
    if (stride < element)
      fail(fmt::format("has elements of {} bytes at every {}", element, stride));
    const std::size_t room = offset > view.length ? 0 : view.length - offset;
    if (count > 0 && (room < element || count - 1 > (room - element) / stride)) {
      fail(fmt::format("announces {} elements, which do not fit into {} bytes", count, room));
    }
    return {buffer.data() + view.offset + std::min(offset, view.length), stride};
  }

  const GltfDocument& document_;
  const GltfAccessor& accessor_;
  std::string where_;
  Load load_;
};

}  // namespace

void GltfDocument::fail(const std::string& where, std::string problem, std::string remedy) const {
  throw Error(Fault::Input, where.empty() ? place : fmt::format("{}, {}", place, where),
              std::move(problem), std::move(remedy));
}

std::vector<float> read_floats(const GltfDocument& document, std::size_t accessor) {
  const auto load = [type = document.accessors[accessor].type,
                     normalized = document.accessors[accessor].normalized](const std::byte* bytes) {
    return load_float(type, normalized, bytes);
  };
  return AccessorReader<float, decltype(load)>(document, accessor, load).read();
}

std::vector<std::uint32_t> read_integers(const GltfDocument& document, std::size_t accessor) {
  const GltfType type = document.accessors[accessor].type;
  if (!is_unsigned(type)) {
    document.fail(fmt::format("accessors[{}]", accessor), "has no whole numbers from 0",
                  kExportAgain);
  }
  const auto load = [type](const std::byte* bytes) { return load_integer(type, bytes); };
  return AccessorReader<std::uint32_t, decltype(load)>(document, accessor, load).read();
}

}  // namespace isochor::files
