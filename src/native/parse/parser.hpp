// Greedy decoding: the best legal class of every configuration. All systems but easy-first.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "features/dependents.hpp"
#include "parse/choices.hpp"
#include "parse/trees.hpp"

namespace dynarc {

// Several sentences are parsed at once, a step of each at a time: what one needs comes from memory while the others
// work.
template <class System, class Scorer>
class Parser final : public AnyParser {
 public:
  Parser(System system, const Classes& classes, Scorer scorer, const Weights& rest, const RootChoice& roots,
         Label other)
      : system_(std::move(system)),
        classes_(classes),
        scorer_(std::move(scorer)),
        rest_(rest),
        roots_(roots),
        other_(other) {
    for (std::size_t i = 0; i < kLanes; ++i) lanes_.push_back(std::make_unique<Lane>(Lane{.work = scorer_.work(i)}));
  }

  void parse(Sentences& sentences) override {
    std::size_t active = 0;
    while (active < kLanes && start(*lanes_[active], sentences)) ++active;
    while (active > 0) {
      scorer_.prepare();
      for (std::size_t i = 0; i < active; ++i) scorer_.collect(lanes_[i]->work);
      for (std::size_t i = 0; i < active; ++i) scorer_.find(lanes_[i]->work, lanes_[i]->words);
      for (std::size_t i = 0; i < active; ++i) scorer_.locate(lanes_[i]->work);
      for (std::size_t i = 0; i < active;) {
        Lane& lane = *lanes_[i];
        apply(lane, best_class(std::span<const Choice>(lane.choices),
                               scorer_.sum(lane.work, lane.state, lane.words, lane.dependents)));
        if (advance(lane) || start(lane, sentences))
          ++i;
        else
          std::swap(lanes_[i], lanes_[--active]);
      }
    }
  }

 private:
  static constexpr std::size_t kLanes = Scorer::kLanes;
  struct Lane {
    EncodedSentence words = {};
    Parse* out = nullptr;
    typename System::State state = {};
    Dependents dependents = {};
    Choices choices = {};
    typename Scorer::Work work;
  };

  // Goes to the first configuration of a sentence that leaves a choice; false if there is no such sentence.
  bool start(Lane& lane, Sentences& sentences) {
    while ((lane.out = sentences.next(lane.words)) != nullptr) {
      system_.start(lane.state, lane.words.words());
      lane.dependents.start(lane.words.words(), classes_.labels(), scorer_.sees_spans());
      scorer_.start(lane.work, lane.words);
      if (advance(lane)) return true;
    }
    return false;
  }

  // Goes to the next configuration that leaves a choice; false, and the tree is done, if there is none.
  bool advance(Lane& lane) {
    while (!system_.is_final(lane.state)) {
      legal_choices(system_, lane.state, classes_, lane.choices);
      if (leaves_choice(lane.choices, classes_)) {
        scorer_.look(lane.work, lane.state, lane.words, lane.dependents);
        return true;
      }
      apply(lane, {lane.choices[0].first, 0});
    }
    system_.finish(lane.state, lane.out->heads);
    lane.out->labels = lane.state.labels();
    attach_headless(*lane.out, system_.options(), classes_.labels(), other_);
    roots_.apply(lane.words, *lane.out);
    return false;
  }

  void apply(Lane& lane, Best best) {
    const Choice choice = lane.choices[best.choice];
    Transition t{choice.action, classes_.label(best.label)};
    if (t.label == kRestLabel) {
      rest_.score(scorer_.keys(lane.work, lane.state, lane.words, lane.dependents), rest_scores_);
      t.label = best_rest<Score>(classes_, choice, rest_scores_.of_class);
    }
    if (choice.arc) lane.dependents.add(choice.arc, t.label);
    system_.apply(lane.state, t);
  }

  System system_;
  const Classes& classes_;
  Scorer scorer_;
  const Weights& rest_;
  const RootChoice& roots_;
  Label other_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  Scores rest_scores_;
};

}  // namespace dynarc
