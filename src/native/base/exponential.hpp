// The exponential function, the same to the last bit on every machine: libraries differ in theirs, and what is learned
// must not.
#pragma once

#include <bit>
#include <cstdint>

namespace dynarc {

// Within two units of the last place for what a double can hold; 0 below that.
inline double exponential(double x) {
  if (x < -700) return 0;
  if (x > 700) x = 700;
  // x = k ln 2 + r with |r| < 0.35; adding and taking away 1.5 * 2^52 rounds to a whole number.
  constexpr double kRound = 0x1.8p52, kInverse = 0x1.71547652b82fep0;
  constexpr double kHigh = 0x1.62e42fefa3800p-1, kLow = 0x1.ef35793c76730p-45;
  const double k = (x * kInverse + kRound) - kRound;
  const double r = (x - k * kHigh) - k * kLow;
  constexpr double kOverFactorial[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
      1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       1.0 / 2,      1.0,         1.0};
  double sum = kOverFactorial[0];
  for (int i = 1; i < 14; ++i) sum = sum * r + kOverFactorial[i];
  const auto power = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52;
  return sum * std::bit_cast<double>(power);
}

}  // namespace dynarc
