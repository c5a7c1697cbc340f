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
      for (std::size_t i = key & mask_; slots_[i].size != 0; i = (i + 1) & mask_) {
        if (slots_[i].key != (key & kept_)) continue;
        found.push_back(static_cast<std::uint32_t>(i));
        if (slots_[i].size == kWide) {
          __builtin_prefetch(&wide_[slots_[i].begin]);
        } else {
          __builtin_prefetch(&labels_[slots_[i].begin]);
          __builtin_prefetch(&values_[slots_[i].begin]);
        }
        break;
      }
    }
    for (const std::uint32_t place : found) {
      const Slot slot = slots_[place];
      if (slot.size == kWide) {
        const float* row = wide_.data() + slot.begin;
        for (std::size_t c = 0; c < scores.size(); ++c) scores[c] += row[c];
        continue;
      }
      for (std::uint32_t i = slot.begin; i < slot.begin + slot.size; ++i) scores[labels_[i]] += values_[i];
    }
  }

 private:
  // Where the row of a feature is, and how many weights it has; 0 in a free slot. The rows of features with weights for
  // many classes are kept for all classes, apart.
  static constexpr std::uint32_t kWide = ~std::uint32_t{0};
  struct Slot {
    Key key = 0;
    std::uint32_t begin = 0, size = 0;
  };

  std::vector<Key> keys_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint16_t> labels_;
  std::vector<float> values_;
  std::vector<Slot> slots_;
  std::vector<float> wide_;
  std::size_t mask_ = 0;
  int key_bits_;
  Key kept_;  // the bits of a key that count
};

}  // namespace dynarc
