#include "score/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.hpp"

namespace dynarc::score {

namespace {

// Means of the same figures in another order differ in the last bits: below this, two figures are equal.
constexpr double kEqual = 1e-9;

// The counts that are added up in each draw, one row per sentence: for every system and metric the correct ones, and
// gold and system together.
template <class Count>
struct Rows {
  Rows(const BootstrapInput& in, std::size_t sentences)
      : width((in.systems.size() * in.chosen.size() * 2 + 3) / 4 * 4), counts(sentences * width) {
    for (std::size_t s = 0; s < sentences; ++s) {
      Count* out = &counts[s * width];
      for (const auto& table : in.systems) {
        for (const std::size_t m : in.chosen) {
          const Tally& tally = table[s * in.metrics + m];
          *out++ = tally.correct;
          *out++ = tally.gold + tally.system;
        }
      }
    }
  }

  std::size_t width;  // a multiple of four, for the sake of vector registers
  std::vector<Count> counts;
};

// Figures of one draw (or of the whole): per side and metric.
struct Figures {
  explicit Figures(std::size_t metrics) : first(metrics), second(metrics) {}

  // `picked` are the systems, those of the first side before those of the second.
  template <class Count>
  void set(const BootstrapInput& in, const std::vector<Count>& sums, const std::vector<std::size_t>& picked) {
    std::ranges::fill(first, 0.0);
    std::ranges::fill(second, 0.0);
    for (std::size_t i = 0; i < picked.size(); ++i) {
      const std::size_t side = i < in.first ? in.first : picked.size() - in.first;
      std::vector<double>& out = i < in.first ? first : second;
      for (std::size_t m = 0; m < in.chosen.size(); ++m) {
        const std::size_t at = (picked[i] * in.chosen.size() + m) * 2;
        out[m] += f1(sums[at], sums[at + 1]) / static_cast<double>(side);
      }
    }
  }

  std::vector<double> first, second;
};

// Nearest ranks from both ends, so that exchanging the sides mirrors the interval exactly.
Interval percentiles(std::vector<double>& values, double level) {
  std::ranges::sort(values);
  const double tail = (100.0 - level) / 200.0;
  const auto lower = static_cast<std::size_t>(tail * static_cast<double>(values.size() - 1));
  return {values[lower], values[values.size() - 1 - lower]};
}

template <class Count>
std::vector<MetricDraws> run(const BootstrapInput& in, std::size_t sentences) {
  const Rows<Count> rows(in, sentences);
  const std::size_t metrics = in.chosen.size(), second = in.systems.size() - in.first;
  const bool paired = second != 0;
  std::vector<std::size_t> picked(in.systems.size());
  for (std::size_t i = 0; i < picked.size(); ++i) picked[i] = i;
  std::vector<Count> sums(rows.width);
  const auto add = [&](std::size_t sentence) {
    const Count* row = &rows.counts[sentence * rows.width];
    for (std::size_t c = 0; c < rows.width; ++c) sums[c] += row[c];
  };

  std::vector<MetricDraws> out(metrics);
  Figures figures(metrics);
  for (std::size_t s = 0; s < sentences; ++s) add(s);
  figures.set(in, sums, picked);
  for (std::size_t m = 0; m < metrics; ++m) {
    out[m].first = figures.first[m];
    out[m].second = figures.second[m];
    out[m].difference = paired ? figures.first[m] - figures.second[m] : 0;
  }

  const auto draws = static_cast<std::size_t>(in.draws);
  std::vector<std::vector<double>> firsts(metrics), seconds(metrics), differences(metrics);
  Rng seeds(in.seed);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    Rng rng(seeds.next());
    std::ranges::fill(sums, Count{0});
    for (std::size_t i = 0; i < sentences; ++i) add(static_cast<std::size_t>(rng.below(static_cast<int>(sentences))));
    for (std::size_t i = 0; i < in.first; ++i)
      picked[i] = static_cast<std::size_t>(rng.below(static_cast<int>(in.first)));
    for (std::size_t i = 0; i < second; ++i)
      picked[in.first + i] = in.first + static_cast<std::size_t>(rng.below(static_cast<int>(second)));
    figures.set(in, sums, picked);
    for (std::size_t m = 0; m < metrics; ++m) {
      firsts[m].push_back(figures.first[m]);
      if (!paired) continue;
      const double difference = figures.first[m] - figures.second[m];
      seconds[m].push_back(figures.second[m]);
      differences[m].push_back(difference);
      const double observed = out[m].difference;
      out[m].flips += observed > 0 ? difference < kEqual : difference > -kEqual;
    }
  }
  for (std::size_t m = 0; m < metrics && draws != 0; ++m) {
    out[m].first_interval = percentiles(firsts[m], in.level);
    if (!paired) continue;
    out[m].second_interval = percentiles(seconds[m], in.level);
    out[m].interval = percentiles(differences[m], in.level);
    // Nothing was observed that could flip.
    if (std::abs(out[m].difference) < kEqual) out[m].flips = in.draws;
  }
  return out;
}

}  // namespace

std::vector<MetricDraws> bootstrap(const BootstrapInput& in) {
  const std::size_t sentences = in.systems.at(0).size() / in.metrics;
  std::int64_t most = 0;  // the largest sum that a draw can have
  for (const auto& table : in.systems)
    for (const Tally& t : table) most = std::max<std::int64_t>(most, std::int64_t{t.gold} + t.system);
  most *= static_cast<std::int64_t>(sentences);
  // Half as wide, twice as fast.
  if (most <= std::numeric_limits<std::int32_t>::max()) return run<std::int32_t>(in, sentences);
  return run<std::int64_t>(in, sentences);
}

}  // namespace dynarc::score
