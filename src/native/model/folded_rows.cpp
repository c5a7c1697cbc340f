#include "model/folded_rows.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace dynarc {

KeptNumbers::KeptNumbers(std::size_t most)
    : most_(most),
      shift_(64 - std::countr_zero(std::bit_ceil(2 * most + 2))),
      slots_(std::bit_ceil(2 * most + 2) + kMostProbes + 1) {}

bool KeptNumbers::add(Key key, std::uint32_t number) {
  if (used_.load(std::memory_order_relaxed) >= most_) return false;
  const std::uint64_t entry = (key & kTag) << kTagShift | number;
  std::atomic<std::uint64_t>* slot = &slots_[place(key)];
  for (std::size_t probes = 0; probes < kMostProbes; ++probes, ++slot) {
    std::uint64_t there = slot->load(std::memory_order_relaxed);
    if (there == 0 && slot->compare_exchange_strong(there, entry, std::memory_order_release)) {
      used_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    if (there >> kTagShift == (key & kTag)) return true;  // another thread was faster, and says the same
  }
  return false;
}

KeyFilter::KeyFilter(const Weights& weights)
    : kept_(weights.key_bits() >= 64 ? ~Key{0} : (Key{1} << weights.key_bits()) - 1) {
  const std::size_t places = std::bit_ceil(8 * weights.keys().size() + 64);
  shift_ = 64 - std::countr_zero(places);
  bits_.resize(places / 64);
  for (const Key key : weights.keys()) bits_[place(key) / 64] |= std::uint64_t{1} << place(key) % 64;
}

FoldedRows::FoldedRows(std::size_t length, std::size_t bytes)
    : length_(length),
      most_(std::min(bytes / kUnit, std::size_t{1} << (29 - kKindBits))),
      bytes_(most_ * kUnit),
      used_(kLine / kUnit) {}

std::size_t FoldedRows::take(std::size_t bytes, std::size_t aligned, Chunk& chunk) {
  const std::size_t units = bytes / kUnit, step = aligned / kUnit;
  const auto first = [&] { return (chunk.at + step - 1) / step * step; };
  if (first() + units > chunk.end) {
    const std::size_t size = std::max(kChunk, bytes + kLine) / kUnit;
    std::size_t at = used_.load(std::memory_order_relaxed);
    do {
      if (at + size > most_) return 0;
    } while (!used_.compare_exchange_weak(at, at + size, std::memory_order_relaxed));
    chunk = {at, at + size};
  }
  const std::size_t at = first();
  chunk.at = at + units;
  return at;
}

FoldedRows::Sum FoldedRows::add(const Score* sums, Chunk& chunk) {
  constexpr Score kLeast = std::numeric_limits<std::int16_t>::min(), kMost = std::numeric_limits<std::int16_t>::max();
  Score least = 0, most = 0;
  std::size_t pairs = 0;
  for (std::size_t c = 0; c < length_; ++c) {
    least = std::min(least, sums[c]);
    most = std::max(most, sums[c]);
    pairs += sums[c] != 0;
  }
  if (pairs == 0) return 0;
  if (least < 2 * kLeast || most > 2 * kMost) return kNotKept;
  const bool twice = least < kLeast || most > kMost;
  const auto place = [&](std::size_t bytes, std::size_t aligned, Sum kind) -> Sum {
    const std::size_t at = take(bytes, aligned, chunk);
    return at == 0 ? kNotKept : static_cast<Sum>(at << kKindBits) | kind;
  };
  const auto row = [&](Sum sum) { return bytes_.data() + std::size_t{sum >> kKindBits} * kUnit; };
  if (!twice && pairs <= kMostPairs) {
    const std::size_t room = pairs <= 4 ? 4 : pairs <= 8 ? 8 : 16;
    const Sum sum = place(room * sizeof(Pair), kUnit, pairs <= 4 ? kFour : pairs <= 8 ? kEight : kSixteen);
    if (sum == kNotKept) return sum;
    auto* pair = reinterpret_cast<Pair*>(row(sum));
    for (std::size_t c = 0; c < length_; ++c)
      if (sums[c] != 0) *pair++ = {static_cast<std::uint16_t>(c), static_cast<std::int16_t>(sums[c])};
    for (std::size_t i = pairs; i < room; ++i) *pair++ = {static_cast<std::uint16_t>(length_ + i % kMostPairs), 0};
    return sum;
  }
  const std::size_t bytes = length_ * sizeof(std::int16_t);
  const Sum sum = place(twice ? 2 * bytes : bytes, kLine, twice ? kTwice : kAll);
  if (sum == kNotKept) return sum;
  auto* const first = reinterpret_cast<std::int16_t*>(row(sum));
  for (std::size_t c = 0; c < length_; ++c) first[c] = static_cast<std::int16_t>(std::clamp(sums[c], kLeast, kMost));
  for (std::size_t c = 0; c < length_ && twice; ++c) first[length_ + c] = static_cast<std::int16_t>(sums[c] - first[c]);
  return sum;
}

template <std::size_t kPairs>
void FoldedRows::add_pairs(const Sum* rows, std::size_t count, Score* scores) const {
  for (std::size_t i = 0; i < count; ++i) {
    const auto* const pairs = reinterpret_cast<const Pair*>(bytes_.data() + std::size_t{rows[i]} * kUnit);
    for (std::size_t p = 0; p < kPairs; ++p) scores[pairs[p].label] += pairs[p].weight;
  }
}

void FoldedRows::sum(Found& found, Score* scores) const {
  const auto& [four, eight, sixteen, all, twice] = found.kinds;
  add_rows_at(bytes_.data(), kUnit, {all.data(), found.count[3]}, length_, scores);
  add_pairs<4>(four.data(), found.count[0], scores);
  add_pairs<8>(eight.data(), found.count[1], scores);
  add_pairs<16>(sixteen.data(), found.count[2], scores);
  if (found.count[4] != 0) {
    add_rows_at(bytes_.data(), kUnit, {twice.data(), found.count[4]}, length_, scores);
    add_rows_at(bytes_.data() + length_ * sizeof(std::int16_t), kUnit, {twice.data(), found.count[4]}, length_, scores);
  }
  found.count = {};
}

}  // namespace dynarc
