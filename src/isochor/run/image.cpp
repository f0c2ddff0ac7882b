#include "isochor/run/image.h"

#include "isochor/base/error.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace isochor::run {

std::vector<std::byte> encode_png(const Image& image) {
  std::vector<std::byte> bytes;
  const auto append = [](void* context, void* data, int size) {
    const auto* first = static_cast<const std::byte*>(data);
    static_cast<std::vector<std::byte>*>(context)->assign(first, first + size);
  };
  if (!stbi_write_png_to_func(append, &bytes, image.width, image.height, 3, image.rgb.data(),
                              3 * image.width)) {
    throw Error(Fault::System, "picture", "the PNG encoder found no memory",
                "render at a smaller width and height");
  }
  return bytes;
}

}  // namespace isochor::run
