// Learning a tagger: the averaged perceptron, greedy (on its own tags, errors included) or structured (beam search with
// early updates).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "learn/weights.hpp"
#include "tag/tagger.hpp"

namespace dynarc {

struct TagOptions {
  int min_count = 2;      // rarer words are not known by their text, and not in the dictionary
  int fixed_count = 10;   // words seen so often, always with one tag, always get it; 0: none does
  int explore_after = 1;  // from the epoch after this one on, the tags before a word are the tagger's own
  std::uint64_t seed = 1;
  double fixed_share = 1;  // always: so many of their occurrences, of 1
};

struct TagReport {
  std::uint64_t words = 0, wrong = 0, updates = 0;
};

class TagTraining {
 public:
  // `classes` are the right ones, one for each word, -1 where that is not known. Texts must stay where they are.
  TagTraining(TaggerShape shape, const TagOptions& options, std::vector<TagSequence> sentences,
              std::vector<std::vector<int>> classes);

  TagReport epoch();
  std::shared_ptr<Tagger> tagger() const;  // with the averaged weights

 private:
  struct Sentence {
    TagSequence words;
    std::vector<const SeenWord*> seen;
    std::vector<int> classes;
  };

  void make_dictionary();
  void make_group_dictionary();
  bool is_fixed(int usual, int all) const;
  void learn_greedily(const Sentence& sentence, TagReport& report);
  void learn_by_search(const Sentence& sentence, TagReport& report);
  void find_keys(int i, int t1, int t2, std::vector<Key>& keys);
  std::pair<int, int> range(const Sentence& sentence, std::size_t i) const;
  int fixed(const Sentence& sentence, std::size_t i) const;

  TaggerShape shape_;
  TagOptions options_;
  std::vector<Sentence> sentences_;
  std::deque<SeenWord> words_;
  SeenWord nothing_;
  TagDictionary dictionary_;
  std::unordered_map<Key, int> fixed_;  // where there are several groups
  TrainingWeights weights_;
  TagView view_;
  std::vector<Key> keys_;
  BeamSearch<double> beam_;
  double moment_ = 0;
  int epochs_ = 0;
};

}  // namespace dynarc
