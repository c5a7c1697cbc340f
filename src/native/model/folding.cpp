#include "model/folding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/rng.hpp"
#include "model/rows.hpp"

namespace dynarc {

StateSample::StateSample(const Templates& templates)
    : atoms_(templates.atoms().size()), values_(templates.atoms().size() + templates.nodes().size()) {
  for (std::size_t a = 0; a < atoms_; ++a)
    if (templates.atoms()[a].has_many_values()) many_.push_back(static_cast<int>(a));
}

void StateSample::add(Extractor& extractor, const EncodedSentence& words) {
  const std::lock_guard lock(mutex_);
  if (states_ == kStates) return;
  for (std::size_t a = 0; a < atoms_; ++a) values_[a].push_back(extractor.value(static_cast<int>(a)));
  for (const int a : many_) values_[static_cast<std::size_t>(a)].back() = extractor.value_of_many(a, words);
  for (std::size_t n = atoms_; n < values_.size(); ++n)
    values_[n].push_back(words.word_key(extractor.node(static_cast<int>(n - atoms_))));
  if (++states_ == kStates) full_.store(true, std::memory_order_release);
}

namespace {

// Nanoseconds, about. Only speed depends on them.
constexpr double kLookUp = 20;       // a feature by itself
constexpr double kFind = 10;         // a group's row, and
constexpr double kAddUnit = 2;       // for each kRowUnit classes
constexpr double kLookUpLater = 50;  // a feature of a row that is not there
constexpr double kFindPart = 30;     // that of a part, when the row is not there
constexpr double kKeep = 150;        // a row that was not there
constexpr double kLater = 16;        // so many samples later it should pay
constexpr double kManyFeatures = 3;  // of a template with many values

}  // namespace

// Groups while they are put together.
class Grouping {
 public:
  Grouping(const Templates& templates, const WordFoldPlan& words, const StateSample& sample, FoldPlan& plan,
           std::size_t length)
      : templates_(templates),
        sample_(sample),
        plan_(plan),
        row_(kFind + kAddUnit * static_cast<double>(length) / kRowUnit) {
    seen_.resize(std::bit_ceil(2 * std::max<std::size_t>(1, sample.states())));
    for (std::size_t t = 0; t < templates.templates().size(); ++t) {
      if (words.folds(t)) continue;
      Group group;
      group.templates = {static_cast<int>(t)};
      add_terms(t, words, group.terms);
      double features = 1;
      for (const int a : templates.templates()[t].atoms)
        if (templates.atoms()[static_cast<std::size_t>(a)].has_many_values()) features = kManyFeatures;
      group.now = features * kLookUp;
      group.then = features * kLookUpLater;
      add(std::move(group));
    }
    for (Group& group : groups_) {
      group.sums.assign(sample.states(), 0);
      add_terms(group.sums, group.terms);
      group.miss = misses(group.sums);
      group.later = later(group);
    }
  }

  void run() {
    merge_subsets();
    merge_pairs();
    for (const Group& group : groups_) {
      if (row_ + group.later < alone(group)) {
        plan_.tops_.push_back(finish(group));
        continue;
      }
      plan_.templates_.insert(plan_.templates_.end(), group.templates.begin(), group.templates.end());
    }
    std::ranges::sort(plan_.templates_);
  }

 private:
  // `later` is what is to be done where its row is not there, times how often that is.
  struct Group {
    std::vector<int> terms, templates;
    std::vector<Group> parts;
    double now = 0, then = 0;  // what its templates cost, always and where the row is not there
    double miss = 0, later = 0;
    std::vector<std::uint64_t> sums;  // the key of each state of the sample
  };

  void add_terms(std::size_t t, const WordFoldPlan& words, std::vector<int>& terms) const {
    const std::vector<int>& atoms = templates_.templates()[t].atoms;
    const auto of_word = [&](int a) {
      const AtomPlan& atom = templates_.atoms()[static_cast<std::size_t>(a)];
      return !atom.is_function && static_cast<int>(atom.attribute) < kWordAttributes;
    };
    const auto node = [&](int a) { return templates_.atoms()[static_cast<std::size_t>(a)].node; };
    for (const int a : atoms) {
      // Where one attribute of a word has many values, the whole word is not much more.
      const bool whole =
          words.is_large(a) ||
          (of_word(a) && std::ranges::any_of(atoms, [&](int b) { return words.is_large(b) && node(b) == node(a); }));
      terms.push_back(whole ? plan_.atoms() + node(a) : a);
    }
    std::ranges::sort(terms);
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  }

  void add(Group&& group) {
    const auto same = std::ranges::find(groups_, group.terms, &Group::terms);
    if (same == groups_.end()) {
      groups_.push_back(std::move(group));
      return;
    }
    same->templates.insert(same->templates.end(), group.templates.begin(), group.templates.end());
    same->now += group.now;
    same->then += group.then;
  }

  int finish(const Group& group) {
    FoldPlan::Group out{0, group.terms, group.templates, {}};
    for (const Group& part : group.parts) out.parts.push_back(finish(part));
    plan_.groups_.push_back(std::move(out));
    return static_cast<int>(plan_.groups_.size()) - 1;
  }

  void add_terms(std::vector<std::uint64_t>& sums, const std::vector<int>& terms) const {
    for (const int term : terms) {
      const std::vector<std::uint64_t>& values = sample_.values(term);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += plan_.weigh(term, values[i]);
    }
  }

  // How often a row is not there when far more has been seen than the sample: the number of rows grows by some power of
  // the number of configurations, which its two halves show.
  double misses(const std::vector<std::uint64_t>& sums) {
    if (sums.empty()) return 1;
    std::ranges::fill(seen_, 0);
    const std::size_t mask = seen_.size() - 1, half = sums.size() / 2;
    std::size_t early = 0, late = 0;
    for (std::size_t s = 0; s < sums.size(); ++s) {
      const Key key = FoldPlan::spread(sums[s]) | 1;
      std::size_t i = key >> 40 & mask;
      while (seen_[i] != 0 && seen_[i] != key) i = (i + 1) & mask;
      (s < half ? early : late) += seen_[i] == 0;
      seen_[i] = key;
    }
    const double growth =
        std::log2(static_cast<double>(early + late) / static_cast<double>(std::max<std::size_t>(early, 1)));
    return static_cast<double>(late) / static_cast<double>(sums.size() - half) * std::pow(kLater, growth - 1);
  }

  double alone(const Group& group) const {
    return group.parts.empty() ? group.now : std::numeric_limits<double>::infinity();
  }
  static double later(const Group& group) {
    double sum = group.miss * (kKeep + group.then);
    for (const Group& part : group.parts) sum += group.miss * kFindPart + part.later;
    return sum;
  }
  double cost(const Group& group) const { return std::min(alone(group), row_ + group.later); }

  // Where a whole is not known, a group in it is one of its parts, or better what it consists of is.
  static double dissolved(const Group& group, double miss) {
    double sum = miss * group.then;
    for (const Group& part : group.parts) sum += miss * kFindPart + part.later;
    return sum;
  }
  static double kept(const Group& group, double miss) { return miss * kFindPart + group.later; }
  static double later_with(const Group& group, double miss) {
    return std::min(kept(group, miss), dissolved(group, miss));
  }
  static void take(Group& whole, Group&& group) {
    if (kept(group, whole.miss) < dissolved(group, whole.miss)) {
      group.sums = {};
      whole.parts.push_back(std::move(group));
      return;
    }
    whole.templates.insert(whole.templates.end(), group.templates.begin(), group.templates.end());
    whole.now += group.now;
    whole.then += group.then;
    for (Group& part : group.parts) whole.parts.push_back(std::move(part));
  }

  // A group whose atoms another one has as well costs that one only where its row is not there.
  void merge_subsets() {
    std::ranges::stable_sort(groups_, {}, [](const Group& group) { return group.terms.size(); });
    for (std::size_t i = 0; i < groups_.size();) {
      Group& small = groups_[i];
      std::size_t best = i;
      double least = cost(small);
      for (std::size_t j = i + 1; j < groups_.size(); ++j) {
        const Group& large = groups_[j];
        if (!std::ranges::includes(large.terms, small.terms)) continue;
        const double more = row_ + large.later + later_with(small, large.miss) - cost(large);
        if (more < least) best = j, least = more;
      }
      if (best == i) {
        ++i;
        continue;
      }
      take(groups_[best], std::move(small));
      groups_[best].later = later(groups_[best]);
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  struct Union {
    double gain = 0, miss = 0;
  };
  Union united(const Group& a, const Group& b) {
    const double now = cost(a) + cost(b);
    const auto together = [&](double miss) { return row_ + miss * kKeep + later_with(a, miss) + later_with(b, miss); };
    if (together(std::max(a.miss, b.miss)) >= now) return {};
    missing_.clear();
    std::ranges::set_difference(b.terms, a.terms, std::back_inserter(missing_));
    both_ = a.sums;
    add_terms(both_, missing_);
    const double miss = misses(both_);
    return {now - together(miss), miss};
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
          if (pairs[i][j].gain > (into == from ? 0 : pairs[into][from].gain)) into = i, from = j;
      if (into == from) return;
      Group whole;
      whole.miss = pairs[into][from].miss;
      std::ranges::set_union(groups_[into].terms, groups_[from].terms, std::back_inserter(whole.terms));
      whole.sums.assign(sample_.states(), 0);
      add_terms(whole.sums, whole.terms);
      take(whole, std::move(groups_[into]));
      take(whole, std::move(groups_[from]));
      whole.later = later(whole);
      groups_[into] = std::move(whole);
      groups_[from] = {};
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        if (i != from) pairs[std::max(i, from)][std::min(i, from)] = {};
        if (i != into && i != from && !groups_[i].terms.empty())
          pairs[std::max(i, into)][std::min(i, into)] = united(groups_[into], groups_[i]);
      }
    }
  }

  const Templates& templates_;
  const StateSample& sample_;
  FoldPlan& plan_;
  double row_;
  std::vector<Group> groups_;
  std::vector<Key> seen_;
  std::vector<int> missing_;
  std::vector<std::uint64_t> both_;
};

FoldPlan::FoldPlan(const Templates& templates, const WordFoldPlan& words, const StateSample& sample, std::size_t length)
    : atoms_(static_cast<int>(templates.atoms().size())) {
  Rng rng(templates.atoms().size());
  for (std::size_t i = 0; i < templates.atoms().size() + templates.nodes().size(); ++i)
    multiplier_.push_back(rng.next() | 1);
  Grouping(templates, words, sample, *this, length).run();
  for (Group& group : groups_) group.seed = rng.next();
  // Measured on English: with 7 of 72 looked up one by one it pays after some 100,000 words, with over 40 of 201 it
  // does not.
  pays_ = 5 * templates_.size() < templates.templates().size();
}

}  // namespace dynarc
