#include "model/folded_rows.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace dynarc {

namespace {

constexpr std::size_t kSeen = std::size_t{1} << 18;

}  // namespace

FoldedRows::FoldedRows(std::size_t length, std::size_t bytes) : length_(length) {
  // Many groups of features have no weights at all and need no row: there are more slots than rows.
  most_rows_ = std::clamp<std::size_t>(bytes / (length * sizeof(std::int16_t)), 2, kRow);
  const std::size_t places = std::bit_ceil(4 * most_rows_);
  most_slots_ = places / 2;
  shift_ = 64 - std::countr_zero(places);
  rows_.reset(HugePages<std::int16_t>().allocate(most_rows_ * length));
  const auto zeros = []<class T>(Room<std::atomic<T>>& room, std::size_t count) {
    room.reset(HugePages<std::atomic<T>>().allocate(count));
    for (std::size_t i = 0; i < count; ++i) new (&room[i]) std::atomic<T>(0);
  };
  zeros(slots_, places + kMostProbes + 1);
  zeros(seen_, kSeen);
}

// When room gets scarce, it is for what comes again.
bool FoldedRows::seen_before(Key key) {
  const auto mark = static_cast<std::uint16_t>(key >> 1 | 1);
  std::atomic<std::uint16_t>& last = seen_[(key >> 20) % kSeen];
  return last.exchange(mark, std::memory_order_relaxed) == mark;
}

void FoldedRows::keep(Key key, const std::int32_t* sums) {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int16_t>::min();
  constexpr std::int32_t kMost = std::numeric_limits<std::int16_t>::max();
  if (used_rows_.load(std::memory_order_relaxed) + 2 > most_rows_ / 2 && !seen_before(key)) return;
  const auto [least, most] = std::minmax_element(sums, sums + length_);
  if (*least < 2 * kLeast || *most > 2 * kMost) return;
  const std::size_t needed = *least == 0 && *most == 0 ? 0 : *least < kLeast || *most > kMost ? 2 : 1;
  if (used_slots_.load(std::memory_order_relaxed) >= most_slots_) return;
  std::size_t row = 0;
  if (needed > 0) {
    row = used_rows_.load(std::memory_order_relaxed);
    do {
      if (row + needed > most_rows_) return;
    } while (!used_rows_.compare_exchange_weak(row, row + needed, std::memory_order_relaxed));
    std::int16_t* const first = &rows_[row * length_];
    for (std::size_t i = 0; i < length_; ++i) first[i] = static_cast<std::int16_t>(std::clamp(sums[i], kLeast, kMost));
    if (needed == 2)
      for (std::size_t i = 0; i < length_; ++i) first[length_ + i] = static_cast<std::int16_t>(sums[i] - first[i]);
  }
  const std::uint64_t entry = (key & kTag) << kTagShift | (needed + 1) << kCountShift | row;
  std::atomic<std::uint64_t>* slot = &slots_[place(key)];
  for (std::size_t probes = 0; probes < kMostProbes; ++slot) {
    std::uint64_t there = slot->load(std::memory_order_relaxed);
    if (there == 0 && slot->compare_exchange_strong(there, entry, std::memory_order_release)) {
      used_slots_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    if (there >> kTagShift == (key & kTag)) return;  // another thread was faster
    ++probes;
  }
}

}  // namespace dynarc
