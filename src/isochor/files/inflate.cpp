#include "isochor/files/inflate.h"

#include <algorithm>
#include <limits>
#include <zlib.h>

namespace isochor::files {
namespace {

/// Deflate packs 258 equal bytes into two bits at best.
constexpr std::size_t kLargestRatio = 1032;

/// What is left of a span, in the type that zlib counts with.
uInt next_piece(std::size_t left) {
  return static_cast<uInt>(std::min<std::size_t>(left, std::numeric_limits<uInt>::max()));
}

}  // namespace

std::optional<std::vector<std::byte>> inflated(std::span<const std::byte> packed, std::size_t size,
                                               DeflateFrame frame) {
  if (size / kLargestRatio > packed.size()) return std::nullopt;
  z_stream stream{};
  const int window_bits = frame == DeflateFrame::None ? -MAX_WBITS : MAX_WBITS;
  if (inflateInit2(&stream, window_bits) != Z_OK) return std::nullopt;
  std::vector<std::byte> plain(size);
  std::byte beyond{};  // room for the byte that must not come
  std::size_t taken = 0, made = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const uInt in = next_piece(packed.size() - taken);
    const uInt out = made < size ? next_piece(size - made) : 1;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + taken));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(made < size ? plain.data() + made : &beyond);
    stream.avail_out = out;
    status = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += out - stream.avail_out;
    if (made > size) break;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || made != size) return std::nullopt;
  return plain;
}

}  // namespace isochor::files
