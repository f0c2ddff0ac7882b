/// Large arrays in pages of 2 MB. Solvers go through hundreds of megabytes in each iteration, and
/// with pages of 4 KB a processor waits for their addresses: kernels of the lattice run up to 7 %
/// faster this way, and first touching memory costs a fraction (docs/decisions/0010). The program
/// decides this for itself; a library must not for the programs that it becomes a part of.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <cstddef>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;

void* try_allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes < 2 * kHugePage) {
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    return alignment <= alignof(std::max_align_t) ? std::malloc(bytes > 0 ? bytes : 1)
                                                  : std::aligned_alloc(alignment, rounded);
  }
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = std::aligned_alloc(kHugePage, whole);
  // Where the system has none, nothing is lost.
  if (memory) (void)madvise(memory, whole, MADV_HUGEPAGE);
  return memory;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  for (;;) {
    if (void* memory = try_allocate(bytes, alignment)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

// Those for arrays and those that throw nothing call these.
void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, std::size_t(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif
