// Sums over rows of weights, and the best of the sums: portable, and by vectors where the processor has them. Both add
// in the same order, so they give the same numbers to the last bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dynarc {

// Rows are this many numbers long or a multiple of it; the rest of the last part is zeros.
inline constexpr std::size_t kRowUnit = 32;
inline std::size_t row_length(std::size_t classes) { return (classes + kRowUnit - 1) / kRowUnit * kRowUnit; }

// scores[c] += table[row * length + c] for every row, in order. `scores` has `length` places.
void add_rows(const std::int16_t* table, std::span<const std::uint32_t> rows, std::size_t length, std::int32_t* scores);
// The same of rows that begin at table + row * unit, in bytes.
void add_rows_at(const char* table, std::size_t unit, std::span<const std::uint32_t> rows, std::size_t length,
                 std::int32_t* scores);
void add_rows(const float* table, std::span<const std::uint32_t> rows, std::size_t length, float* scores);

// How a weight is made of the sum of its gradients and of their squares: learn/dual_averages.hpp.
struct DualRule {
  float alpha, rho, threshold;
};
inline float dual_weight(const DualRule& rule, float sum, float squares) {
  const float size = rule.alpha * std::max(std::abs(sum) - rule.threshold, 0.0F) / std::sqrt(squares + rule.rho);
  return std::copysign(size, sum);
}
// scores[c] += the weight made of row[c] and row[length + c], for every row, in order. `length` is a multiple of 8.
void add_dual_rows(std::span<const float* const> rows, std::size_t length, const DualRule& rule, float* scores);

// Where the greatest of scores[first..last-1] is, the first of equals. There is at least one.
int first_greatest(const std::int32_t* scores, int first, int last);
int first_greatest(const float* scores, int first, int last);
// The same of those whose bits are set, of up to 128. There is at least one. `scores` may be read to a multiple of 16.
struct ClassSet {
  std::uint64_t low = 0, high = 0;
  static constexpr int kMost = 128;
  void add(int first, int last) {  // first..last-1, at most 128
    if (last <= 64) [[likely]] {
      low |= bits(first, last);
    } else {
      if (first < 64) low |= ~std::uint64_t{0} << first;
      high |= bits(std::max(first, 64) - 64, last - 64);
    }
  }
  static std::uint64_t bits(int first, int last) { return (~std::uint64_t{0} >> (64 - (last - first))) << first; }
};
int first_greatest_of(const std::int32_t* scores, ClassSet set);

}  // namespace dynarc
