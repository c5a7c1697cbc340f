// Where the rows of features are while weights are learned: a hash table that grows.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/huge_pages.hpp"
#include "features/extractor.hpp"

namespace dynarc {

// A feature and its row: where it begins, how many classes it has, and room for how many; none in a free slot. A wide
// row, of all classes, has a number among those instead.
struct RowSlot {
  static constexpr std::uint16_t kWide = 0xFFFF;

  Key key = 0;
  std::uint32_t begin = 0;
  std::uint16_t size = 0, capacity = 0;

  bool is_wide() const { return capacity == kWide; }
};

class RowIndex {
 public:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  RowIndex() { grow(std::size_t{1} << 16); }

  RowSlot& operator[](std::uint32_t place) { return slots_[place]; }
  const RowSlot& operator[](std::uint32_t place) const { return slots_[place]; }
  const HugeVector<RowSlot>& slots() const { return slots_; }  // free ones, too

  // Of keys only these bits count.
  void keep_bits(int bits) { kept_ = bits >= 64 ? ~Key{0} : (Key{1} << bits) - 1; }

  void prefetch(Key key) const { __builtin_prefetch(&slots_[key & mask_]); }

  std::uint32_t find(Key key) const {
    key &= kept_;
    for (std::size_t i = key & mask_;; i = (i + 1) & mask_) {
      if (slots_[i].capacity == 0) return kNowhere;
      if (slots_[i].key == key) return static_cast<std::uint32_t>(i);
    }
  }

  // The slot of a key, made if there is none: `room` says where its row begins and what its capacity is. There must be
  // room for one more.
  template <class Room>
  std::uint32_t find_or_make(Key key, Room&& room) {
    key &= kept_;
    std::size_t i = key & mask_;
    for (; slots_[i].capacity != 0; i = (i + 1) & mask_)
      if (slots_[i].key == key) return static_cast<std::uint32_t>(i);
    const std::pair<std::uint32_t, std::uint16_t> made = room();
    slots_[i] = {key, made.first, 0, made.second};
    ++rows_;
    return static_cast<std::uint32_t>(i);
  }

  // Slots for so many more rows; true if all slots have moved.
  bool make_room(std::size_t more) {
    if (fits(rows_ + more)) return false;
    grow(2 * slots_.size());
    return true;
  }

  void save(ByteWriter& out) const {
    out.put(kept_);
    out.put(slots_);
  }
  // `check` is asked of every slot in use.
  template <class Check>
  void restore(ByteReader& in, Check&& check) {
    in.get(kept_);
    in.get(slots_);
    if (!std::has_single_bit(slots_.size())) in.fail();
    mask_ = slots_.size() - 1;
    rows_ = 0;
    for (const RowSlot& slot : slots_) {
      if (slot.capacity == 0) continue;
      ++rows_;
      if (!check(slot)) in.fail();
    }
    if (!fits(rows_)) in.fail();  // there must be free ones for a search to end
  }

 private:
  bool fits(std::size_t rows) const { return 3 * rows < 2 * slots_.size(); }

  void grow(std::size_t size) {
    const HugeVector<RowSlot> old(std::move(slots_));
    slots_ = HugeVector<RowSlot>(size);
    mask_ = size - 1;
    for (const RowSlot& slot : old) {
      if (slot.capacity == 0) continue;
      std::size_t i = slot.key & mask_;
      while (slots_[i].capacity != 0) i = (i + 1) & mask_;
      slots_[i] = slot;
    }
  }

  HugeVector<RowSlot> slots_;
  Key kept_ = ~Key{0};
  std::size_t mask_ = 0, rows_ = 0;
};

}  // namespace dynarc
