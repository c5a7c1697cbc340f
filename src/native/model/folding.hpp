// Folding: which templates are put together, so that what all of them add to the scores is found at once.
//
// What a template adds depends on the values of its atoms alone. So does what a group of templates adds, on the values
// of all their atoms; where these come again and again, the sum is kept and found by one key. Which groups pay is read
// off configurations that a parser went through: the more atoms a group has, the fewer rows are added and the seldomer
// a row is there.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "features/extractor.hpp"
#include "model/word_folding.hpp"

namespace dynarc {

// What configurations are like: the values of all atoms, then the words of all nodes, as a number each. Several threads
// may add to it.
class StateSample {
 public:
  explicit StateSample(const Templates& templates);

  bool full() const { return full_.load(std::memory_order_acquire); }
  // What `extractor` has just looked at.
  void add(Extractor& extractor, const EncodedSentence& words);

  std::size_t states() const { return states_; }
  const std::vector<std::uint64_t>& values(int term) const { return values_[static_cast<std::size_t>(term)]; }

 private:
  static constexpr std::size_t kStates = 6144;
  std::size_t atoms_;
  std::vector<int> many_;  // atoms that have many values
  std::vector<std::vector<std::uint64_t>> values_;
  std::size_t states_ = 0;
  std::atomic<bool> full_{false};
  std::mutex mutex_;
};

// Groups that were put together are groups still: where the sum of the whole is not known, those of its parts may be.
class FoldPlan {
 public:
  // What its key is made of are terms: atoms, or the whole word of a node, which is atoms() + node.
  struct Group {
    Key seed = 0;
    std::vector<int> terms;
    std::vector<int> templates, parts;  // what it consists of; parts are groups
  };

  // Of the templates that `words` leaves over. `length` is that of rows.
  FoldPlan(const Templates& templates, const WordFoldPlan& words, const StateSample& sample, std::size_t length);

  const std::vector<Group>& groups() const { return groups_; }
  // What is asked for in every configuration: groups, and templates that are in none.
  const std::vector<int>& tops() const { return tops_; }
  const std::vector<int>& templates() const { return templates_; }

  // Whether configurations are scored in much less time than feature by feature, once most sums are known.
  bool pays() const { return pays_; }

  int atoms() const { return atoms_; }
  std::size_t terms() const { return multiplier_.size(); }
  std::uint64_t multiplier(int term) const { return multiplier_[static_cast<std::size_t>(term)]; }
  std::uint64_t weigh(int term, std::uint64_t value) const { return value * multiplier(term); }
  Key key(const Group& group, const std::vector<std::uint64_t>& weighed) const {
    Key sum = group.seed;
    for (const int term : group.terms) sum += weighed[static_cast<std::size_t>(term)];
    return spread(sum);
  }
  static constexpr Key kSpread = 0xD6E8FEB86659FD93u;
  static Key spread(Key sum) {
    sum = (sum ^ sum >> 32) * kSpread;
    return (sum ^ sum >> 32) * kSpread;
  }

 private:
  friend class Grouping;

  std::vector<Group> groups_;
  std::vector<int> tops_, templates_;
  int atoms_;
  bool pays_;
  std::vector<std::uint64_t> multiplier_;  // by term
};

}  // namespace dynarc
