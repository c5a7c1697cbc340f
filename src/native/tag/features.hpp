// The features of taggers (Collins 2002, Ratnaparkhi 1996), in two parts. Those that ask for one word only, at some
// place before or after the tagged one: their weights can be summed once for every word there is. And those that ask
// for several words, or for what was decided before.
#pragma once

#include <vector>

#include "tag/word_view.hpp"

namespace dynarc {

// Which features there are.
enum class Look : std::uint8_t {
  tags,     // of a word: from its neighbours and the tags before it
  refined,  // a tag within one that is known, as that of the neighbours is
  lemma,    // what becomes of a word whose tags are known: no neighbours
  ends,     // whether something ends after a word
};
inline constexpr int kLooks = 4;

// How far taggers look to either side.
constexpr int window_of(Look look) { return look == Look::lemma ? 0 : look == Look::refined ? 1 : 2; }

// A word as features see it.
struct SeenWord {
  WordView view;
  std::uint32_t ambiguity = 0;  // words with the same tags in the dictionary have the same number; 0: it is not there
  std::int32_t fixed = -1;      // the class that it always has
  bool common = true;           // seen often enough to be known by its text
};

// What features see of a sentence: words and what earlier stages found.
class TagView {
 public:
  // `words` point to where they will stay; `given` is empty or has a value for each.
  void set(std::vector<const SeenWord*>& words, const std::vector<Key>& given, const SeenWord& nothing) {
    words_ = &words;
    given_ = &given;
    nothing_ = &nothing;
  }
  int size() const { return static_cast<int>(words_->size()); }
  const SeenWord& word(int i) const { return i < 0 || i >= size() ? *nothing_ : *(*words_)[i]; }
  Key given(int i) const { return given_->empty() || i < 0 || i >= size() ? 1 : (*given_)[i]; }

 private:
  const std::vector<const SeenWord*>* words_ = nullptr;
  const std::vector<Key>* given_ = nullptr;
  const SeenWord* nothing_ = nullptr;
};

// The features that ask for the word at `offset` only.
inline void add_word_keys(Look look, const SeenWord& word, int offset, std::vector<Key>& keys) {
  const WordView& v = word.view;
  Key number = static_cast<Key>(100 * (offset + 8));
  const auto add = [&](Key value) { keys.push_back(mix_key(mix_key(0x51ED270B1F2A9D37u, ++number), value)); };
  if (offset == 0) {
    add(0);
    if (word.common) {
      add(v.form);
      add(v.lower);
    } else {
      number += 2;
    }
    for (const Key key : v.suffix) add(key);
    for (const Key key : v.prefix) add(key);
    add(v.shape);
    add(mix_key(v.shape, v.suffix[2]));
    if (look == Look::tags) add(word.ambiguity);
    return;
  }
  if (word.common)
    add(v.lower);
  else
    ++number;
  add(v.suffix[2]);
  if (offset == 1 || offset == -1) {
    add(v.suffix[1]);
    add(v.shape);
  }
  if (look == Look::tags && offset > 0) add(word.ambiguity);
  if (look == Look::ends && offset == 1) {
    add(v.form);
    add(v.prefix[0]);
  }
}

// The others, where t1 and t2 are the classes of the two words before, -1 where there is none.
inline void add_context_keys(Look look, const TagView& words, int i, int t1, int t2, std::vector<Key>& keys) {
  Key number = 5000;
  const auto add = [&](Key a, Key b = 0, Key c = 0) {
    keys.push_back(mix_key(mix_key(mix_key(mix_key(0x51ED270B1F2A9D37u, ++number), a), b), c));
  };
  const Key last = static_cast<Key>(t1 + 2), before = static_cast<Key>(t2 + 2);
  const WordView& here = words.word(i).view;
  if (look == Look::lemma) {
    const Key given = words.given(i);
    add(given);
    add(given, here.form);
    for (const Key key : here.suffix) add(given, key);
    add(given, here.shape);
    add(given, here.shape, here.suffix[1]);
    return;
  }
  const WordView &left = words.word(i - 1).view, &right = words.word(i + 1).view;
  if (look == Look::ends) {
    const Key gap = words.given(i);
    add(gap);
    add(gap, here.lower);
    add(here.lower, right.lower);
    add(here.shape, right.shape, gap);
    add(here.lower, right.shape, gap);
    add(here.shape, right.lower);
    add(left.lower, here.lower);
    add(left.shape, here.lower, right.shape);
    add(words.given(i - 1), gap, words.given(i + 1));
    return;
  }
  add(last);
  add(last, before);
  add(last, here.lower);
  if (look == Look::tags) {
    add(last, before, here.lower);
    add(last, right.lower);
    add(last, here.suffix[2]);
    add(left.lower, here.lower);
    add(here.lower, right.lower);
    add(last, words.word(i + 1).ambiguity, words.word(i).ambiguity);
    return;
  }
  const Key given = words.given(i), next = words.given(i + 1), previous = words.given(i - 1);
  add(given);
  add(given, here.lower);
  add(given, here.suffix[2]);
  add(given, last);
  add(next);
  add(previous);
  add(given, next);
  add(given, previous);
  add(next, here.lower);
  add(previous, here.lower);
  add(next, words.given(i + 2));
  add(previous, words.given(i - 2));
  add(here.lower, left.lower);
  add(here.lower, right.lower);
}

}  // namespace dynarc
