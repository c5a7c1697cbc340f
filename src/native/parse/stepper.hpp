// Decoding one configuration at a time, with the scores of all that is legal in it: what tracing, searching for several
// trees and parsing with fixed arcs are made of. The parsers proper are faster, and decide the same.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "features/extractor.hpp"
#include "model/model.hpp"
#include "parse/choices.hpp"
#include "parse/fixed_arcs.hpp"
#include "parse/pairs.hpp"
#include "parse/probabilities.hpp"
#include "parse/trees.hpp"
#include "systems/judge.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

// A legal action with its classes and what is said of all classes where it would be taken.
struct Offer {
  Choice choice;
  const double* scores;
  const double* logits;  // logs of what probabilities are proportional to
};

// A class of an offer.
struct Pick {
  std::size_t offer = 0;
  int label = -1;  // the class; -1 if there is none
  explicit operator bool() const { return label >= 0; }
};

// Two numbers that are the same for equal lists, as those of equal configurations with equal arcs and labels, and else
// never, but for a chance that no search lives long enough to meet.
using Fingerprint = std::array<std::uint64_t, 2>;

template <class... Numbers>
Fingerprint fingerprint_of(const std::vector<Numbers>&... lists) {
  Fingerprint print{0x243F6A8885A308D3u, 0x13198A2E03707344u};
  const auto add = [&](std::int32_t value) {
    const auto x = static_cast<std::uint32_t>(value);
    print[0] = (print[0] ^ x) * 0x9E3779B97F4A7C15u;
    print[0] ^= print[0] >> 32;
    print[1] = (print[1] + x + 1) * 0xD6E8FEB86659FD93u;
    print[1] ^= print[1] >> 29;
  };
  (std::ranges::for_each(lists, add), ...);
  return print;
}

class AnyStepper {
 public:
  virtual ~AnyStepper() = default;

  virtual void start(const EncodedSentence& words) = 0;  // which must stay while the sentence is parsed
  virtual bool is_final() const = 0;
  // What is legal, for easy-first from left to right. Good until the next call of anything here.
  virtual std::span<const Offer> offers() = 0;
  virtual void apply(const Choice& choice, int label) = 0;
  virtual void finish(Parse& out, Node root = kNone) = 0;  // `root` is a word that must be one
  virtual Fingerprint fingerprint() = 0;

  // Arcs that must be built, before the first step: `heads` is indexed 0..n. False if no tree has them all.
  virtual bool fix(const std::vector<Node>& heads) = 0;
  // What loses none of them, out of what is legal.
  virtual std::span<const Offer> allowed() = 0;

  // A tree that what follows is judged by, before the first step; it must stay.
  virtual void follow(const Gold& gold) = 0;
  virtual void follow_no_more() = 0;
  // What an action costs where the parser is, without its label. Throws SearchLimit if that was not found out.
  virtual Cost cost(const Action& action) = 0;

  // One for every move and label, also where the model has fewer.
  const Classes& classes() const { return classes_; }
  // Of classes that score the same the one with the lowest rank is taken.
  int rank(int label) const { return ranks_[static_cast<std::size_t>(label)]; }

 protected:
  AnyStepper(Classes classes, const Classes& of_model) : classes_(std::move(classes)) {
    for (int c = 0; c < classes_.count(); ++c) {
      const Move move = classes_.move(c);
      const Label label = classes_.label(c);
      const int own = of_model.of(move, label, Arc{kRoot, kNone});
      ranks_.push_back(of_model.in_rest(move, label) ? own * (classes_.count() + 1) + c : own * (classes_.count() + 1));
    }
  }

  Classes classes_;
  std::vector<int> ranks_;
};

// The best class of some offers, by the rule that parsers have: of equals the lowest class, then the first offer.
inline Pick best_pick(const AnyStepper& stepper, std::span<const Offer> offers) {
  Pick best;
  double score = 0;
  for (std::size_t i = 0; i < offers.size(); ++i)
    for (int c = offers[i].choice.first; c < offers[i].choice.last; ++c) {
      const double s = offers[i].scores[c];
      if (best && (s < score || (s == score && stepper.rank(c) >= stepper.rank(best.label)))) continue;
      best = {i, c};
      score = s;
    }
  return best;
}

// The logs of the probabilities of all classes of some offers, of one offer after the other.
inline void log_probabilities(std::span<const Offer> offers, std::vector<double>& out) {
  out.clear();
  for (const auto& [choice, _, logits] : offers) out.insert(out.end(), logits + choice.first, logits + choice.last);
  const double all = log_sum([&](auto&& add) { std::ranges::for_each(out, add); });
  for (double& value : out) value -= all;
}

template <class System>
class Stepper final : public AnyStepper {
 public:
  Stepper(System system, const Model& model)
      : AnyStepper(Classes(System::kMovesUsed, model.scheme().classes().labels()), model.scheme().classes()),
        system_(std::move(system)),
        judge_(judge_of(system_)),
        model_(model),
        window_(model.scheme().templates()),
        extractor_(model.scheme().templates(), model.scheme().encoder(), classes_.labels(),
                   model.scheme().spec().valency_cap) {}

  void start(const EncodedSentence& words) override {
    words_ = &words;
    fixed_.reset();
    costs_.reset();
    system_.start(state_, words.words());
    dependents_.start(words.words(), classes_.labels(), extractor_.sees_spans());
    rows_.resize(kPairs ? static_cast<std::size_t>(words.words()) + 1 : 1);
    fresh_.assign(rows_.size(), 0);
  }

  bool is_final() const override { return system_.is_final(state_); }

  std::span<const Offer> offers() override {
    offers_.clear();
    if constexpr (kPairs) {
      for (Node focus = kRoot; focus != kNone; focus = state_.right(focus)) {
        const PairChoices choices(system_, state_, classes_, focus);
        if (choices.all().empty()) continue;
        const Row& scores = row(static_cast<std::size_t>(focus), FocusedList{state_, focus});
        for (const Choice& choice : choices.all()) offers_.push_back(scores.offer(choice));
      }
    } else {
      legal_choices(system_, state_, classes_, choices_);
      const Row& scores = row(0, state_);
      for (const Choice& choice : choices_) offers_.push_back(scores.offer(choice));
    }
    return offers_;
  }

  void apply(const Choice& choice, int label) override {
    const Transition t{choice.action, classes_.label(label)};
    if (fixed_) fixed_->advance(state_, t.action);
    if (costs_) costs_->advance(state_, t.action);
    if (choice.arc) dependents_.add(choice.arc, t.label);
    system_.apply(state_, t);
    if constexpr (kPairs)
      window_.each_touched(state_, choice.arc, [&](Node focus) { fresh_[static_cast<std::size_t>(focus)] = 0; });
    else
      fresh_[0] = 0;
  }

  void finish(Parse& out, Node root) override {
    system_.finish(state_, out.heads);
    out.labels = state_.labels();
    attach_headless(out, system_.options(), classes_.labels(), model_.scheme().spec().other);
    model_.roots().apply(*words_, out, root);
  }

  Fingerprint fingerprint() override {
    state_.shape(shape_);
    return fingerprint_of(shape_, state_.heads(), state_.labels());
  }

  bool fix(const std::vector<Node>& heads) override {
    fixed_.emplace(system_, heads);
    return fixed_->start(state_);
  }

  void follow(const Gold& gold) override {
    costs_.emplace(judge_, gold);
    costs_->reset(state_);
  }
  void follow_no_more() override { costs_.reset(); }
  Cost cost(const Action& action) override { return costs_->cost(state_, action); }

  std::span<const Offer> allowed() override {
    const std::vector<Action>& allowed = fixed_->allowed(state_);
    offers();
    std::erase_if(offers_,
                  [&](const Offer& o) { return std::ranges::find(allowed, o.choice.action) == allowed.end(); });
    return offers_;
  }

 private:
  static constexpr bool kPairs = std::is_same_v<System, EasyFirst>;

  struct Kind {  // by class
    std::vector<double> scores, logits;
  };
  struct Row {
    Kind of_words, of_root;  // arcs between words and other moves; arcs from ROOT
    Offer offer(const Choice& choice) const {
      const Kind& kind = choice.arc && choice.arc.head == kRoot ? of_root : of_words;
      return {choice, kind.scores.data(), kind.logits.data()};
    }
  };

  // The scores of all classes, computed unless they still hold. The one place here that knows how weights are asked.
  template <class View>
  const Row& row(std::size_t place, const View& view) {
    Row& scores = rows_[place];
    if (!fresh_[place]) {
      extractor_.extract(view, *words_, dependents_, keys_);
      model_.weights().score(keys_, scores_);
      if (model_.scheme().classes().has_rest()) model_.rest().score(keys_, rest_scores_);
      spread(scores.of_words, Arc{1, 1});
      spread(scores.of_root, Arc{kRoot, 1});
      fresh_[place] = 1;
    }
    return scores;
  }

  // From the classes of the model to one for each label. Of labels that share a class the best scores what the class
  // does, and the others as much less as the second table says; but of its probability each has a share.
  void spread(Kind& out, Arc arc) const {
    const Classes& own = model_.scheme().classes();
    const double scale = model_.weights().scale(), rest_scale = model_.rest().scale(), sharpness = model_.sharpness();
    out.scores.assign(static_cast<std::size_t>(classes_.count()), 0);
    out.logits.assign(out.scores.size(), 0);
    std::optional<Move> rest_of;  // what the next two are for
    double best = 0, all = 0;
    for (int c = 0; c < classes_.count(); ++c) {
      const Move move = classes_.move(c);
      const Label label = classes_.label(c);
      const double score = scores_.of_class[own.of(move, label, arc)] * scale;
      out.scores[c] = score;
      out.logits[c] = sharpness * score;
      if (!own.in_rest(move, label)) continue;
      const auto rest = [&](Label l) { return rest_scores_.of_class[own.rest_class(move, l)] * rest_scale; };
      if (rest_of != move) {
        const Label found = best_rest<Score>(own, {{move}, arc, 0, 0}, rest_scores_.of_class);
        if (found == kNoLabel) continue;  // no arc of this kind has such a label
        best = rest(found);
        all = log_sum_of_rest<Score>(own, move, arc, rest_scores_.of_class, sharpness * rest_scale);
        rest_of = move;
      }
      out.scores[c] -= best - rest(label);
      out.logits[c] += sharpness * rest(label) - all;
    }
  }

  System system_, judge_;
  const Model& model_;
  PairWindow window_;
  Extractor extractor_;

  const EncodedSentence* words_ = nullptr;
  typename System::State state_;
  Dependents dependents_;
  std::vector<Row> rows_;  // one for each pair of easy-first, else one
  std::vector<char> fresh_;
  std::optional<FixedArcs<System>> fixed_;
  std::optional<typename System::Costs> costs_;
  Choices choices_;
  std::vector<Offer> offers_;
  std::vector<Key> keys_;
  Scores scores_, rest_scores_;
  std::vector<Node> shape_;
};

}  // namespace dynarc
