// The legal classes of a configuration.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

#include "model/classes.hpp"
#include "model/rows.hpp"

namespace dynarc {

struct Choice {
  Action action;
  Arc arc;
  int first, last;  // its classes, one past the last
};

// At most one for each move.
class Choices {
 public:
  void clear() { count_ = 0; }
  void push_back(const Choice& choice) { choices_[count_++] = choice; }
  std::size_t size() const { return count_; }
  const Choice& operator[](std::size_t i) const { return choices_[i]; }
  const Choice* data() const { return choices_.data(); }
  const Choice* begin() const { return choices_.data(); }
  const Choice* end() const { return choices_.data() + count_; }

 private:
  std::array<Choice, kMoves> choices_;
  std::size_t count_ = 0;
};

template <class System>
void legal_choices(const System& system, const typename System::State& s, const Classes& classes, Choices& out) {
  out.clear();
  system.each_legal(s, [&](Action a) {
    const Arc arc = system.arc(s, a);
    const auto [first, last] = classes.range(a.move, arc);
    if (first < last) out.push_back({a, arc, first, last});
  });
}

// The best of the legal classes; of equals the first in the order of classes. `choice` is which choice it belongs to.
struct Best {
  int label = -1;  // the class
  std::size_t choice = 0;
};

template <class Number>
Best best_class(std::span<const Choice> choices, std::span<const Number> scores) {
  Best best;
  if constexpr (std::is_same_v<Number, std::int32_t>) {
    int last = 0;
    ClassSet set;
    for (const Choice& choice : choices) {
      set.add(choice.first, choice.last);
      last = std::max(last, choice.last);
    }
    if (last <= ClassSet::kMost) {
      best.label = first_greatest_of(scores.data(), set);
      while (best.label < choices[best.choice].first || best.label >= choices[best.choice].last) ++best.choice;
      return best;
    }
  }
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const int c = first_greatest(scores.data(), choices[i].first, choices[i].last);
    if (best.label < 0 || scores[c] > scores[best.label] || (scores[c] == scores[best.label] && c < best.label))
      best = {c, i};
  }
  return best;
}

// Of the labels that have no class of their own, the best for a choice; `scores` are those of the second table.
template <class Number>
Label best_rest(const Classes& classes, const Choice& choice, std::span<const Number> scores) {
  const auto [from, to] = classes.labels().of(choice.arc.head == kRoot);
  Label best = kNoLabel;
  Number most = 0;
  for (Label label = from; label < to; ++label) {
    if (!classes.in_rest(choice.action.move, label)) continue;
    const Number score = scores[classes.rest_class(choice.action.move, label)];
    if (best == kNoLabel || score > most) best = label, most = score;
  }
  return best;
}

// Whether anything is to be decided: which class, or which label of the rest.
inline bool leaves_choice(std::span<const Choice> choices, const Classes& classes) {
  return choices.size() > 1 || choices[0].last - choices[0].first > 1 || classes.label(choices[0].first) == kRestLabel;
}

}  // namespace dynarc
