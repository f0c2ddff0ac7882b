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
