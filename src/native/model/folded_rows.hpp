// Sums of rows of weights, kept so that they need not be made again; several threads read them and add to them at once.
// What is kept are exact sums, so nobody can tell from a score what was kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/huge_pages.hpp"
#include "model/weights.hpp"

namespace dynarc {

// Large tables without values, but for atomic ones: those are zeros.
template <class T>
class Room {
 public:
  explicit Room(std::size_t count) : room_(HugePages<T>().allocate(count)) {
    if constexpr (!std::is_trivially_default_constructible_v<T>)
      for (std::size_t i = 0; i < count; ++i) new (room_ + i) T(0);
  }
  ~Room() { HugePages<T>().deallocate(room_, 0); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  T& operator[](std::size_t i) { return room_[i]; }
  const T& operator[](std::size_t i) const { return room_[i]; }
  T* data() { return room_; }
  const T* data() const { return room_; }

 private:
  T* room_;
};

// From keys to numbers that are below 2^29 and not 0. What is in it stays.
class KeptNumbers {
 public:
  explicit KeptNumbers(std::size_t most);

  void ask(Key key) const { __builtin_prefetch(&slots_[place(key)]); }
  // 0 if it is not there.
  std::uint32_t find(Key key) const {
    for (const std::atomic<std::uint64_t>* slot = &slots_[place(key)];; ++slot) {
      const std::uint64_t entry = slot->load(std::memory_order_acquire);
      if (entry == 0 || entry >> kTagShift == (key & kTag)) return static_cast<std::uint32_t>(entry) & kNumber;
    }
  }
  // False if there is no room.
  bool add(Key key, std::uint32_t number);

 private:
  // A slot: 35 bits of the key, and the number; which slots are looked at depends on the other bits. So another key is
  // taken for one that is here about once in thirty billion times.
  static constexpr int kTagShift = 29;
  static constexpr std::uint64_t kTag = (std::uint64_t{1} << 35) - 1;
  static constexpr std::uint32_t kNumber = (std::uint32_t{1} << kTagShift) - 1;
  static constexpr std::size_t kMostProbes = 64;

  std::size_t place(Key key) const { return key >> shift_; }

  std::size_t most_;
  int shift_;
  Room<std::atomic<std::uint64_t>> slots_;
  std::atomic<std::size_t> used_{0};
};

// Which features a model may have: one bit for some of them. Most that are asked for are not there, and the bits of all
// are near where their rows are far away.
class KeyFilter {
 public:
  explicit KeyFilter(const Weights& weights);

  void ask(Key key) const { __builtin_prefetch(&bits_[place(key) / 64]); }
  bool may_have(Key key) const {
    const std::size_t at = place(key);
    return bits_[at / 64] >> at % 64 & 1;
  }

 private:
  std::size_t place(Key key) const { return ((key & kept_) * 0x9E3779B97F4A7C15u) >> shift_; }

  Key kept_;
  int shift_;
  HugeVector<std::uint64_t> bits_;
};

// Sums as rows of 16 bits for each class; as two rows where one would not hold them.
class FoldedRows {
 public:
  // Rows of so many classes, a multiple of kRowUnit, in at most so many bytes. Memory is taken as rows come.
  FoldedRows(std::size_t length, std::size_t bytes);

  // The number of a row, and kTwice if the next one belongs to it. Never 0.
  using Sum = std::uint32_t;
  static constexpr Sum kNotKept = ~Sum{0}, kTwice = Sum{1} << 28, kZeros = 1;

  // Where a thread puts rows, one after the other: what is asked for together lies together.
  struct Chunk {
    std::size_t at = 0, end = 0;
  };
  Sum add(const Score* sums, Chunk& chunk);  // kNotKept if there is no room, or two rows do not hold it

  void ask(Sum row) const {
    const char* const first = bytes_.data() + std::size_t{row} * unit_;
    __builtin_prefetch(first);
    __builtin_prefetch(first + unit_ - 1);
  }
  // Adds rows to `scores`.
  void sum(std::span<const Sum> rows, Score* scores) const { add_rows_at(bytes_.data(), unit_, rows, length_, scores); }

  std::size_t length() const { return length_; }

 private:
  static constexpr std::size_t kChunk = 256;  // rows

  std::size_t length_, unit_, most_;  // classes, bytes of a row, rows
  Room<char> bytes_;
  std::atomic<std::size_t> used_;
};

}  // namespace dynarc
