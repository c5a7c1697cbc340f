// A class for every word of a sentence, from left to right: tags, and whatever can be seen as one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/weights.hpp"
#include "tag/features.hpp"

namespace dynarc {

// Words as they come to a tagger.
struct TagSequence {
  std::vector<std::string_view> forms;
  std::vector<Key> keys;               // of the forms; empty: not known yet
  std::vector<std::uint32_t> numbers;  // of the forms, if whoever has the lease counts them; empty: the tagger does
  std::vector<int> groups;             // whose classes compete, for each word; -1: none. Empty: there is one group
  std::vector<Key> given;              // what earlier stages found; empty: nothing

  void clear() {
    forms.clear();
    keys.clear();
    numbers.clear();
    groups.clear();
    given.clear();
  }
  int group(std::size_t i) const { return groups.empty() ? 0 : groups[i]; }
};

// Those that are a sentence.
struct Stretch {
  std::size_t first, size;
};

// Which words have which tags: a number for each set of tags, and for words that always have the same one, that. Where
// tags are refined, words that always have the same one within their group.
struct TagDictionary {
  std::vector<Key> forms;                // where there are several groups, mixed with the group
  std::vector<std::uint16_t> ambiguity;  // from 1
  std::vector<std::int32_t> fixed;       // -1: several tags, or not seen often enough
};

struct TaggerShape {
  Look look = Look::tags;
  std::vector<int> groups = {0, 0};  // classes groups[g]..groups[g + 1] - 1 are those of group g
  int beam = 1;                      // so many histories are kept; 1: greedy

  int classes() const { return groups.back(); }
};

// Of a class that cannot be chosen for a word.
using Forbidden = bool (*)(const void* context, std::size_t word, int choice);
struct Veto {
  Forbidden forbidden = nullptr;
  const void* context = nullptr;
  bool operator()(std::size_t word, int choice) const {
    return forbidden != nullptr && forbidden(context, word, choice);
  }
};

class Tagger {
 public:
  // Throws ModelFormatError if they do not fit together.
  Tagger(TaggerShape shape, TagDictionary dictionary, Weights weights);
  ~Tagger();

  const TaggerShape& shape() const { return shape_; }
  const TagDictionary& dictionary() const { return dictionary_; }
  const Weights& weights() const { return weights_; }

  SeenWord seen(std::string_view form) const;
  // The class that a word always has in its group, where there are several groups; -1: it has others.
  int fixed(const SeenWord& word, int group) const {
    const auto found = place_.find(in_group(word.view.form, group));
    return found == place_.end() ? -1 : dictionary_.fixed[found->second];
  }
  static Key in_group(Key form, int group) { return mix_key(form, static_cast<Key>(group) + 1); }

  // What one thread works with: sums that are kept for the words it has met.
  class Worker;
  // One that nobody uses now; given back when the pointer is.
  class Lease {
   public:
    Lease(const Tagger& tagger, std::unique_ptr<Worker> worker);
    Lease(Lease&&) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    // The class of each word of these sentences, -1 where its group has none.
    void tag(const TagSequence& words, std::span<const Stretch> sentences, std::span<int> classes,
             Veto veto = {}) const;
    // The numbers of forms will be others.
    void forget() const;

   private:
    const Tagger* tagger_;
    std::unique_ptr<Worker> worker_;
  };
  Lease lease() const;

 private:
  TaggerShape shape_;
  TagDictionary dictionary_;
  Weights weights_;
  std::unordered_map<Key, std::uint32_t> place_;  // of a form in the dictionary
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Worker>> idle_;
};

// The best sequence of classes by beam search: of histories with the same last two classes the best is kept, and of
// those the `width` best. `score_of(i, t1, t2)` gives the scores of the classes first..last-1 of word i, so that a
// width of the square of the number of classes is Viterbi's algorithm. Of equals the first.
template <class Score>
class BeamSearch {
 public:
  struct Item {
    Score total;
    int choice, before;  // the class, and that of the word before
    int parent;          // its place in the step before
    bool gold;           // all choices so far are the right ones
  };

  template <class ScoreOf, class Allowed>
  void step(std::size_t word, int first, int last, int width, int gold, ScoreOf&& score_of, Allowed&& allowed) {
    const std::vector<Item> start = {{0, -1, -1, -1, true}};
    if (steps_.size() <= word) steps_.resize(word + 1);
    const std::vector<Item>& from = word == 0 ? start : steps_[word - 1];
    std::vector<Item>& out = steps_[word];
    out.clear();
    for (std::size_t p = 0; p < from.size(); ++p) {
      const Item& parent = from[p];
      if (first >= last) {
        add(out, {parent.total, -1, parent.choice, static_cast<int>(p), parent.gold});
        continue;
      }
      const auto* const scores = score_of(parent.choice, parent.before);
      for (int c = first; c < last; ++c)
        if (allowed(c))
          add(out, {parent.total + static_cast<Score>(scores[c - first]), c, parent.choice, static_cast<int>(p),
                    parent.gold && c == gold});
    }
    std::ranges::stable_sort(out, [](const Item& a, const Item& b) { return a.total > b.total; });
    if (out.size() > static_cast<std::size_t>(width)) out.resize(static_cast<std::size_t>(width));
  }
  const std::vector<Item>& items(std::size_t word) const { return steps_[word]; }
  // The classes of the best history that ends with this word.
  void best(std::size_t word, std::span<int> classes) const {
    int at = 0;
    for (std::size_t i = word + 1; i-- > 0;) {
      const Item& item = steps_[i][static_cast<std::size_t>(at)];
      classes[i] = item.choice;
      at = item.parent;
    }
  }

 private:
  static void add(std::vector<Item>& out, const Item& item) {
    for (Item& other : out)
      if (other.choice == item.choice && other.before == item.before) {
        if (item.total > other.total) other = item;
        return;
      }
    out.push_back(item);
  }

  std::vector<std::vector<Item>> steps_;
};

}  // namespace dynarc
