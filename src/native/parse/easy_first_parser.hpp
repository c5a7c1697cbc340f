// Easy-first decoding in O(n log n): the best action of every pair in a heap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "parse/pairs.hpp"
#include "parse/trees.hpp"

namespace dynarc {

class EasyFirstParser final : public AnyParser {
 public:
  EasyFirstParser(EasyFirst system, const Classes& classes, const Templates& templates, const WordEncoder& encoder,
                  int valency_cap, const Weights& weights, const Weights& rest, const RootChoice& roots, Label other)
      : system_(system),
        classes_(classes),
        window_(templates),
        extractor_(templates, encoder, classes.labels(), valency_cap),
        weights_(weights),
        rest_(rest),
        roots_(roots),
        other_(other) {}

  void parse(Sentences& sentences) override {
    EncodedSentence words;
    while (Parse* const out = sentences.next(words)) parse(words, *out);
  }

 private:
  void parse(const EncodedSentence& words, Parse& out) {
    system_.start(state_, words.words());
    dependents_.start(words.words(), classes_.labels(), extractor_.sees_spans());
    version_.assign(static_cast<std::size_t>(words.words()) + 1, 0);
    heap_.clear();
    for (Node focus = kRoot; focus != kNone; focus = state_.right(focus)) score(words, focus);
    std::ranges::make_heap(heap_, worse);
    while (!system_.is_final(state_)) {
      const Candidate<Score> best = pop();
      if (!best) break;  // no label may stand on any arc that is left
      const Choice choice = PairChoices(system_, state_, classes_, best.focus).of(best.label);
      Transition t{choice.action, classes_.label(best.label)};
      if (t.label == kRestLabel) {
        extractor_.extract(FocusedList{state_, best.focus}, words, dependents_, keys_);
        rest_.score(keys_, scores_);
        t.label = best_rest<Score>(classes_, choice, scores_.of_class);
      }
      dependents_.add(choice.arc, t.label);
      system_.apply(state_, t);
      ++version_[choice.arc.dependent];
      window_.each_touched(state_, choice.arc, [&](Node focus) {
        ++version_[focus];
        if (score(words, focus)) std::ranges::push_heap(heap_, worse);
      });
    }
    system_.finish(state_, out.heads);
    out.labels = state_.labels();
    attach_headless(out, system_.options(), classes_.labels(), other_);
    roots_.apply(words, out);
  }

  // The best of a pair as it was once: of no use if the pair has another version by now.
  struct Entry {
    Candidate<Score> best;
    std::uint32_t version;
  };
  static bool worse(const Entry& a, const Entry& b) { return b.best.before(a.best); }

  // Puts the best action of a pair at the end of the heap, if it has any.
  bool score(const EncodedSentence& words, Node focus) {
    const PairChoices choices(system_, state_, classes_, focus);
    if (choices.all().empty()) return false;
    extractor_.extract(FocusedList{state_, focus}, words, dependents_, keys_);
    weights_.score(keys_, scores_);
    heap_.push_back({best_of_pair<Score>(choices, scores_.of_class, focus), version_[focus]});
    return true;
  }

  Candidate<Score> pop() {
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, worse);
      const Entry entry = heap_.back();
      heap_.pop_back();
      if (entry.version == version_[entry.best.focus]) return entry.best;
    }
    return {};
  }

  EasyFirst system_;
  const Classes& classes_;
  PairWindow window_;
  Extractor extractor_;
  const Weights &weights_, &rest_;
  const RootChoice& roots_;
  Label other_;

  ListState state_;
  Dependents dependents_;
  std::vector<std::uint32_t> version_;  // of the pair that begins at a node: how often it changed
  std::vector<Entry> heap_;
  std::vector<Key> keys_;
  Scores scores_;
};

}  // namespace dynarc
