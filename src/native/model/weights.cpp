#include "model/weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/rng.hpp"

namespace dynarc {

namespace {

constexpr int kMostClasses = 1 << 15;
// With half of the slots free a few dozen are the most that chance demands.
constexpr std::size_t kMostProbes = 4096;
// Rows that are kept for all classes may take so many bytes, and so many more for each weight that was given: twenty
// times what the taggers of English need, and a bound on what a file can make us allocate.
constexpr std::size_t kWideBytes = std::size_t{64} << 20, kWideBytesPerWeight = 128;

// The least power of two by which every weight is a number of 16 bits.
float scale_for(const std::vector<float>& values) {
  float most = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) throw ModelFormatError("a weight is not a number: training went wrong");
    most = std::max(most, std::abs(value));
  }
  if (most == 0) return 1;
  constexpr int kMost = std::numeric_limits<std::int16_t>::max();
  int exponent = 0;
  std::frexp(most / kMost, &exponent);
  // Not below what makes every product a normal number: nothing depends on how tiny ones are handled.
  exponent = std::max(exponent - 1, -120);
  while (std::nearbyint(std::ldexp(most, -exponent)) > kMost) ++exponent;
  return std::ldexp(1.0F, exponent);
}

}  // namespace

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
  if (classes > kMostClasses) throw ModelFormatError("a model has at most 32768 classes");
  for (const Key key : keys_)
    if (key > kept_) throw ModelFormatError("the keys of the features are too long");
  scale_ = scale_for(values_);
  length_ = row_length(static_cast<std::size_t>(classes));
  make_rows();
}

std::int16_t Weights::rounded(float value) const {
  return static_cast<std::int16_t>(std::lrint(static_cast<double>(value) / scale_));
}

void Weights::make_rows() {
  std::size_t smalls = 0, mediums = 0, wides = 0;
  for (std::size_t r = 0; r < keys_.size(); ++r) {
    const std::uint32_t size = begin_[r + 1] - begin_[r];
    smalls += size > 0 && size <= kSmallSize;
    mediums += size > kSmallSize && size <= kMediumSize;
    wides += size > kMediumSize;
  }
  if (wides * length_ * sizeof(std::int16_t) > kWideBytes + kWideBytesPerWeight * values_.size())
    throw ModelFormatError("the weights would take too much memory: there are few of them for so many classes");
  std::vector<std::uint32_t> rows(keys_.size(), kFree);  // kind and number of each
  small_.reserve(smalls * kSmallSize);
  medium_.reserve(mediums * kMediumSize);
  wide_.reserve(wides * length_);
  for (std::size_t r = 0; r < keys_.size(); ++r) {
    const std::uint32_t size = begin_[r + 1] - begin_[r];
    if (size == 0) continue;
    const auto few = [&](HugeVector<Entry>& entries, std::uint32_t kind, int most) {
      rows[r] = kind << kKindShift | static_cast<std::uint32_t>(entries.size()) / static_cast<std::uint32_t>(most);
      for (std::uint32_t i = begin_[r]; i < begin_[r + 1]; ++i) entries.push_back({labels_[i], rounded(values_[i])});
      for (std::uint32_t i = size; i < static_cast<std::uint32_t>(most); ++i)
        entries.push_back({static_cast<std::uint16_t>(length_ + i), 0});
    };
    if (size <= kSmallSize) {
      few(small_, kSmall, kSmallSize);
    } else if (size <= kMediumSize) {
      few(medium_, kMedium, kMediumSize);
    } else {
      rows[r] = kWide << kKindShift | static_cast<std::uint32_t>(wide_.size() / length_);
      wide_.resize(wide_.size() + length_);
      for (std::uint32_t i = begin_[r]; i < begin_[r + 1]; ++i)
        wide_[wide_.size() - length_ + labels_[i]] = rounded(values_[i]);
    }
  }
  bytes_of_kind_ = {kSmallSize * sizeof(Entry), kMediumSize * sizeof(Entry), length_ * sizeof(std::int16_t), 0};
  const std::size_t places = std::bit_ceil(2 * keys_.size() + 2);
  shift_ = 64 - std::countr_zero(places);
  slots_.resize(places + kMostProbes + 2);
  starts_ = {reinterpret_cast<const char*>(small_.data()), reinterpret_cast<const char*>(medium_.data()),
             reinterpret_cast<const char*>(wide_.data()), reinterpret_cast<const char*>(slots_.data())};
  Rng rng(keys_.size());
  for (int tries = 0; tries < 64; ++tries) {
    multiplier_ = rng.next() | 1;
    if (fill_slots(rows)) return;
  }
  std::vector<Key> sorted = keys_;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) throw ModelFormatError("a feature has two rows of weights");
  // A model of features evenly spread fails once in a thousand tries: these keys were made to collide.
  throw ModelFormatError("the keys of the features are not evenly spread");
}

// False if two features would be taken for one.
bool Weights::fill_slots(const std::vector<std::uint32_t>& rows) {
  std::ranges::fill(slots_, Slot{});
  constexpr std::size_t kAhead = 16;
  for (std::size_t r = 0; r < keys_.size(); ++r) {
    if (r + kAhead < keys_.size()) __builtin_prefetch(&slots_[place(keys_[r + kAhead])], 1);
    if (rows[r] == kFree) continue;
    const auto tag = static_cast<std::uint32_t>(keys_[r]);
    std::size_t i = place(keys_[r]);
    for (std::size_t tries = 0; slots_[i].row != kFree; ++i)
      if (slots_[i].tag == tag || ++tries > kMostProbes) return false;
    slots_[i] = {tag, rows[r]};
  }
  return true;
}

}  // namespace dynarc
