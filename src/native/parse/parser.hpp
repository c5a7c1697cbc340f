// Greedy decoding: the best legal class of every configuration. All systems but easy-first.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parse/choices.hpp"
#include "parse/scorers.hpp"

namespace dynarc {

struct Parse {
  std::vector<Node> heads;    // 0..n
  std::vector<Label> labels;  // 0..n
};

// Sentences to parse, one after the other.
class Sentences {
 public:
  virtual ~Sentences() = default;
  // Where the tree of the next one goes, whose words are put into `words`; null if there is none left.
  virtual Parse* next(EncodedSentence& words) = 0;
};

// One for each thread: it keeps what it works with.
class AnyParser {
 public:
  virtual ~AnyParser() = default;
  virtual void parse(Sentences& sentences) = 0;
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

// Which word is the root where a parser that may leave several has left several, and how the others are attached to it:
// by their tags, as most words of training are.
class RootChoice {
 public:
  struct Tag {
    std::string text;
    double share;  // of its words that are roots
    Label label;   // of those that depend on the root
  };

  RootChoice(const std::vector<Tag>& tags, const WordEncoder& encoder, Label other)
      : chooses_(!tags.empty()), slot_(encoder.slot(Attribute::tag)), of_value_(kFirstValue, {-1, other}) {
    of_value_.resize(kFirstValue + encoder.texts(Attribute::tag).size(), {-1, other});
    for (const Tag& tag : tags)
      if (const Value value = encoder.find(Attribute::tag, tag.text); value >= kFirstValue)
        of_value_[value] = {tag.share, tag.label};
  }

  // `kept` is a root that has to stay one, if there is such.
  void apply(const EncodedSentence& words, Parse& out, Node kept = kNone) const {
    if (!chooses_) return;
    int roots = 0;
    Node best = kept;
    const auto share = [&](Node node) { return of_value_[words.value(slot_, node)].first; };
    for (Node d = 1; d <= words.words(); ++d) {
      if (out.heads[d] != kRoot) continue;
      ++roots;
      if (kept == kNone && (best == kNone || share(d) > share(best))) best = d;
    }
    if (roots < 2) return;
    for (Node d = 1; d <= words.words(); ++d) {
      if (out.heads[d] != kRoot || d == best) continue;
      out.heads[d] = best;
      if (out.labels[d] != kNoLabel) out.labels[d] = of_value_[words.value(slot_, d)].second;
    }
  }

 private:
  bool chooses_;
  int slot_;
  std::vector<std::pair<double, Label>> of_value_;
};

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
    for (std::size_t i = 0; i < kLanes; ++i) lanes_.push_back(std::make_unique<Lane>(Lane{.work = scorer_.work()}));
  }

  void parse(Sentences& sentences) override {
    std::size_t active = 0;
    while (active < kLanes && start(*lanes_[active], sentences)) ++active;
    while (active > 0) {
      for (std::size_t i = 0; i < active; ++i) scorer_.find(lanes_[i]->work, lanes_[i]->words);
      for (std::size_t i = 0; i < active;) {
        Lane& lane = *lanes_[i];
        apply(lane, best_class(std::span<const Choice>(lane.choices), scorer_.sum(lane.work, lane.words)));
        if (advance(lane) || start(lane, sentences))
          ++i;
        else
          std::swap(lanes_[i], lanes_[--active]);
      }
    }
  }

 private:
  static constexpr std::size_t kLanes = 4;
  struct Lane {
    EncodedSentence words = {};
    Parse* out = nullptr;
    typename System::State state = {};
    Dependents dependents = {};
    std::vector<Choice> choices = {};
    typename Scorer::Work work;
  };

  // Goes to the first configuration of a sentence that leaves a choice; false if there is no such sentence.
  bool start(Lane& lane, Sentences& sentences) {
    while ((lane.out = sentences.next(lane.words)) != nullptr) {
      system_.start(lane.state, lane.words.words());
      lane.dependents.start(lane.words.words(), classes_.labels(), scorer_.sees_spans());
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
