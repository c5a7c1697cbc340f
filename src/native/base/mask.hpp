// A set of node positions as W machine words, for searches whose stacks are always in increasing order.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace dynarc {

template <int W>
struct Mask {
  static constexpr int kBits = 64 * W;
  std::array<std::uint64_t, W> word{};

  void set(int i) { word[i >> 6] |= std::uint64_t{1} << (i & 63); }
  void clear(int i) { word[i >> 6] &= ~(std::uint64_t{1} << (i & 63)); }
  bool test(int i) const { return (word[i >> 6] >> (i & 63)) & 1; }

  // The highest member below `limit`, or -1.
  int highest_below(int limit) const {
    int w = limit >> 6;
    if (w < W) {
      const std::uint64_t low = word[w] & ((std::uint64_t{1} << (limit & 63)) - 1);
      if (low) return 64 * w + 63 - std::countl_zero(low);
    }
    for (w = (w < W ? w : W) - 1; w >= 0; --w)
      if (word[w]) return 64 * w + 63 - std::countl_zero(word[w]);
    return -1;
  }

  friend Mask operator&(Mask a, const Mask& b) {
    for (int i = 0; i < W; ++i) a.word[i] &= b.word[i];
    return a;
  }
  friend Mask operator|(Mask a, const Mask& b) {
    for (int i = 0; i < W; ++i) a.word[i] |= b.word[i];
    return a;
  }
  bool any() const {
    std::uint64_t all = 0;
    for (int i = 0; i < W; ++i) all |= word[i];
    return all != 0;
  }
  bool intersects(const Mask& b) const {
    std::uint64_t all = 0;
    for (int i = 0; i < W; ++i) all |= word[i] & b.word[i];
    return all != 0;
  }
  bool within(const Mask& b) const {  // a subset of b
    std::uint64_t outside = 0;
    for (int i = 0; i < W; ++i) outside |= word[i] & ~b.word[i];
    return outside == 0;
  }
  friend bool operator==(const Mask&, const Mask&) = default;

  template <class F>
  void each(F&& f) const {
    for (int w = 0; w < W; ++w)
      for (std::uint64_t rest = word[w]; rest; rest &= rest - 1) f(64 * w + std::countr_zero(rest));
  }

  std::size_t hash(std::uint64_t seed) const {
    std::uint64_t h = seed * 0x9e3779b97f4a7c15ULL;
    for (int i = 0; i < W; ++i) {
      h = (h ^ word[i]) * 0xd6e8feb86659fd93ULL;
      h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
  }
};

}  // namespace dynarc
