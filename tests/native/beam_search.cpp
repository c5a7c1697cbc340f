// A beam as wide as there are pairs of classes finds the best of all sequences; a narrower one finds none that is
// better.
#include <cassert>
#include <cstdint>
#include <vector>

#include "base/rng.hpp"
#include "tag/tagger.hpp"

using namespace dynarc;

namespace {

// Scores of a class by its word and the two classes before: any numbers.
struct Scores3 {
  std::uint64_t seed;
  int classes;

  std::int64_t of(std::size_t word, int t1, int t2, int c) const {
    const auto place = static_cast<std::uint64_t>(((static_cast<int>(word) * 17 + t1 + 1) * 17 + t2 + 1) * 17 + c);
    return Rng(seed * 1'000'003 + place).below(100) - 50;
  }
};

std::int64_t total(const Scores3& scores, const std::vector<int>& tags) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < tags.size(); ++i)
    sum += scores.of(i, i > 0 ? tags[i - 1] : -1, i > 1 ? tags[i - 2] : -1, tags[i]);
  return sum;
}

std::int64_t best_of_all(const Scores3& scores, std::size_t words) {
  std::vector<int> tags(words, 0);
  std::int64_t best = total(scores, tags);
  for (;;) {
    std::size_t i = 0;
    while (i < words && ++tags[i] == scores.classes) tags[i++] = 0;
    if (i == words) return best;
    best = std::max(best, total(scores, tags));
  }
}

std::vector<int> found(const Scores3& scores, std::size_t words, int width) {
  BeamSearch<std::int64_t> beam;
  std::vector<int> tags(words);
  std::vector<std::int64_t> row(static_cast<std::size_t>(scores.classes));
  for (std::size_t i = 0; i < words; ++i)
    beam.step(
        i, 0, scores.classes, width, -1,
        [&](int t1, int t2) {
          for (int c = 0; c < scores.classes; ++c) row[static_cast<std::size_t>(c)] = scores.of(i, t1, t2, c);
          return row.data();
        },
        [](int) { return true; });
  beam.best(words - 1, tags);
  return tags;
}

}  // namespace

int main() {
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    for (const int classes : {1, 2, 3})
      for (const std::size_t words : {1u, 2u, 4u, 6u}) {
        const Scores3 scores{seed, classes};
        const std::int64_t best = best_of_all(scores, words);
        assert(total(scores, found(scores, words, classes * classes)) == best);
        for (const int width : {1, 2, 4}) assert(total(scores, found(scores, words, width)) <= best);
      }
  return 0;
}
