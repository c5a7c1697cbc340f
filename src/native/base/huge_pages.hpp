// Vectors for large tables that are read at random: in huge pages where the system has them, lines of a cache aligned.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dynarc {

template <class T>
struct HugePages {
  using value_type = T;
  HugePages() = default;
  template <class Other>
  HugePages(const HugePages<Other>&) {}

  T* allocate(std::size_t count) {
    const std::size_t unit = count * sizeof(T) < kPage ? kLine : kPage;
    const std::size_t bytes = (count * sizeof(T) + unit - 1) / unit * unit;
    void* const room = std::aligned_alloc(unit, bytes);
    if (room == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    if (unit == kPage) madvise(room, bytes, MADV_HUGEPAGE);  // a wish: without it all is the same, but slower
#endif
    return static_cast<T*>(room);
  }
  void deallocate(T* room, std::size_t) { std::free(room); }

  template <class Other>
  bool operator==(const HugePages<Other>&) const {
    return true;
  }

 private:
  static constexpr std::size_t kLine = 64, kPage = std::size_t{2} << 20;
};

template <class T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace dynarc
