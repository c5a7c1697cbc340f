// Templates about one word, and at most a few things of few values besides: what they add to the scores is found once
// for each word and value. Afterwards its row is where the word and the value say.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "features/extractor.hpp"
#include "model/folded_rows.hpp"

namespace dynarc {

// Which templates those are, and where the rows of a word are in its list.
class WordFoldPlan {
 public:
  // Templates of a node and the atoms that they have besides those of its word, which are digits of a number. A value
  // too large for its digit is one that was not foreseen: then the templates are looked up.
  struct Digit {
    int atom;
    std::uint64_t values;
    bool complete;  // all values are foreseen
  };
  struct Group {
    int node;
    std::vector<int> templates;
    std::vector<Digit> digits;
    std::size_t begin = 0, size = 1;  // in the list
  };

  WordFoldPlan(const Templates& templates, const WordEncoder& encoder, const LabelValues& labels, int valency_cap);

  const std::vector<Group>& groups() const { return groups_; }
  std::size_t size() const { return size_; }
  bool folds(std::size_t t) const { return folds_[t]; }
  // An attribute of words of which there are too many values for a row each.
  bool is_large(int atom) const { return large_[static_cast<std::size_t>(atom)]; }

 private:
  void merge();

  std::vector<Group> groups_;
  std::size_t size_ = 0;
  std::vector<bool> folds_, large_;  // by template; by atom
};

// Words that are met often, each with a list of sums, which are known from when somebody needs them on. Several threads
// may use it.
class FoldedWords {
 public:
  using Sum = FoldedRows::Sum;

  FoldedWords(const WordFoldPlan& plan, std::size_t bytes);

  // Where the list of a word begins, by its word_key; kNoList if it has none. One that is met again and again gets one,
  // if there is room.
  void ask(Key key) const { numbers_.ask(key); }
  std::uint32_t find(Key key) {
    const std::uint32_t number = numbers_.find(key);
    return number != 0 ? begin(number) : meet(key);
  }
  // A list of zeros; before it, at 0, is one zero more.
  static constexpr std::uint32_t kNoList = 1;

  // The sum at a place; FoldedRows::kNotKept if it is not known.
  void ask_at(std::size_t place) const { __builtin_prefetch(&lists_[place]); }
  Sum load(std::size_t place) const {
    return std::atomic_ref<Sum>(const_cast<Sum&>(lists_[place])).load(std::memory_order_acquire);
  }
  void store(std::size_t place, Sum sum) { std::atomic_ref<Sum>(lists_[place]).store(sum, std::memory_order_release); }

 private:
  std::uint32_t meet(Key key);
  std::uint32_t begin(std::size_t number) const { return static_cast<std::uint32_t>(kNoList + number * size_); }

  static constexpr int kOften = 4;
  std::size_t size_, most_;  // of a list; how many
  KeptNumbers numbers_;
  Room<Sum> lists_;
  std::vector<std::atomic<std::uint8_t>> met_;  // how often words were, some of them together
  std::atomic<std::size_t> used_{1};
};

}  // namespace dynarc
