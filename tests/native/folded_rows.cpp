// Rows of sums that are kept: what is added up is what was put in, however large and however many weights it has; a
// table that is full keeps nothing more; several threads may fill it.
#include "model/folded_rows.hpp"

#include <cassert>
#include <thread>
#include <vector>

#include "base/rng.hpp"

using namespace dynarc;

namespace {

// So many weights that are not zero, each below `most`.
std::vector<Score> drawn(Rng& rng, std::size_t length, int weights, int most) {
  std::vector<Score> sums(length);
  for (int i = 0; i < weights; ++i)
    sums[static_cast<std::size_t>(rng.below(static_cast<int>(length)))] = rng.below(2 * most + 1) - most;
  return sums;
}

void check_sums(Rng& rng, std::size_t length) {
  FoldedRows rows(length, std::size_t{8} << 20);
  FoldedRows::Chunk chunk;
  std::vector<std::vector<Score>> put;
  std::vector<FoldedRows::Sum> sums;
  for (int i = 0; i < 300; ++i) {
    put.push_back(drawn(rng, length, rng.below(40), rng.below(3) == 0 ? 65000 : 32767));
    sums.push_back(rows.add(put.back().data(), chunk));
    assert(sums.back() != FoldedRows::kNotKept && sums.back() != 0);
  }
  for (int i = 0; i < 300; ++i) {
    std::vector<Score> plain(length, 7), summed = plain;
    std::vector<FoldedRows::Sum> found;
    for (int k = rng.below(40); k > 0; --k) {
      const auto which = static_cast<std::size_t>(rng.below(300));
      const FoldedRows::Sum row = sums[which] & (FoldedRows::kTwice - 1);
      found.push_back(row);
      if (sums[which] & FoldedRows::kTwice) found.push_back(row + 1);
      for (std::size_t c = 0; c < length; ++c) plain[c] += put[which][c];
    }
    rows.sum(found, summed.data());
    assert(plain == summed);
  }
}

void check_limits() {
  FoldedRows rows(32, std::size_t{1} << 18);
  FoldedRows::Chunk chunk;
  std::vector<Score> sums(32);
  assert(rows.add(sums.data(), chunk) == FoldedRows::kZeros);
  sums[3] = 65535;  // more than two rows hold
  assert(rows.add(sums.data(), chunk) == FoldedRows::kNotKept);
  for (Score& sum : sums) sum = -65536;
  std::size_t kept = 0;
  while (rows.add(sums.data(), chunk) != FoldedRows::kNotKept) ++kept;
  assert(kept > 100 && kept * 128 < std::size_t{1} << 18);
}

void check_numbers() {
  KeptNumbers numbers(1000);
  const auto key = [](std::uint64_t i) { return Rng(i % 1500).next(); };
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 1500; ++i) {
        const std::uint64_t k = (i + 375 * t) % 1500;
        const std::uint32_t there = numbers.find(key(k));
        assert(there == 0 || there == k + 1);
        if (there == 0) numbers.add(key(k), static_cast<std::uint32_t>(k + 1));
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::size_t kept = 0;
  for (std::uint64_t k = 0; k < 1500; ++k) kept += numbers.find(key(k)) != 0;
  assert(kept >= 1000 && kept < 1010);  // each thread may be adding one when the last place is taken
}

}  // namespace

int main() {
  Rng rng(1);
  for (const std::size_t length : {32, 64, 128, 320}) check_sums(rng, length);
  check_limits();
  check_numbers();
}
