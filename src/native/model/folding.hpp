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

namespace dynarc {

// The values of all atoms, as a number each; several threads may add.
class StateSample {
 public:
  explicit StateSample(const Templates& templates);

  bool full() const { return full_.load(std::memory_order_acquire); }
  // What `extractor` has just looked at.
  void add(Extractor& extractor, const EncodedSentence& words);

  std::size_t states() const { return states_; }
  const std::vector<std::uint64_t>& values(std::size_t atom) const { return values_[atom]; }

 private:
  static constexpr std::size_t kStates = 8192;
  std::vector<int> many_;                           // atoms that have many values
  std::vector<std::vector<std::uint64_t>> values_;  // by atom
  std::size_t states_ = 0;
  std::atomic<bool> full_{false};
  std::mutex mutex_;
};

struct FoldPlan {
  struct Group {
    Key seed = 0;
    std::vector<int> atoms;
    std::vector<int> templates;
  };
  std::vector<Group> groups;
  std::vector<int> alone;                 // templates whose features are looked up one by one
  std::vector<int> many;                  // atoms of groups that have many values
  std::vector<std::uint64_t> multiplier;  // by atom

  // `length` is that of rows.
  FoldPlan(const Templates& templates, const StateSample& sample, std::size_t length);

  // The key of a group is a sum over its atoms, spread over all bits.
  std::uint64_t part(int atom, std::uint64_t value) const { return value * multiplier[static_cast<std::size_t>(atom)]; }
  static Key spread(Key sum) {
    sum = (sum ^ sum >> 32) * 0xD6E8FEB86659FD93u;
    return (sum ^ sum >> 32) * 0xD6E8FEB86659FD93u;
  }
};

}  // namespace dynarc
