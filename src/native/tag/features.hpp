// The features of taggers (Collins 2002, Ratnaparkhi 1996), in two parts. Those that ask for one word only, at some
// place before or after the tagged one: their weights can be summed once for every word there is. And those that ask
// for several words, or for what was decided before.
#pragma once

#include <span>
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
  void set(std::span<const SeenWord* const> words, std::span<const Key> given, const SeenWord& nothing) {
    words_ = words;
    given_ = given;
    nothing_ = &nothing;
  }
  int size() const { return static_cast<int>(words_.size()); }
  const SeenWord& word(int i) const { return i < 0 || i >= size() ? *nothing_ : *words_[static_cast<std::size_t>(i)]; }
  Key given(int i) const { return given_.empty() || i < 0 || i >= size() ? 1 : given_[static_cast<std::size_t>(i)]; }

 private:
  std::span<const SeenWord* const> words_;
  std::span<const Key> given_;
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

// The others are in parts, by what they ask for: what a part says can be kept for when the same is asked again.
enum class Part : std::uint8_t {
  word,     // the word and what is given of it
  after,    // what is given of the word and of what follows; of `ends`, of its neighbours, and shapes
  history,  // what was decided before, and what is given up to the word
  choice,   // the word and the last choice
  rest,     // several words, or words and tags of others: seldom the same again
};
inline constexpr Part kParts[] = {Part::word, Part::after, Part::history, Part::choice, Part::rest};

// Whether there are features in a part, and whether they ask for what was decided before.
constexpr bool has_part(Look look, Part part) {
  switch (look) {
    case Look::tags: return part == Part::history || part == Part::choice || part == Part::rest;
    case Look::refined: return part != Part::choice;
    case Look::lemma: return part == Part::word;
    case Look::ends: return part == Part::word || part == Part::after || part == Part::rest;
  }
  return true;
}
constexpr bool asks_history(Look look, Part part) {
  return look != Look::lemma && look != Look::ends && part >= Part::history;
}

// What the features of a part ask for, as a number. Without the word itself, which Part::word and Part::choice need
// too.
[[gnu::always_inline]] inline Key part_key(Look look, Part part, const TagView& words, int i, int t1, int t2) {
  const auto key = [part](Key a, Key b = 0, Key c = 0, Key d = 0, Key e = 0) {
    return mix_key(mix_key(mix_key(mix_key(mix_key(static_cast<Key>(part), a), b), c), d), e);
  };
  const Key last = static_cast<Key>(t1 + 2), before = static_cast<Key>(t2 + 2);
  switch (part) {
    case Part::word: return key(words.given(i));
    case Part::after:
      if (look == Look::ends)
        return key(words.given(i), words.given(i - 1), words.given(i + 1), words.word(i).view.shape,
                   words.word(i + 1).view.shape);
      return key(words.given(i), words.given(i + 1), words.given(i + 2));
    case Part::history:
      if (look == Look::tags) return key(last, before);
      return key(last, before, words.given(i), words.given(i - 1), words.given(i - 2));
    default: return key(last);
  }
}

// The features of a part, where t1 and t2 are the classes of the two words before, -1 where there is none. To be called
// with a look and a part that are known when it is compiled, where it is to be fast.
template <class Keys>
[[gnu::always_inline]] inline void add_part_keys(Look look, Part part, const TagView& words, int i, int t1, int t2,
                                                 Keys& keys) {
  const auto add = [&keys](int number, Key a, Key b = 0, Key c = 0) {
    keys.push_back(mix_key(mix_key(mix_key(mix_key(0x51ED270B1F2A9D37u, static_cast<Key>(5000 + number)), a), b), c));
  };
  const Key last = static_cast<Key>(t1 + 2), before = static_cast<Key>(t2 + 2);
  const WordView& here = words.word(i).view;
  const Key given = words.given(i);
  if (look == Look::lemma) {
    if (part != Part::word) return;
    int number = 0;
    add(++number, given);
    add(++number, given, here.form);
    for (const Key key : here.suffix) add(++number, given, key);
    add(++number, given, here.shape);
    add(++number, given, here.shape, here.suffix[1]);
    return;
  }
  const WordView &left = words.word(i - 1).view, &right = words.word(i + 1).view;
  if (look == Look::ends) {
    switch (part) {
      case Part::word:
        add(1, given);
        add(2, given, here.lower);
        return;
      case Part::after:
        add(4, here.shape, right.shape, given);
        add(9, words.given(i - 1), given, words.given(i + 1));
        return;
      case Part::rest:
        add(3, here.lower, right.lower);
        add(5, here.lower, right.shape, given);
        add(6, here.shape, right.lower);
        add(7, left.lower, here.lower);
        add(8, left.shape, here.lower, right.shape);
        return;
      default: return;
    }
  }
  if (look == Look::tags) {
    switch (part) {
      case Part::history:
        add(1, last);
        add(2, last, before);
        return;
      case Part::choice:
        add(3, last, here.lower);
        add(6, last, here.suffix[2]);
        return;
      case Part::rest:
        add(4, last, before, here.lower);
        add(5, last, right.lower);
        add(7, left.lower, here.lower);
        add(8, here.lower, right.lower);
        add(9, last, words.word(i + 1).ambiguity, words.word(i).ambiguity);
        return;
      default: return;
    }
  }
  const Key next = words.given(i + 1), previous = words.given(i - 1);
  switch (part) {
    case Part::word:
      add(4, given);
      add(5, given, here.lower);
      add(6, given, here.suffix[2]);
      return;
    case Part::after:
      add(8, next);
      add(10, given, next);
      add(14, next, words.given(i + 2));
      return;
    case Part::history:
      add(1, last);
      add(2, last, before);
      add(7, given, last);
      add(9, previous);
      add(11, given, previous);
      add(15, previous, words.given(i - 2));
      return;
    case Part::rest:
      add(3, last, here.lower);
      add(12, next, here.lower);
      add(13, previous, here.lower);
      add(16, here.lower, left.lower);
      add(17, here.lower, right.lower);
      return;
    default: return;
  }
}

inline void add_context_keys(Look look, const TagView& words, int i, int t1, int t2, std::vector<Key>& keys) {
  for (const Part part : kParts) add_part_keys(look, part, words, i, t1, t2, keys);
}

}  // namespace dynarc
