// What a parser makes of sentences: trees, whole in every case, with one root where that is wanted.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "features/words.hpp"
#include "model/classes.hpp"

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

}  // namespace dynarc
