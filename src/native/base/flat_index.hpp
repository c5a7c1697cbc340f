// Open-addressing index from keys to positions in a growing array. Clearing costs what was inserted, not the
// capacity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dynarc {

// Entry must have a member `key` with `hash()` and `==`.
template <class Entry>
class FlatIndex {
 public:
  FlatIndex() : slots_(64, -1) {}

  std::size_t size() const { return entries_.size(); }
  Entry& operator[](int i) { return entries_[i]; }
  const Entry& operator[](int i) const { return entries_[i]; }

  template <class Key>
  int find(const Key& key) const {
    for (std::size_t at = key.hash() & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] < 0) return -1;
      if (entries_[slots_[at]].key == key) return slots_[at];
    }
  }

  // The position of `entry.key`, and whether `entry` was inserted.
  std::pair<int, bool> insert(const Entry& entry) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    std::size_t at = entry.key.hash() & (slots_.size() - 1);
    for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1))
      if (entries_[slots_[at]].key == entry.key) return {slots_[at], false};
    slots_[at] = static_cast<std::int32_t>(entries_.size());
    entries_.push_back(entry);
    return {slots_[at], true};
  }

  void clear() {
    if (entries_.size() * 8 > slots_.size()) {
      slots_.assign(slots_.size(), -1);
    } else {
      for (const Entry& e : entries_) {
        std::size_t at = e.key.hash() & (slots_.size() - 1);
        // Every slot of this entry's run belongs to an entry that goes too.
        for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1)) slots_[at] = -1;
      }
    }
    entries_.clear();
  }

 private:
  void grow() {
    slots_.assign(slots_.size() * 2, -1);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t at = entries_[i].key.hash() & (slots_.size() - 1);
      while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<std::int32_t>(i);
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::int32_t> slots_;
};

}  // namespace dynarc
