// Keys and places of several configurations at once are those of each by itself, with any vectors.
#include "model/lane_plan.hpp"

#include <cassert>
#include <initializer_list>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/simd.hpp"
#include "model/folding.hpp"

using namespace dynarc;

int main() {
  Rng rng(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t inputs = 1 + rng.next() % 12;
    std::vector<LanePlan::Lanes> in(inputs);
    for (LanePlan::Lanes& lanes : in)
      for (std::uint64_t& value : lanes.of) value = rng.next() >> (rng.next() % 64);
    std::vector<std::uint64_t> multipliers(inputs);
    for (std::uint64_t& multiplier : multipliers) multiplier = rng.next() | 1;
    const auto any = [&] { return static_cast<std::size_t>(rng.next() % inputs); };

    LanePlan plan;
    LanePlan::Results expected;
    const std::size_t count = rng.next() % 9;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<LanePlan::Term> terms;
      std::vector<LanePlan::Digit> digits;
      std::vector<int> atoms;
      for (std::size_t n = rng.next() % 5; n > 0; --n) {
        const std::size_t input = any();
        terms.push_back({input, multipliers[input]});
        digits.push_back({any(), rng.next() % 100, std::uint64_t{1} << rng.next() % 64});
        atoms.push_back(static_cast<int>(any()));
      }
      const Key seed = rng.next();
      const std::uint64_t begin = rng.next() % 1000;
      const std::size_t list = any();
      const bool limited = rng.next() % 2 == 0;
      plan.add_group(seed, terms);
      plan.add_place(list, begin, digits, limited);
      plan.add_feature(seed, atoms);
      LanePlan::Lanes group, place, feature;
      for (std::size_t lane = 0; lane < LanePlan::kLanes; ++lane) {
        Key sum = seed;
        for (const LanePlan::Term& term : terms) sum += in[term.input].of[lane] * term.multiplier;
        group.of[lane] = FoldPlan::spread(sum);
        bool within = true;
        place.of[lane] = in[list].of[lane] + begin;
        for (const LanePlan::Digit& digit : digits) {
          place.of[lane] += in[digit.input].of[lane] * digit.unit;
          within &= in[digit.input].of[lane] < digit.limit;
        }
        if (limited && !within) place.of[lane] = 0;
        feature.of[lane] = seed;
        for (const int atom : atoms)
          feature.of[lane] = Extractor::mix(feature.of[lane], in[static_cast<std::size_t>(atom)].of[lane]);
      }
      expected.groups.push_back(group);
      expected.places.push_back(place);
      expected.features.push_back(feature);
    }

    for (const char* const vectors : {"portable", "avx2", "avx512"}) {
      try {
        use_simd(vectors);
      } catch (const ConfigError&) {
        continue;  // this processor has none of them
      }
      LanePlan::Results out;
      plan.run(in, out);
      const auto same = [](const std::vector<LanePlan::Lanes>& a, const std::vector<LanePlan::Lanes>& b) {
        assert(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i)
          for (std::size_t lane = 0; lane < LanePlan::kLanes; ++lane) assert(a[i].of[lane] == b[i].of[lane]);
      };
      same(out.groups, expected.groups);
      same(out.places, expected.places);
      same(out.features, expected.features);
    }
  }
}
