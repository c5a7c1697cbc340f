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
      unit_(length * sizeof(std::int16_t)),
      most_(std::min<std::size_t>(bytes / unit_, kTwice - 1)),
      bytes_(std::max<std::size_t>(most_, kZeros + 1) * unit_),
      used_(kZeros + 1) {
  std::fill_n(bytes_.data(), (kZeros + 1) * unit_, 0);
}

FoldedRows::Sum FoldedRows::add(const Score* sums, Chunk& chunk) {
  constexpr Score kLeast = std::numeric_limits<std::int16_t>::min(), kMost = std::numeric_limits<std::int16_t>::max();
  const auto [least, most] = std::minmax_element(sums, sums + length_);
  if (*least == 0 && *most == 0) return kZeros;
  if (*least < 2 * kLeast || *most > 2 * kMost) return kNotKept;
  const bool twice = *least < kLeast || *most > kMost;
  const std::size_t rows = twice ? 2 : 1;
  if (chunk.at + rows > chunk.end) {
    std::size_t at = used_.load(std::memory_order_relaxed);
    do {
      if (at + kChunk > most_) return kNotKept;
    } while (!used_.compare_exchange_weak(at, at + kChunk, std::memory_order_relaxed));
    chunk = {at, at + kChunk};
  }
  auto* const first = reinterpret_cast<std::int16_t*>(bytes_.data() + chunk.at * unit_);
  for (std::size_t c = 0; c < length_; ++c) first[c] = static_cast<std::int16_t>(std::clamp(sums[c], kLeast, kMost));
  for (std::size_t c = 0; c < length_ && twice; ++c) first[length_ + c] = static_cast<std::int16_t>(sums[c] - first[c]);
  const Sum sum = static_cast<Sum>(chunk.at) | (twice ? kTwice : 0);
  chunk.at += rows;
  return sum;
}

}  // namespace dynarc
