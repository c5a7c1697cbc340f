// Sums of rows and the best of them: the same by vectors and without, and what a plain loop finds.
#include "model/rows.hpp"

#include <cassert>
#include <vector>

#include "base/rng.hpp"
#include "base/simd.hpp"

using namespace dynarc;

namespace {

// What this processor has besides the portable way.
std::vector<const char*> wider() {
  use_simd("auto");
  std::vector<const char*> names;
  if (simd() >= Simd::avx2) names.push_back("avx2");
  if (simd() >= Simd::avx512) names.push_back("avx512");
  return names;
}

template <class Weight, class Number>
void check_sums(Rng& rng, std::size_t classes) {
  const std::size_t length = row_length(classes), count = 40;
  std::vector<Weight> table(count * length);
  for (Weight& weight : table) weight = static_cast<Weight>(rng.below(65535) - 32767) / static_cast<Weight>(1);
  std::vector<std::uint32_t> rows;
  for (int i = rng.below(60); i > 0; --i) rows.push_back(static_cast<std::uint32_t>(rng.below(count)));
  std::vector<Number> plain(length, 3), portable = plain, vectors = plain;
  for (const std::uint32_t row : rows)
    for (std::size_t c = 0; c < length; ++c) plain[c] += table[row * length + c];
  use_simd("portable");
  add_rows(table.data(), rows, length, portable.data());
  assert(plain == portable);
  for (const char* const name : wider()) {
    std::vector<Number> sums = vectors;
    use_simd(name);
    add_rows(table.data(), rows, length, sums.data());
    assert(plain == sums);
  }
}

template <class Number>
void check_greatest(Rng& rng) {
  std::vector<Number> scores;
  for (int i = 0; i < 100; ++i) scores.push_back(static_cast<Number>(rng.below(12) - 6));
  for (int first = 0; first < 100; ++first)
    for (int last = first + 1; last <= 100; ++last) {
      int plain = first;
      for (int c = first; c < last; ++c)
        if (scores[c] > scores[plain]) plain = c;
      for (const char* const name : {"portable", "auto"}) {
        use_simd(name);
        assert(first_greatest(scores.data(), first, last) == plain);
      }
    }
}

// Of those that are in a set, with many equals, up to the most that a set takes.
void check_greatest_of(Rng& rng) {
  std::vector<std::int32_t> scores(row_length(ClassSet::kMost));
  for (std::int32_t& score : scores) score = rng.below(12) - 6;
  ClassSet set;
  std::vector<bool> in(scores.size());
  for (int i = 1 + rng.below(4); i > 0; --i) {
    const int most = rng.below(2) == 0 ? 64 : ClassSet::kMost, first = rng.below(most),
              last = first + 1 + rng.below(most - first);
    set.add(first, last);
    for (int c = first; c < last; ++c) in[static_cast<std::size_t>(c)] = true;
  }
  int plain = -1;
  for (int c = 0; c < ClassSet::kMost; ++c)
    if (in[static_cast<std::size_t>(c)] && (plain < 0 || scores[c] > scores[plain])) plain = c;
  for (const char* const name : {"portable", "auto"}) {
    use_simd(name);
    assert(first_greatest_of(scores.data(), set) == plain);
  }
}

}  // namespace

int main() {
  Rng rng(1);
  for (int i = 0; i < 30; ++i) {
    check_sums<std::int16_t, std::int32_t>(rng, static_cast<std::size_t>(1 + rng.below(300)));
    check_sums<float, float>(rng, static_cast<std::size_t>(1 + rng.below(300)));
    check_greatest<std::int32_t>(rng);
    check_greatest<float>(rng);
    for (int k = 0; k < 100; ++k) check_greatest_of(rng);
  }
}
