// Keys of groups and features and places of rows, made for several configurations at once: one in each lane of a
// vector. What is to be done is read once for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/extractor.hpp"

namespace dynarc {

class LanePlan {
 public:
  static constexpr std::size_t kLanes = 8;
  struct alignas(kLanes * sizeof(std::uint64_t)) Lanes {
    std::uint64_t of[kLanes] = {};
  };

  // The key of a group: FoldPlan::spread of seed + the sum of value * multiplier.
  struct Term {
    std::size_t input;
    std::uint64_t multiplier;
  };
  void add_group(Key seed, std::span<const Term> terms);
  // A place: where a list begins, which is an input, + begin + the sum of value * unit; 0 where a value is not below
  // its limit.
  struct Digit {
    std::size_t input;
    std::uint64_t unit, limit;
  };
  void add_place(std::size_t list, std::uint64_t begin, std::span<const Digit> digits, bool limited);
  // The key of a feature: seed, with values mixed into it.
  void add_feature(Key seed, std::span<const int> inputs);

  struct Results {
    std::vector<Lanes> groups, places, features;  // in the order in which they were added
    std::vector<Lanes> weighed;                   // on the way to them
  };
  void run(const std::vector<Lanes>& inputs, Results& out) const;

 private:
  struct Group {
    Key seed;
    std::size_t terms_end;  // in `group_terms_`, each a place in `terms_`
  };
  struct Place {
    std::size_t list, digits_end;
    std::uint64_t begin;
    bool limited;
  };
  struct Feature {
    Key seed;
    std::size_t inputs_end;
  };
  friend struct LaneRun;

  std::vector<Term> terms_;  // each once
  std::vector<std::size_t> group_terms_;
  std::vector<Group> groups_;
  std::vector<Digit> digits_;
  std::vector<Place> places_;
  std::vector<std::size_t> feature_inputs_;
  std::vector<Feature> features_;
};

}  // namespace dynarc
