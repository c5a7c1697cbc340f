// Sums of rows of weights, kept so that they need not be made again; several threads read them and add to them at once.
// What is kept are exact sums, so nobody can tell from a score what was kept.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
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

// Sums as rows: pairs of a class and a weight if there are few, else weights of all classes.
class FoldedRows {
 public:
  // Rows of so many classes, a multiple of kRowUnit, in at most so many bytes. Memory is taken as rows come.
  FoldedRows(std::size_t length, std::size_t bytes);

  // A sum: its place in units of 16 bytes, and its kind in the lowest bits. 0 is nothing but zeros.
  using Sum = std::uint32_t;
  static constexpr Sum kNotKept = ~Sum{0};

  // Where a thread puts rows, one after the other: what is asked for together lies together.
  struct Chunk {
    std::size_t at = 0, end = 0;
  };
  Sum add(const Score* sums, Chunk& chunk);  // kNotKept if there is no room

  // The rows of one configuration, by their kinds.
  struct Found {
    explicit Found(std::size_t most) {
      for (std::vector<Sum>& rows : kinds) rows.resize(most + 1);
    }
    std::array<std::vector<Sum>, 5> kinds;  // four, eight, sixteen, all, twice
    std::array<std::size_t, 5> count{};
  };
  // Takes sums that are put on it one by one into `found`, which has them at the end. What kind a row is, nobody can
  // foretell: no branches.
  class Lister {
   public:
    explicit Lister(Found& found) : found_(found) {
      for (std::size_t k = 0; k < 4; ++k) ends_[k] = found.kinds[k].data() + found.count[k];
    }
    [[gnu::always_inline]] void add(Sum sum) {
      const Sum kind = sum & kKind, row = sum >> kKindBits;
      for (std::size_t k = 0; k < 4; ++k) {
        *ends_[k] = row;
        ends_[k] += kind == k + kFour;
      }
      if (kind == kTwice) [[unlikely]]
        found_.kinds[4][found_.count[4]++] = row;
    }
    void finish() {
      for (std::size_t k = 0; k < 4; ++k) found_.count[k] = static_cast<std::size_t>(ends_[k] - found_.kinds[k].data());
    }

   private:
    Found& found_;
    std::array<Sum*, 4> ends_;
  };
  void ask(Sum sum) const {
    const char* const row = bytes_.data() + std::size_t{sum >> kKindBits} * kUnit;
    __builtin_prefetch(row);
    __builtin_prefetch(row + ((sum & kKind) >= kAll ? kLine : 0));
  }
  // Adds what was found; `scores` has room for kMostPairs more than a row is long.
  void sum(Found& found, Score* scores) const;

  std::size_t length() const { return length_; }
  static constexpr std::size_t kMostPairs = 16;

 private:
  struct Pair {
    std::uint16_t label;
    std::int16_t weight;
  };
  // 4, 8 or 16 pairs; all classes; all classes twice, where one row would not hold the sums.
  enum : Sum { kNothing, kFour, kEight, kSixteen, kAll, kTwice };
  static constexpr int kKindBits = 3;
  static constexpr Sum kKind = (1 << kKindBits) - 1;
  static constexpr std::size_t kUnit = 16, kChunk = std::size_t{1} << 16, kLine = 64;

  std::size_t take(std::size_t bytes, std::size_t aligned, Chunk& chunk);
  template <std::size_t kPairs>
  void add_pairs(const Sum* rows, std::size_t count, Score* scores) const;

  std::size_t length_, most_;  // in units
  Room<char> bytes_;
  std::atomic<std::size_t> used_;
};

}  // namespace dynarc
