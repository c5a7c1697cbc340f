// A hash table from keys to numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/huge_pages.hpp"
#include "tag/word_view.hpp"

namespace dynarc {

// Keys are evenly spread already, as those of features and texts are.
class KeyTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  KeyTable() : slots_(kLeast) {}

  std::size_t size() const { return used_; }
  void ask(Key key) const { __builtin_prefetch(&slots_[key & (slots_.size() - 1)]); }  // for what will be looked for
  std::uint32_t find(Key key) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = key & mask;; i = (i + 1) & mask) {
      if (slots_[i].key == key) return slots_[i].value;  // of a free slot it is kNone
      if (slots_[i].value == kNone) return kNone;
    }
  }
  void add(Key key, std::uint32_t value) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    put(key, value);
    ++used_;
  }
  void clear() {
    slots_.assign(kLeast, {});
    used_ = 0;
  }

 private:
  static constexpr std::size_t kLeast = std::size_t{1} << 12;
  struct Slot {
    Key key = 0;
    std::uint32_t value = kNone;
  };

  void put(Key key, std::uint32_t value) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = key & mask;
    while (slots_[i].value != kNone) i = (i + 1) & mask;
    slots_[i] = {key, value};
  }
  void grow() {
    HugeVector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.value != kNone) put(slot.key, slot.value);
  }

  HugeVector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace dynarc
