#include "reproduce/mat_file.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <fmt/core.h>
#include <zlib.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"

namespace isochor::reproduce {
namespace {

using Bytes = std::span<const std::byte>;

/// Type codes of elements and classes of arrays, as MathWorks' "MAT-File Format" lists them.
enum class ElementType : std::uint32_t {
  Int8 = 1,
  Uint8,
  Int16,
  Uint16,
  Int32,
  Uint32,
  Single,
  Double = 9,
  Int64 = 12,
  Uint64,
  Matrix,
  Compressed
};
constexpr std::uint32_t kFirstNumericClass = 6, kLastNumericClass = 15, kComplexFlag = 0x800;
constexpr std::size_t kHeaderSize = 128;
/// Far more than any measurement; what claims more is damaged or hostile.
constexpr std::size_t kMostBytes = std::size_t{1} << 28;

struct Element {
  ElementType type;
  Bytes data;
};

class MatParser {
 public:
  explicit MatParser(std::string place) : place_(std::move(place)) {}

  MatArrays parse(Bytes bytes) {
    if (bytes.size() < kHeaderSize) fail("is too short for a MATLAB file");
    const auto mark = read<std::uint16_t>(bytes.subspan(126));
    const auto version = read<std::uint16_t>(bytes.subspan(124));
    if (mark == 0x494d && version == 0x0001) fail("was written on a big-endian machine");
    if (mark != 0x4d49 || version != 0x0100) fail("is not a MATLAB file of level 5");
    for (Bytes rest = bytes.subspan(kHeaderSize); !rest.empty();) add(next(rest));
    return std::move(arrays_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(Fault::Input, place_, problem,
                "save it again in MATLAB with: save(name, '-v7') on a usual computer");
  }

  template <class T>
  T read(Bytes from) const {
    if (from.size() < sizeof(T)) fail("ends in the middle of a number");
    T value;
    std::memcpy(&value, from.data(), sizeof value);
    return value;
  }

  /// Takes the next element off `rest`. Elements begin at multiples of eight bytes, but for those
  /// that follow a compressed one.
  Element next(Bytes& rest) const {
    const auto type = read<std::uint32_t>(rest);
    if (const std::uint32_t small = type >> 16; small != 0) {
      // Up to four bytes of data in place of the size.
      if (small > 4 || rest.size() < 8) fail("has an element whose size is wrong");
      const Element element{ElementType(type & 0xffff), rest.subspan(4, small)};
      rest = rest.subspan(8);
      return element;
    }
    const std::size_t size = read<std::uint32_t>(rest.subspan(4));
    if (size > rest.size() - 8) {
      fail(fmt::format("is truncated: {} bytes announced, {} left", size, rest.size() - 8));
    }
    const Element element{ElementType(type), rest.subspan(8, size)};
    const std::size_t padded = element.type == ElementType::Compressed ? size : (size + 7) / 8 * 8;
    rest = rest.subspan(std::min(8 + padded, rest.size()));
    return element;
  }

  void add(const Element& element) {
    if (element.type == ElementType::Compressed) {
      const std::vector<std::byte> plain = inflated(element.data);
      Bytes rest = plain;
      return add_matrix(next(rest));
    }
    add_matrix(element);
  }

  void add_matrix(const Element& element) {
    if (element.type != ElementType::Matrix) return;
    Bytes rest = element.data;
    const auto flags = read<std::uint32_t>(next(rest).data);
    next(rest);  // dimensions: the order of values says enough
    const Bytes name = next(rest).data;
    const std::uint32_t kind = flags & 0xff;
    if (kind < kFirstNumericClass || kind > kLastNumericClass || (flags & kComplexFlag) != 0)
      return;
    arrays_[{reinterpret_cast<const char*>(name.data()), name.size()}] = numbers(next(rest));
  }

  std::vector<double> numbers(const Element& element) const {
    switch (element.type) {
      case ElementType::Int8:
        return widened<std::int8_t>(element.data);
      case ElementType::Uint8:
        return widened<std::uint8_t>(element.data);
      case ElementType::Int16:
        return widened<std::int16_t>(element.data);
      case ElementType::Uint16:
        return widened<std::uint16_t>(element.data);
      case ElementType::Int32:
        return widened<std::int32_t>(element.data);
      case ElementType::Uint32:
        return widened<std::uint32_t>(element.data);
      case ElementType::Single:
        return widened<float>(element.data);
      case ElementType::Double:
        return widened<double>(element.data);
      case ElementType::Int64:
        return widened<std::int64_t>(element.data);
      case ElementType::Uint64:
        return widened<std::uint64_t>(element.data);
      default:
        fail(fmt::format("has an array of numbers of the unknown type {}",
                         static_cast<std::uint32_t>(element.type)));
    }
  }

  template <class T>
  std::vector<double> widened(Bytes data) const {
    std::vector<double> values;
    for (; !data.empty(); data = data.subspan(sizeof(T))) {
      values.push_back(static_cast<double>(read<T>(data)));
    }
    return values;
  }

  std::vector<std::byte> inflated(Bytes packed) const {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) fail("could not be unpacked: no memory");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    std::vector<std::byte> plain;
    std::array<std::byte, 4096> chunk;
    int status = Z_OK;
    while (status == Z_OK && plain.size() < kMostBytes) {
      stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
      stream.avail_out = static_cast<uInt>(chunk.size());
      status = inflate(&stream, Z_NO_FLUSH);
      plain.insert(plain.end(), chunk.begin(), chunk.end() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (status != Z_STREAM_END) fail("has a damaged compressed element");
    return plain;
  }

  std::string place_;
  MatArrays arrays_;
};

}  // namespace

MatArrays parse_mat(std::span<const std::byte> bytes, const std::string& place) {
  return MatParser(place).parse(bytes);
}

MatArrays read_mat_file(const std::filesystem::path& path) {
  return parse_mat(read_file(path), path.string());
}

}  // namespace isochor::reproduce
