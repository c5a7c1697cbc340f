#include "model/folding.hpp"

#include <algorithm>
#include <bit>

#include "base/rng.hpp"
#include "model/rows.hpp"

namespace dynarc {

StateSample::StateSample(const Templates& templates) : values_(templates.atoms().size()) {
  for (std::size_t a = 0; a < values_.size(); ++a)
    if (templates.atoms()[a].has_many_values()) many_.push_back(static_cast<int>(a));
}

void StateSample::add(Extractor& extractor, const EncodedSentence& words) {
  const std::lock_guard lock(mutex_);
  if (states_ == kStates) return;
  for (std::size_t a = 0; a < values_.size(); ++a) values_[a].push_back(extractor.value(static_cast<int>(a)));
  for (const int a : many_) values_[static_cast<std::size_t>(a)].back() = extractor.value_of_many(a, words);
  if (++states_ == kStates) full_.store(true, std::memory_order_release);
}

namespace {

// Nanoseconds, about. Only speed depends on them.
constexpr double kLookUp = 20;        // a feature by itself
constexpr double kFind = 8;           // a group's row, and
constexpr double kAddUnit = 2;        // for each kRowUnit classes
constexpr double kKeep = 40;          // a row that was not there
constexpr double kLaterMisses = 0.5;  // of those that a sample shows, how many stay when far more has been seen
constexpr double kManyFeatures = 3;   // of a template with many values

// Groups while they are put together.
class Grouping {
 public:
  Grouping(const Templates& templates, const StateSample& sample, FoldPlan& plan, std::size_t length)
      : sample_(sample), plan_(plan), row_(kFind + kAddUnit * static_cast<double>(length) / kRowUnit) {
    counts_.resize(std::bit_ceil(4 * std::max<std::size_t>(1, sample.states())));
    for (std::size_t t = 0; t < templates.templates().size(); ++t) {
      Group group;
      group.atoms = templates.templates()[t].atoms;
      std::ranges::sort(group.atoms);
      group.atoms.erase(std::unique(group.atoms.begin(), group.atoms.end()), group.atoms.end());
      group.templates = {static_cast<int>(t)};
      group.features = 1;
      for (const int a : group.atoms)
        if (templates.atoms()[static_cast<std::size_t>(a)].has_many_values()) group.features = kManyFeatures;
      const auto same = std::ranges::find(groups_, group.atoms, &Group::atoms);
      if (same == groups_.end())
        groups_.push_back(std::move(group));
      else
        take(*same, group);
    }
    for (Group& group : groups_) {
      group.sums.assign(sample.states(), 0);
      add_atoms(group.sums, group.atoms);
      group.miss = misses(group.sums);
    }
  }

  void run() {
    merge_subsets();
    merge_pairs();
    for (Group& group : groups_) {
      if (pays(group))
        plan_.groups.push_back({0, group.atoms, group.templates});
      else
        plan_.alone.insert(plan_.alone.end(), group.templates.begin(), group.templates.end());
    }
    std::ranges::sort(plan_.alone);
  }

 private:
  struct Group {
    std::vector<int> atoms, templates;
    double features = 0, miss = 0;
    std::vector<std::uint64_t> sums;  // the key of each state of the sample
  };

  static void take(Group& group, const Group& other) {
    group.templates.insert(group.templates.end(), other.templates.begin(), other.templates.end());
    group.features += other.features;
  }
  void add_atoms(std::vector<std::uint64_t>& sums, const std::vector<int>& atoms) const {
    for (const int a : atoms) {
      const std::vector<std::uint64_t>& values = sample_.values(static_cast<std::size_t>(a));
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += plan_.part(a, values[i]);
    }
  }

  // By the share of values that were seen once (Good 1953): how likely one is that was not seen.
  double misses(const std::vector<std::uint64_t>& sums) {
    if (sums.empty()) return 1;
    std::ranges::fill(counts_, Count{});
    std::size_t once = 0;
    const std::size_t mask = counts_.size() - 1;
    for (const std::uint64_t sum : sums) {
      const Key key = FoldPlan::spread(sum) | 1;
      for (std::size_t i = key >> 40 & mask;; i = (i + 1) & mask) {
        Count& count = counts_[i];
        if (count.key != 0 && count.key != key) continue;
        count.key = key;
        once += count.times == 0;
        once -= count.times == 1;
        ++count.times;
        break;
      }
    }
    return kLaterMisses * static_cast<double>(once) / static_cast<double>(sums.size());
  }

  double cost_of_rows(double features, double miss) const { return row_ + miss * (features * kLookUp + kKeep); }
  bool pays(const Group& group) const { return cost_of_rows(group.features, group.miss) < group.features * kLookUp; }
  double cost(double features, double miss) const { return std::min(features * kLookUp, cost_of_rows(features, miss)); }
  double cost(const Group& group) const { return cost(group.features, group.miss); }

  // A group whose atoms another one has as well costs that one only where its row is not there.
  void merge_subsets() {
    std::ranges::stable_sort(groups_, {}, [](const Group& group) { return group.atoms.size(); });
    for (std::size_t i = 0; i < groups_.size();) {
      Group& small = groups_[i];
      std::size_t best = i;
      double least = cost(small);
      for (std::size_t j = i + 1; j < groups_.size(); ++j) {
        const Group& large = groups_[j];
        if (!std::ranges::includes(large.atoms, small.atoms)) continue;
        const double more = cost(large.features + small.features, large.miss) - cost(large);
        if (more < least) best = j, least = more;
      }
      if (best == i) {
        ++i;
        continue;
      }
      take(groups_[best], small);
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  struct Union {
    double gain = 0, miss = 0;
  };
  Union united(const Group& a, const Group& b) {
    const double now = cost(a) + cost(b), features = a.features + b.features;
    if (cost(features, std::max(a.miss, b.miss)) >= now) return {};
    missing_.clear();
    std::ranges::set_difference(b.atoms, a.atoms, std::back_inserter(missing_));
    both_ = a.sums;
    add_atoms(both_, missing_);
    const double miss = misses(both_);
    return {now - cost(features, miss), miss};
  }

  // Again and again the two groups that gain most by being one.
  void merge_pairs() {
    std::vector<std::vector<Union>> pairs(groups_.size(), std::vector<Union>(groups_.size()));
    for (std::size_t i = 0; i < groups_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) pairs[i][j] = united(groups_[i], groups_[j]);
    while (true) {
      std::size_t into = 0, from = 0;
      for (std::size_t i = 0; i < groups_.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (pairs[i][j].gain > pairs[into][from].gain) into = i, from = j;
      if (into == from) return;
      Group &group = groups_[into], &other = groups_[from];
      missing_.clear();
      std::ranges::set_difference(other.atoms, group.atoms, std::back_inserter(missing_));
      add_atoms(group.sums, missing_);
      group.miss = pairs[into][from].miss;
      group.atoms.insert(group.atoms.end(), missing_.begin(), missing_.end());
      std::ranges::sort(group.atoms);
      take(group, other);
      other = {};
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        pairs[std::max(i, from)][std::min(i, from)] = {};
        if (i != into && !groups_[i].templates.empty())
          pairs[std::max(i, into)][std::min(i, into)] = united(group, groups_[i]);
      }
    }
  }

  struct Count {
    Key key = 0;
    std::uint32_t times = 0;
  };

  const StateSample& sample_;
  FoldPlan& plan_;
  double row_;
  std::vector<Group> groups_;
  std::vector<Count> counts_;
  std::vector<int> missing_;
  std::vector<std::uint64_t> both_;
};

}  // namespace

FoldPlan::FoldPlan(const Templates& templates, const StateSample& sample, std::size_t length) {
  Rng rng(templates.atoms().size());
  for (std::size_t a = 0; a < templates.atoms().size(); ++a) multiplier.push_back(rng.next() | 1);
  Grouping(templates, sample, *this, length).run();
  for (Group& group : groups) {
    group.seed = rng.next();
    for (const int a : group.atoms)
      if (templates.atoms()[static_cast<std::size_t>(a)].has_many_values() && std::ranges::find(many, a) == many.end())
        many.push_back(a);
  }
}

}  // namespace dynarc
