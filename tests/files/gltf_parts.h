#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace isochor::files {

/// The bytes of numbers, one after the other.
template <class T>
std::string bytes_of(std::initializer_list<T> numbers) {
  return {reinterpret_cast<const char*>(numbers.begin()), numbers.size() * sizeof(T)};
}

/// A .glb file; chunks are padded to multiples of four bytes.
inline std::string glb(std::string json, std::string binary) {
  json.resize((json.size() + 3) / 4 * 4, ' ');
  binary.resize((binary.size() + 3) / 4 * 4, '\0');
  const auto number = [](std::size_t n) { return bytes_of({static_cast<std::uint32_t>(n)}); };
  return "glTF" + number(2) + number(28 + json.size() + binary.size()) + number(json.size()) +
         "JSON" + json + number(binary.size()) + std::string("BIN\0", 4) + binary;
}

/// Three vertices in the xy plane as floats, then their indices 0 1 2 in two bytes each.
inline std::string triangle_bytes() {
  return bytes_of<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}) + bytes_of<std::uint16_t>({0, 1, 2});
}

/// The lists that describe triangle_bytes: accessors 0 (positions) and 1 (indices).
inline const std::string kTriangleData =
    R"("asset": {"version": "2.0"}, "buffers": [{"byteLength": 42}],
       "bufferViews": [{"buffer": 0, "byteLength": 36},
                       {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
       "accessors": [
         {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
         {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}])";

/// A mesh of that triangle.
inline const std::string kTriangleMesh =
    R"("meshes": [{"name": "skin", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}])";

}  // namespace isochor::files
