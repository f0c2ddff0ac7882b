#pragma once

/// Marks a function that kernels call: it runs on the host and, under CUDA, on the device, and is
/// inlined without fail. Sanitizer builds leave inlining to the compiler: forced inlining of pack
/// kernels costs many seconds per instantiation there. The larger functions, which inlining would
/// multiply at no gain, are marked ISOCHOR_LARGE_KERNEL.
#if defined(__CUDACC__)
#define ISOCHOR_LARGE_KERNEL __host__ __device__ inline
#else
#define ISOCHOR_LARGE_KERNEL inline
#endif

#if defined(__CUDACC__)
#define ISOCHOR_KERNEL __host__ __device__ inline
#elif defined(ISOCHOR_NO_FORCED_INLINE)
#define ISOCHOR_KERNEL inline
#else
#define ISOCHOR_KERNEL __attribute__((always_inline)) inline
#endif

namespace isochor {

/// Asks for memory that will be read soon; it need not be there.
template <class T>
ISOCHOR_KERNEL void prefetch(const T* at) {
  constexpr int kLine = 64;
  const char* const first = reinterpret_cast<const char*>(at);
  for (int offset = 0; offset < int(sizeof(T)); offset += kLine) __builtin_prefetch(first + offset);
  if constexpr (sizeof(T) % kLine > 0) __builtin_prefetch(first + sizeof(T) - 1);
}

}  // namespace isochor
