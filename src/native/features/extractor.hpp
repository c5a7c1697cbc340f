// From a configuration to the keys of its features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "features/dependents.hpp"
#include "features/templates.hpp"
#include "features/words.hpp"
#include "systems/arc_store.hpp"
#include "systems/covington.hpp"
#include "systems/easy_first.hpp"
#include "systems/stack_state.hpp"

namespace dynarc {

using Key = std::uint64_t;

// Where the places of templates are in each kind of configuration.
inline Node node_at(const StackState& s, Place place, int index) {
  if (place == Place::stack) return index < s.depth() ? s.stack(index) : kNone;
  return index < s.buffer_size() ? s.buffer(index) : kNone;
}
inline Node node_at(const PairState& s, Place place, int index) {
  // S0 is i, the word of list 1 that is looked at; B0 is j.
  const Node node = place == Place::stack ? s.i() - index : s.j() + index;
  return node < 0 || node > s.words() ? kNone : node;
}
// The pair of easy-first: `focus` and its right neighbour.
struct FocusedList {
  const ListState& list;
  Node focus;
};
inline Node node_at(const FocusedList& s, Place, int index) {
  Node node = s.focus;
  for (; index > 0 && node != kNone; --index) node = s.list.right(node);
  for (; index < 0 && node != kNone; ++index) node = s.list.left(node);
  return index != 0 || (node == kRoot && s.focus != kRoot) ? kNone : node;  // ROOT is not used as context
}

inline const ArcStore& arcs_of(const StackState& s) { return s; }
inline const ArcStore& arcs_of(const PairState& s) { return s; }
inline const ArcStore& arcs_of(const FocusedList& s) { return s.list; }

class Extractor {
 public:
  Extractor(const Templates& templates, const WordEncoder& encoder, int valency_cap);

  // Replaces `keys` with one key for each template, more for those with many values, none for those with no value.
  template <class View>
  void extract(const View& view, const EncodedSentence& words, const Dependents& dependents, std::vector<Key>& keys);

 private:
  struct Many {  // a template with one atom that has many values
    Key seed;
    std::vector<int> atoms;  // the others
    int many;
  };

  // Mixes a value into a key. A multiplication by an odd number and shifts lose nothing, so keys of one template differ
  // wherever values do, but for the chance of two 64-bit numbers being the same.
  static Key mix(Key key, std::uint64_t value) {
    key = (key ^ value) * 0x9E3779B97F4A7C15u;
    return key ^ key >> 32;
  }

  static std::uint64_t distance(Node a, Node b) {
    if (a <= kRoot || b <= kRoot) return 0;
    const int d = a < b ? b - a : a - b;
    return static_cast<std::uint64_t>(d <= 5 ? d : d <= 10 ? 6 : 7);
  }

  std::uint64_t between(const EncodedSentence& words, Node a, Node b) const;
  void many_values(const AtomPlan& atom, const EncodedSentence& words);

  const Templates& templates_;
  int valency_cap_, tag_slot_;
  std::vector<int> slots_;  // of each atom's attribute
  std::vector<Key> seeds_;
  std::vector<int> flat_, flat_begin_;  // the atoms of templates with one value each
  std::vector<Many> many_;

  std::vector<Node> nodes_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> several_;
};

inline Extractor::Extractor(const Templates& templates, const WordEncoder& encoder, int valency_cap)
    : templates_(templates), valency_cap_(valency_cap), tag_slot_(encoder.slot(Attribute::tag)) {
  for (const AtomPlan& atom : templates.atoms())
    slots_.push_back(!atom.is_function && static_cast<int>(atom.attribute) < kWordAttributes &&
                             atom.attribute != Attribute::feature
                         ? encoder.slot(atom.attribute)
                         : -1);
  flat_begin_.push_back(0);
  for (std::size_t t = 0; t < templates.templates().size(); ++t) {
    const Key seed = mix(0x2545F4914F6CDD1Du, t + 1);
    const std::vector<int>& atoms = templates.templates()[t].atoms;
    const auto many = std::ranges::find_if(atoms, [&](int a) { return templates.atoms()[a].has_many_values(); });
    if (many == atoms.end()) {
      seeds_.push_back(seed);
      flat_.insert(flat_.end(), atoms.begin(), atoms.end());
      flat_begin_.push_back(static_cast<int>(flat_.size()));
    } else {
      Many plan{seed, atoms, *many};
      plan.atoms.erase(plan.atoms.begin() + (many - atoms.begin()));
      many_.push_back(std::move(plan));
    }
  }
  nodes_.resize(templates.nodes().size());
  values_.resize(templates.atoms().size());
}

inline std::uint64_t Extractor::between(const EncodedSentence& words, Node a, Node b) const {
  std::uint64_t set = 1;
  if (a <= kRoot || b <= kRoot) return 0;
  for (Node x = std::min(a, b) + 1; x < std::max(a, b); ++x)
    set |= std::uint64_t{2} << (words.value(tag_slot_, x) % 63);
  return set;
}

// The values of an atom that has many, into `several_`, each once.
inline void Extractor::many_values(const AtomPlan& atom, const EncodedSentence& words) {
  several_.clear();
  const Node node = nodes_[atom.node];
  if (!atom.is_function) {
    if (node == kNone) return;
    const auto [begin, end] = words.features(node);
    several_.assign(begin, end);
    return;
  }
  constexpr int kMost = 11;  // words between that count
  const Node other = nodes_[atom.other];
  if (node <= kRoot || other <= kRoot) return;
  const Node last = std::max(node, other);
  for (Node x = std::min(node, other) + 1; x < last && x - std::min(node, other) <= kMost; ++x)
    several_.push_back(words.value(tag_slot_, x));
  std::ranges::sort(several_);
  several_.erase(std::unique(several_.begin(), several_.end()), several_.end());
}

template <class View>
void Extractor::extract(const View& view, const EncodedSentence& words, const Dependents& dependents,
                        std::vector<Key>& keys) {
  const ArcStore& arcs = arcs_of(view);
  const std::vector<NodePlan>& plans = templates_.nodes();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const NodePlan& plan = plans[i];
    if (plan.is_place) {
      nodes_[i] = node_at(view, plan.place, plan.index);
      continue;
    }
    const Node of = nodes_[plan.of];
    if (of == kNone) {
      nodes_[i] = kNone;
      continue;
    }
    switch (plan.relation) {
      case Relation::head: nodes_[i] = arcs.head(of); break;
      case Relation::left1: nodes_[i] = dependents.left1(of); break;
      case Relation::left2: nodes_[i] = dependents.left2(of); break;
      case Relation::right1: nodes_[i] = dependents.right1(of); break;
      case Relation::right2: nodes_[i] = dependents.right2(of); break;
      case Relation::previous: nodes_[i] = of > 1 ? of - 1 : kNone; break;
      case Relation::next: nodes_[i] = of > kRoot && of < words.words() ? of + 1 : kNone; break;
    }
  }
  const std::vector<AtomPlan>& atoms = templates_.atoms();
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const AtomPlan& atom = atoms[i];
    const Node node = nodes_[atom.node];
    if (slots_[i] >= 0) {
      values_[i] = node == kNone ? kNullValue : words.value(slots_[i], node);
      continue;
    }
    if (atom.is_function) {
      const Node other = nodes_[atom.other];
      switch (atom.function) {
        case Function::dist: values_[i] = distance(node, other); break;
        case Function::head_is:
          values_[i] = node == kNone || other == kNone ? 0 : arcs.head(node) == other ? 2 : 1;
          break;
        case Function::between: values_[i] = between(words, node, other); break;
        case Function::each_between: break;
      }
      continue;
    }
    if (node == kNone) {
      values_[i] = 0;
      continue;
    }
    switch (atom.attribute) {
      case Attribute::deprel: values_[i] = static_cast<std::uint64_t>(arcs.label(node) + 1); break;  // none: NULL
      case Attribute::valency_left:
        values_[i] = 1u + static_cast<std::uint64_t>(std::min(valency_cap_, dependents.valency(node, true)));
        break;
      case Attribute::valency_right:
        values_[i] = 1u + static_cast<std::uint64_t>(std::min(valency_cap_, dependents.valency(node, false)));
        break;
      case Attribute::labels_left: values_[i] = 1u + dependents.labels(node, true); break;
      case Attribute::labels_right: values_[i] = 1u + dependents.labels(node, false); break;
      default: break;
    }
  }
  keys.resize(seeds_.size());
  for (std::size_t t = 0; t < seeds_.size(); ++t) {
    Key key = seeds_[t];
    for (int a = flat_begin_[t]; a < flat_begin_[t + 1]; ++a) key = mix(key, values_[flat_[a]]);
    keys[t] = key;
  }
  for (const Many& plan : many_) {
    Key key = plan.seed;
    for (const int a : plan.atoms) key = mix(key, values_[a]);
    many_values(atoms[plan.many], words);
    for (const std::uint64_t value : several_) keys.push_back(mix(key, value));
  }
}

}  // namespace dynarc
