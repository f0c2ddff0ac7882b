#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace isochor {

/// Arrays that are larger than this are out of all caches before they are read again.
inline constexpr std::size_t kLargerThanCaches = std::size_t{64} << 20;

/// Writes past caches: a processor reads what else it writes into, first. For arrays that are
/// larger than caches and written from their begin to their end; others see it after
/// finish_streaming().
template <class T>
inline void stream(const T& from, T* to) {
  static_assert(sizeof(T) % 8 == 0 && alignof(T) % 4 == 0 && std::is_trivially_copyable_v<T>);
#if defined(__x86_64__)
  if (reinterpret_cast<std::uintptr_t>(to) % 8 == 0) {
    for (std::size_t offset = 0; offset < sizeof(T); offset += 8) {
      long long eight;
      std::memcpy(&eight, reinterpret_cast<const char*>(&from) + offset, sizeof eight);
      _mm_stream_si64(reinterpret_cast<long long*>(reinterpret_cast<char*>(to) + offset), eight);
    }
    return;
  }
#endif
  *to = from;
}
inline void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace isochor
