// The values of templates as people read them. Nodes and values are found by the extractor; only their spelling is
// here.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "features/extractor.hpp"

namespace dynarc {

// What one template says: the texts of its atoms, once for each time it fires.
using Firings = std::vector<std::vector<std::string>>;

class ValueTexts {
 public:
  // `labels` are the names of labels, by number.
  ValueTexts(const Templates& templates, const WordEncoder& encoder, const std::vector<std::string>& labels)
      : templates_(templates), encoder_(encoder), labels_(labels) {}

  // Of every template, in their order. `extractor` has looked at the configuration that the rest belongs to.
  std::vector<Firings> texts(const Extractor& extractor, const ArcStore& arcs, const EncodedSentence& words,
                             const Dependents& dependents) const;

 private:
  // One configuration and what is known of it.
  struct Seen {
    const Extractor& extractor;
    const ArcStore& arcs;
    const EncodedSentence& words;
    const Dependents& dependents;
  };

  std::vector<std::string> many(const AtomPlan& atom, const Seen& seen) const;
  std::string one(int atom, const Seen& seen) const;
  std::string function(const AtomPlan& atom, std::uint64_t value, const Seen& seen) const;
  std::string refined(const AtomPlan& atom, const Seen& seen) const;
  std::string tag(Node node, const Seen& seen) const;
  std::string label(Label number) const {
    return number == kNoLabel ? "NULL" : labels_[static_cast<std::size_t>(number)];
  }
  // Keys know sets as numbers that cannot be read back: they are gathered anew from the arcs and from the words.
  std::string label_set(Node node, bool left, const Seen& seen) const;
  std::string tags_between(Node a, Node b, const Seen& seen) const;

  const Templates& templates_;
  const WordEncoder& encoder_;
  const std::vector<std::string>& labels_;
};

}  // namespace dynarc
