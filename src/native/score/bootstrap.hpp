// How far figures would move with other sentences: sentences are drawn with replacement, the same ones for every
// system, and, where there are several systems on one side, those too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "score/counts.hpp"

namespace dynarc::score {

struct Interval {
  double lower = 0, upper = 0;
};

// In percent. With one side only, what concerns the second stays 0.
struct MetricDraws {
  double first = 0, second = 0, difference = 0;  // observed: means over the systems of each side
  Interval first_interval, second_interval, interval;
  std::int64_t flips = 0;  // draws in which the difference has not the sign of the observed one
};

struct BootstrapInput {
  std::vector<std::span<const Tally>> systems;  // sentences times metrics of each
  std::size_t first = 0;                        // so many of them are the first side
  std::size_t metrics = 0;                      // columns of the tables
  std::vector<std::size_t> chosen;              // columns to look at
  int draws = 0;
  std::uint64_t seed = 0;
  double level = 95;  // of the intervals, in percent
};

// F1 in percent: what all protocols report. Equal to the accuracy where both sides have the same words.
inline double f1(std::int64_t correct, std::int64_t total) {
  return total == 0 ? 0.0 : 100.0 * (static_cast<double>(2 * correct) / static_cast<double>(total));
}

// One result per chosen metric. The same for the same input, on any machine.
std::vector<MetricDraws> bootstrap(const BootstrapInput& input);

}  // namespace dynarc::score
