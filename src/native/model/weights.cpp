#include "model/weights.hpp"

#include <bit>

#include "base/error.hpp"

namespace dynarc {

Weights::Weights(std::vector<Key> keys, std::vector<std::uint32_t> begin, std::vector<std::uint16_t> labels,
                 std::vector<float> values, int classes, int key_bits)
    : keys_(std::move(keys)),
      begin_(std::move(begin)),
      labels_(std::move(labels)),
      values_(std::move(values)),
      key_bits_(key_bits),
      kept_(key_bits >= 64 ? ~Key{0} : (Key{1} << key_bits) - 1) {
  if (begin_.size() != keys_.size() + 1 || begin_.front() != 0 || begin_.back() != labels_.size() ||
      values_.size() != labels_.size())
    throw ModelFormatError("the arrays of weights do not fit together");
  for (std::size_t r = 0; r + 1 < begin_.size(); ++r)
    if (begin_[r] > begin_[r + 1]) throw ModelFormatError("the rows of weights overlap");
  for (const std::uint16_t label : labels_)
    if (label >= classes) throw ModelFormatError("a weight is for a class that does not exist");
  // Slots are found by low bits alone, so there are never more of them than the bits that count can tell apart.
  const std::size_t size = std::bit_ceil(2 * keys_.size() + 2);
  if (size - 1 > kept_) throw ModelFormatError("the keys of the features are too short");
  slots_.resize(size);
  mask_ = size - 1;
  for (std::size_t r = 0; r < keys_.size(); ++r) {
    const std::uint32_t row_size = begin_[r + 1] - begin_[r];
    if (row_size == 0) continue;  // says nothing, and 0 is the size of a free slot
    std::size_t i = keys_[r] & mask_;
    for (int tries = 0; slots_[i].size != 0; i = (i + 1) & mask_) {
      if (slots_[i].key == keys_[r]) throw ModelFormatError("a feature has two rows of weights");
      // With half of the slots free a few dozen are the most that chance demands. Keys made to collide would take
      // hours.
      if (++tries > 4096) throw ModelFormatError("the keys of the features are not evenly spread");
    }
    slots_[i] = {keys_[r], begin_[r], row_size};
    if (8 * static_cast<std::size_t>(row_size) < static_cast<std::size_t>(classes)) continue;
    slots_[i] = {keys_[r], static_cast<std::uint32_t>(wide_.size()), kWide};
    wide_.resize(wide_.size() + static_cast<std::size_t>(classes));
    float* const row = wide_.data() + slots_[i].begin;
    for (std::uint32_t k = begin_[r]; k < begin_[r + 1]; ++k) row[labels_[k]] += values_[k];
  }
}

}  // namespace dynarc
