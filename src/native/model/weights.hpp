// Weights as a parser uses them: averaged, only those that are not zero, in four arrays that can lie in a file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/extractor.hpp"

namespace dynarc {

class Weights {
 public:
  // Row r holds the weights begin[r]..begin[r+1]-1 of the feature keys[r], of which the low `key_bits` count. Throws
  // ModelFormatError if they do not fit together.
  Weights(std::vector<Key> keys, std::vector<std::uint32_t> begin, std::vector<std::uint16_t> labels,
          std::vector<float> values, int classes, int key_bits = 64);

  int key_bits() const { return key_bits_; }
  const std::vector<Key>& keys() const { return keys_; }
  const std::vector<std::uint32_t>& begin() const { return begin_; }
  const std::vector<std::uint16_t>& labels() const { return labels_; }
  const std::vector<float>& values() const { return values_; }

  // Adds to `scores` what the features say; `found` is room to work in, one for each thread.
  void score(std::span<const Key> keys, std::span<float> scores, std::vector<std::uint32_t>& found) const {
    found.clear();
    for (const Key key : keys) __builtin_prefetch(&slots_[key & mask_]);
    for (const Key key : keys) {
      for (std::size_t i = key & mask_; slots_[i].row != kNoRow; i = (i + 1) & mask_) {
        if (slots_[i].key != (key & kept_)) continue;
        found.push_back(slots_[i].row);
        __builtin_prefetch(&begin_[slots_[i].row]);
        break;
      }
    }
    for (const std::uint32_t row : found) {
      __builtin_prefetch(&labels_[begin_[row]]);
      __builtin_prefetch(&values_[begin_[row]]);
    }
    for (const std::uint32_t row : found)
      for (std::uint32_t i = begin_[row]; i < begin_[row + 1]; ++i) scores[labels_[i]] += values_[i];
  }

 private:
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
  struct Slot {
    Key key = 0;
    std::uint32_t row = kNoRow;
  };

  std::vector<Key> keys_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint16_t> labels_;
  std::vector<float> values_;
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  int key_bits_;
  Key kept_;  // the bits of a key that count
};

}  // namespace dynarc
