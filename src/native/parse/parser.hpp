// Greedy decoding: the best legal class of every configuration. All systems but easy-first.
#pragma once

#include <memory>
#include <vector>

#include "features/extractor.hpp"
#include "model/weights.hpp"
#include "parse/choices.hpp"

namespace dynarc {

struct Parse {
  std::vector<Node> heads;    // 0..n
  std::vector<Label> labels;  // 0..n
};

// One for each thread: it keeps what it works with.
class AnyParser {
 public:
  virtual ~AnyParser() = default;
  virtual void parse(const EncodedSentence& words, Parse& out) = 0;
};

// Every word gets a head: where one root is wanted, from the first that there is. `other` is the label of words that
// are attached to the root word.
inline void attach_headless(Parse& out, const Options& options, const LabelRange& labels, Label other) {
  const int n = static_cast<int>(out.heads.size()) - 1;
  Node root = kNone;
  for (Node d = 1; d <= n && root == kNone; ++d)
    if (out.heads[d] == kRoot) root = d;
  for (Node d = 1; d <= n; ++d) {
    const bool to_root = !options.single_root || root == kNone || root == d;
    if (out.heads[d] == kNone) {
      out.heads[d] = to_root ? kRoot : root;
      out.labels[d] = labels.count == 0 ? kNoLabel : to_root ? labels.from_root : other;
      if (root == kNone) root = d;
    } else if (out.labels[d] == kNoLabel && labels.count > 0) {
      out.labels[d] = out.heads[d] == kRoot ? labels.from_root : other;
    }
  }
}

template <class System>
class Parser final : public AnyParser {
 public:
  Parser(System system, const Classes& classes, const Templates& templates, const WordEncoder& encoder, int valency_cap,
         const Weights& weights, Label other)
      : system_(std::move(system)),
        classes_(classes),
        extractor_(templates, encoder, valency_cap),
        weights_(weights),
        other_(other),
        scores_(static_cast<std::size_t>(classes.count())) {}

  void parse(const EncodedSentence& words, Parse& out) override {
    system_.start(state_, words.words());
    dependents_.start(words.words(), classes_.labels().count);
    while (!system_.is_final(state_)) {
      legal_choices(system_, state_, classes_, choices_);
      Best best{choices_[0].first, 0};
      if (choices_.size() > 1 || choices_[0].last - choices_[0].first > 1) {
        extractor_.extract(state_, words, dependents_, keys_);
        std::ranges::fill(scores_, 0.0f);
        weights_.score(keys_, scores_, found_);
        best = best_class(choices_, scores_);
      }
      const Choice choice = choices_[best.choice];
      const Transition t{choice.action, classes_.label(best.label)};
      if (choice.arc) dependents_.add(choice.arc, t.label);
      system_.apply(state_, t);
    }
    system_.finish(state_, out.heads);
    out.labels = state_.labels();
    attach_headless(out, system_.options(), classes_.labels(), other_);
  }

 private:
  System system_;
  const Classes& classes_;
  Extractor extractor_;
  const Weights& weights_;
  Label other_;

  typename System::State state_;
  Dependents dependents_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> found_;
  std::vector<float> scores_;
  std::vector<Choice> choices_;
};

}  // namespace dynarc
