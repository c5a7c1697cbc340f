// What groups of features add to the scores, found before and kept: a table by 64-bit keys that several threads read
// and fill at once. A row that is not there is the sum of its features' rows; what is kept are exactly such sums, so
// nobody can tell from a score what was kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/huge_pages.hpp"
#include "features/extractor.hpp"

namespace dynarc {

class FoldedRows {
 public:
  // Rows of so many classes, a multiple of kRowUnit, in at most so many bytes. Memory is taken as rows come.
  FoldedRows(std::size_t length, std::size_t bytes);

  // `found` says how many rows there are, one after the other from `row` on: 0 to 2, or -1 if nothing is known.
  struct Rows {
    int count;
    std::uint32_t row;
  };
  void ask(Key key) const { __builtin_prefetch(&slots_[place(key)]); }
  Rows find(Key key) const {
    for (const std::atomic<std::uint64_t>* slot = &slots_[place(key)];; ++slot) {
      const std::uint64_t entry = slot->load(std::memory_order_acquire);
      if (entry == 0) return {-1, 0};
      if (entry >> kTagShift == (key & kTag)) {
        const Rows found{static_cast<int>(entry >> kCountShift & 3) - 1, static_cast<std::uint32_t>(entry) & kRow};
        for (std::size_t at = 0; at < length_ && found.count > 0; at += kLine)
          __builtin_prefetch(&rows_[found.row * length_ + at]);
        return found;
      }
    }
  }
  // Keeps the sums of all classes, if there is room and they fit into two rows of 16 bits.
  void keep(Key key, const std::int32_t* sums);

  const std::int16_t* rows() const { return rows_.get(); }
  std::size_t length() const { return length_; }
  std::size_t kept() const { return used_slots_.load(std::memory_order_relaxed); }

 private:
  // A slot: 40 bits of the key, then how many rows and the first of them; which slots are looked at depends on the
  // other bits. So another key is taken for one that is here about once in a trillion times.
  static constexpr int kTagShift = 24, kCountShift = 22;
  static constexpr std::uint64_t kTag = (std::uint64_t{1} << 40) - 1;
  static constexpr std::uint32_t kRow = (std::uint32_t{1} << kCountShift) - 1;
  static constexpr std::size_t kLine = 64 / sizeof(std::int16_t);
  static constexpr std::size_t kMostProbes = 64;

  template <class T>
  struct Free {
    void operator()(T* room) const { HugePages<T>().deallocate(room, 0); }
  };
  template <class T>
  using Room = std::unique_ptr<T[], Free<T>>;

  std::size_t place(Key key) const { return key >> shift_; }
  bool seen_before(Key key);

  std::size_t length_, most_rows_, most_slots_;
  int shift_;
  Room<std::atomic<std::uint64_t>> slots_;
  Room<std::int16_t> rows_;
  Room<std::atomic<std::uint16_t>> seen_;
  std::atomic<std::size_t> used_rows_{0}, used_slots_{0};
};

}  // namespace dynarc
