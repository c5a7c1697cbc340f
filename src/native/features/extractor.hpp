// From a configuration to the nodes and values that its templates are about, and from them to the keys of its features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
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

// Tags by which FEATURES 4 tells words apart, of the Penn Treebank and of Universal Dependencies.
enum class TagKind : std::uint8_t { other, adposition, coordinator, verb, infinitive };
inline TagKind tag_kind(std::string_view tag) {
  if (tag == "IN" || tag == "ADP") return TagKind::adposition;
  if (tag == "CC" || tag == "CCONJ" || tag == "CONJ") return TagKind::coordinator;
  if (tag == "TO" || tag == "PART") return TagKind::infinitive;
  return tag.starts_with('V') || tag == "AUX" ? TagKind::verb : TagKind::other;
}

class Extractor {
 public:
  Extractor(const Templates& templates, const WordEncoder& encoder, LabelValues labels, int valency_cap);

  // Replaces `keys` with one key for each template, more for those with many values, none for those with no value.
  template <class View>
  void extract(const View& view, const EncodedSentence& words, const Dependents& dependents, std::vector<Key>& keys);

  // Some nodes and atoms, which are found without the others. What is done for every configuration is in short lists.
  struct Selection {
    struct AtPlace {
      int node, index;
      Place place;
    };
    struct Step {  // from one node to another; `left` and `second` say which dependent
      enum class Kind : std::uint8_t { dependent, head, previous, next, guide };
      std::int16_t node, of;
      Kind kind;
      bool left = false, second = false;
    };
    struct OfNode {
      std::uint16_t atom, node;
    };
    struct OfSide {
      std::uint16_t atom, node;
      bool left;
    };
    struct Distance {
      std::uint16_t atom, node, other;
    };
    std::vector<AtPlace> places;
    std::vector<Step> steps;
    std::vector<std::pair<int, std::vector<OfNode>>> words;  // by attribute: its slot
    std::vector<OfNode> deprels;
    std::vector<OfSide> valencies;
    std::vector<Distance> distances;
    std::vector<int> arcs, functions;
  };
  // Some atoms and nodes, and all nodes that they need.
  Selection select(const std::vector<int>& atoms, const std::vector<int>& nodes) const;

  // The first half of that: finds the nodes, and the values of atoms that have one. What is then known is below.
  template <class View>
  void look(const View& view, const EncodedSentence& words, const Dependents& dependents) {
    look(view, words, dependents, all_);
  }
  template <class View>
  void look(const View& view, const EncodedSentence& words, const Dependents& dependents, const Selection& part) {
    look<1>(view, words, dependents, part, values_.data());
  }
  // The same, but the value of atom a is put to values[kStride * a], where those who ask for keys have to say it is.
  template <std::size_t kStride, class View>
  void look(const View& view, const EncodedSentence& words, const Dependents& dependents, const Selection& part,
            std::uint64_t* values);
  bool sees_spans() const { return templates_.uses(Attribute::span); }
  Node node(int plan) const { return nodes_[static_cast<std::size_t>(plan)]; }
  std::uint64_t value(int atom) const { return values_[static_cast<std::size_t>(atom)]; }
  // Then also: adds the keys of one template; and one number for all values of an atom that has many.
  void add_keys(std::size_t t, const EncodedSentence& words, std::vector<Key>& keys) {
    add_keys<1>(t, words, keys, values_.data());
  }
  template <std::size_t kStride>
  void add_keys(std::size_t t, const EncodedSentence& words, std::vector<Key>& keys, const std::uint64_t* values);
  std::uint64_t value_of_many(int atom, const EncodedSentence& words);
  // Mixes a value into a key. A multiplication by an odd number and shifts lose nothing, so keys of one template differ
  // wherever values do, but for the chance of two 64-bit numbers being the same.
  static constexpr Key kMix = 0x9E3779B97F4A7C15u;
  static Key mix(Key key, std::uint64_t value) {
    key = (key ^ value) * kMix;
    return key ^ key >> 32;
  }

  // How the key of a template is made: from `seed`, with the values of atoms in order.
  Key seed(std::size_t t) const { return plans_[t].seed; }
  const std::vector<int>& atoms_with_one_value(std::size_t t) const { return plans_[t].atoms; }
  bool has_many_keys(std::size_t t) const { return !plans_[t].many.empty(); }
  // The values of an atom that has many, each once.
  void many_values(const AtomPlan& atom, const EncodedSentence& words, std::vector<std::uint64_t>& out) const;
  // How `refined` makes a tag out of what there is.
  struct Refined {
    bool form = false, infinitive = false, children = false;
  };
  Refined refined(const AtomPlan& atom, const EncodedSentence& words, const Dependents& dependents) const;
  const std::string& attribute_name(Value number) const { return names_.texts()[number - kFirstValue]; }

 private:
  static constexpr std::size_t kMostChoices = 4096;  // of the values of one template; real words have far fewer
  static constexpr int kMostBetween = 11;            // words between two that count one by one

  struct Plan {  // of a template
    Key seed;
    std::vector<int> atoms;  // that have one value
    std::vector<int> many;
  };

  static std::uint64_t distance(Node a, Node b) {
    if (a <= kRoot || b <= kRoot) return 0;
    const int d = a < b ? b - a : a - b;
    constexpr std::uint8_t kBuckets[] = {0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 7};
    return kBuckets[std::min(d, 11)];
  }

  void add_many_keys(const Plan& plan, Key key, const EncodedSentence& words, std::vector<Key>& keys);
  void select_node(int n, Selection& out) const;
  void select_atom(int a, Selection& out) const;
  template <class View>
  void find_nodes(const View& view, const EncodedSentence& words, const Dependents& dependents, const Selection& part);
  std::uint64_t function_value(const AtomPlan& atom, const ArcStore& arcs, const EncodedSentence& words) const;
  std::uint64_t arc_value(const AtomPlan& atom, const ArcStore& arcs, const EncodedSentence& words,
                          const Dependents& dependents) const;
  std::uint64_t between(const EncodedSentence& words, Node a, Node b) const;
  std::uint64_t valency_value(const Dependents& dependents, Node node, bool left) const {
    return (node != kNone) * (1u + static_cast<std::uint64_t>(std::min(valency_cap_, dependents.valency(node, left))));
  }
  static std::uint64_t guide_side(const EncodedSentence& words, Node node, Node other);
  static std::uint64_t guide_reach(const EncodedSentence& words, Node node, Node other);
  std::uint64_t refined_value(const AtomPlan& atom, const EncodedSentence& words, const Dependents& dependents) const;
  TagKind kind(const EncodedSentence& words, Node node) const {
    return node <= kRoot ? TagKind::other : kinds_[words.value(tag_slot_, node)];
  }
  Value tag_or_null(const EncodedSentence& words, Node node) const {
    return node == kNone ? kNullValue : words.value(tag_slot_, node);
  }

  const Templates& templates_;
  LabelValues labels_;
  const WordEncoder& encoder_;
  int valency_cap_, tag_slot_, form_slot_;
  Selection all_;
  std::vector<std::uint64_t> label_values_;  // from no label on
  std::vector<Key> seeds_;
  std::vector<int> flat_, flat_begin_;  // the atoms of templates with one value each
  std::vector<Plan> plans_;             // of all templates
  std::vector<std::size_t> many_;       // the templates with atoms that have many values
  std::vector<TagKind> kinds_;          // of the values of tags
  std::vector<Value> attributes_;       // of single features: their number in `names_`; 0 if there is none
  Vocabulary names_;                    // of attributes of FEATS

  std::vector<Node> nodes_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> several_;
  std::vector<Key> partial_, longer_;
};

inline Extractor::Extractor(const Templates& templates, const WordEncoder& encoder, LabelValues labels, int valency_cap)
    : templates_(templates),
      labels_(std::move(labels)),
      encoder_(encoder),
      valency_cap_(valency_cap),
      tag_slot_(encoder.slot(Attribute::tag)),
      form_slot_(encoder.slot(Attribute::form)),
      kinds_(kFirstValue, TagKind::other),
      attributes_(kFirstValue, 0) {
  for (const std::string& tag : encoder.texts(Attribute::tag)) kinds_.push_back(tag_kind(tag));
  for (const std::string& feature : encoder.texts(Attribute::feature))
    attributes_.push_back(names_.add(std::string_view(feature).substr(0, feature.find('='))));
  for (Label label = kNoLabel; label < labels_.count; ++label) label_values_.push_back(labels_.value(label));
  for (int n = 0; n < static_cast<int>(templates.nodes().size()); ++n) select_node(n, all_);
  for (int a = 0; a < static_cast<int>(templates.atoms().size()); ++a) select_atom(a, all_);
  flat_begin_.push_back(0);
  for (std::size_t t = 0; t < templates.templates().size(); ++t) {
    Plan plan{mix(0x2545F4914F6CDD1Du, t + 1), {}, {}};
    for (const int a : templates.templates()[t].atoms)
      (templates.atoms()[a].has_many_values() ? plan.many : plan.atoms).push_back(a);
    if (plan.many.empty()) {
      seeds_.push_back(plan.seed);
      flat_.insert(flat_.end(), plan.atoms.begin(), plan.atoms.end());
      flat_begin_.push_back(static_cast<int>(flat_.size()));
    } else {
      many_.push_back(t);
    }
    plans_.push_back(std::move(plan));
  }
  nodes_.resize(templates.nodes().size());
  values_.resize(templates.atoms().size());
}

inline void Extractor::select_node(int n, Selection& out) const {
  const NodePlan& plan = templates_.nodes()[n];
  if (plan.is_place) {
    out.places.push_back({n, plan.index, plan.place});
    return;
  }
  using Kind = Selection::Step::Kind;
  Selection::Step step{static_cast<std::int16_t>(n), static_cast<std::int16_t>(plan.of), Kind::dependent};
  switch (plan.relation) {
    case Relation::head: step.kind = Kind::head; break;
    case Relation::left1: step.left = true; break;
    case Relation::left2: step.left = step.second = true; break;
    case Relation::right1: break;
    case Relation::right2: step.second = true; break;
    case Relation::previous: step.kind = Kind::previous; break;
    case Relation::next: step.kind = Kind::next; break;
    case Relation::guide: step.kind = Kind::guide; break;
  }
  out.steps.push_back(step);
}

inline void Extractor::select_atom(int a, Selection& out) const {
  const AtomPlan& atom = templates_.atoms()[a];
  if (atom.has_many_values()) return;
  const auto of_slot = [&](int slot) -> std::vector<Selection::OfNode>& {
    for (auto& [other, atoms] : out.words)
      if (other == slot) return atoms;
    return out.words.emplace_back(slot, std::vector<Selection::OfNode>()).second;
  };
  const auto number = static_cast<std::uint16_t>(a), node = static_cast<std::uint16_t>(atom.node);
  if (atom.is_function && atom.function == Function::dist)
    out.distances.push_back({number, node, static_cast<std::uint16_t>(atom.other)});
  else if (atom.is_function)
    out.functions.push_back(a);
  else if (static_cast<int>(atom.attribute) < kWordAttributes)
    of_slot(encoder_.slot(atom.attribute)).push_back({number, node});
  else if (atom.attribute == Attribute::deprel)
    out.deprels.push_back({number, node});
  else if (atom.attribute == Attribute::valency_left || atom.attribute == Attribute::valency_right)
    out.valencies.push_back({number, node, atom.attribute == Attribute::valency_left});
  else
    out.arcs.push_back(a);
}

inline Extractor::Selection Extractor::select(const std::vector<int>& atoms, const std::vector<int>& nodes) const {
  std::vector<bool> needed(templates_.nodes().size());
  const auto need = [&](int n) {
    for (; n >= 0; n = templates_.nodes()[n].of) needed[n] = true;
  };
  Selection out;
  for (const int a : atoms) {
    select_atom(a, out);
    need(templates_.atoms()[a].node);
    need(templates_.atoms()[a].other);
  }
  for (const int n : nodes) need(n);
  for (int n = 0; n < static_cast<int>(needed.size()); ++n)
    if (needed[n]) select_node(n, out);
  return out;
}

inline std::uint64_t Extractor::between(const EncodedSentence& words, Node a, Node b) const {
  std::uint64_t set = 1;
  if (a <= kRoot || b <= kRoot) return 0;
  for (Node x = std::min(a, b) + 1; x < std::max(a, b); ++x)
    set |= std::uint64_t{2} << (words.value(tag_slot_, x) % 63);
  return set;
}

// FEATURES 4: adpositions are known by their form, verbs by an infinitive marker, coordinators by what they join. Those
// at the rim of the window are far from being decided on: there the form is enough.
inline Extractor::Refined Extractor::refined(const AtomPlan& atom, const EncodedSentence& words,
                                             const Dependents& dependents) const {
  const NodePlan& plan = templates_.nodes()[atom.node];
  const bool rim = plan.is_place && plan.place == Place::pair && (plan.index == -2 || plan.index == 3);
  const Node node = nodes_[atom.node];
  switch (kind(words, node)) {
    case TagKind::adposition: return {.form = true};
    case TagKind::coordinator: return {.form = true, .children = !rim};
    case TagKind::verb: return {.infinitive = kind(words, dependents.left1(node)) == TagKind::infinitive};
    default: return {};
  }
}

inline std::uint64_t Extractor::refined_value(const AtomPlan& atom, const EncodedSentence& words,
                                              const Dependents& dependents) const {
  const Node node = nodes_[atom.node];
  const Refined how = refined(atom, words, dependents);
  std::uint64_t value = words.value(tag_slot_, node);
  if (how.form) value = mix(mix(1, value), words.value(form_slot_, node));
  if (how.infinitive) value = mix(2, value);
  if (how.children)
    value = mix(mix(value, tag_or_null(words, dependents.left1(node))), tag_or_null(words, dependents.right1(node)));
  return value;
}

inline void Extractor::many_values(const AtomPlan& atom, const EncodedSentence& words,
                                   std::vector<std::uint64_t>& out) const {
  out.clear();
  const Node node = nodes_[atom.node];
  if (!atom.is_function) {
    if (node == kNone) return;
    if (atom.attribute == Attribute::adposition) {
      if (kind(words, node) == TagKind::adposition) out.push_back(words.value(form_slot_, node));
      return;
    }
    const auto [begin, end] = words.features(node);
    out.assign(begin, end);
  } else {
    const Node other = nodes_[atom.other];
    if (node <= kRoot || other <= kRoot) return;
    if (atom.function == Function::agree) {
      const auto [begin, end] = words.features(node);
      const auto [other_begin, other_end] = words.features(other);
      for (const Value* a = begin; a != end; ++a)
        for (const Value* b = other_begin; b != other_end; ++b)
          if (attributes_[*a] != 0 && attributes_[*a] == attributes_[*b])
            out.push_back(2u * attributes_[*a] + (*a == *b));
    } else {
      const Node first = std::min(node, other), last = std::max(node, other);
      for (Node x = first + 1; x < last && x - first <= kMostBetween; ++x) out.push_back(words.value(tag_slot_, x));
    }
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

template <class View>
void Extractor::find_nodes(const View& view, const EncodedSentence& words, const Dependents& dependents,
                           const Selection& part) {
  using Kind = Selection::Step::Kind;
  Node* const nodes = nodes_.data();
  const ArcStore& arcs = arcs_of(view);
  for (const Selection::AtPlace& at : part.places) nodes[at.node] = node_at(view, at.place, at.index);
  for (const Selection::Step& step : part.steps) {
    // Whether a node is there, nobody can foretell: what follows is the same for all, and none for one that is not.
    const Node of = nodes[step.of];
    if (step.kind == Kind::dependent) {
      nodes[step.node] = dependents.outermost(of, step.left, step.second);
    } else if (step.kind == Kind::head) {
      nodes[step.node] = arcs.head(std::max(of, kRoot));
    } else if (step.kind == Kind::previous) {
      nodes[step.node] = of > 1 ? of - 1 : kNone;
    } else if (step.kind == Kind::next) {
      nodes[step.node] = of > kRoot && of < words.words() ? of + 1 : kNone;
    } else {
      nodes[step.node] = words.guide_head(of);
    }
  }
}

// Of atoms that are about two nodes; 0 is NULL.
inline std::uint64_t Extractor::function_value(const AtomPlan& atom, const ArcStore& arcs,
                                               const EncodedSentence& words) const {
  const Node node = nodes_[atom.node], other = nodes_[atom.other];
  const bool missing = node == kNone || other == kNone;
  switch (atom.function) {
    case Function::head_is: return missing ? 0 : arcs.head(node) == other ? 2 : 1;
    case Function::between: return between(words, node, other);
    case Function::gap:
      return missing ? 0 : 1u + static_cast<std::uint64_t>(node < other ? other - node : node - other);
    case Function::guide_arc:
      return missing ? 0 : words.guide_head(node) == other ? 2 : words.guide_head(other) == node ? 3 : 1;
    case Function::guide_side: return missing ? 0 : guide_side(words, node, other);
    case Function::guide_reach: return missing ? 0 : guide_reach(words, node, other);
    default: return 0;  // distances have a list of their own; many values
  }
}

inline std::uint64_t Extractor::guide_side(const EncodedSentence& words, Node node, Node other) {
  const Node head = words.guide_head(node);
  if (head == kNone || head == kRoot) return head == kNone ? 1 : 2;
  if (head == other) return 3;
  if ((head < node) != (other < node)) return 4;
  return (head < other) == (node < other) ? 5 : 6;  // before it, beyond it
}

inline std::uint64_t Extractor::guide_reach(const EncodedSentence& words, Node node, Node other) {
  const Node farthest = node < other ? words.guide_last(node) : words.guide_first(node);
  if (farthest == kNone || node == kRoot) return 1;
  if (farthest == other) return 2;
  return (farthest < other) == (node < other) ? 3 : 4;  // not so far, beyond it
}

// Of atoms that are about the arcs of a node; 0 is NULL.
inline std::uint64_t Extractor::arc_value(const AtomPlan& atom, const ArcStore& arcs, const EncodedSentence& words,
                                          const Dependents& dependents) const {
  const Node node = nodes_[atom.node], some = std::max(node, kRoot);  // ROOT has neither head nor label
  const bool there = node != kNone;
  const auto number = [there](int n) { return there * (1u + static_cast<std::uint64_t>(n)); };
  switch (atom.attribute) {
    case Attribute::labels_left: return there * (1u + dependents.labels(node, true));
    case Attribute::labels_right: return there * (1u + dependents.labels(node, false));
    case Attribute::has_head: return number(!arcs.headless(some));
    case Attribute::leaf: return number(dependents.valency(node) == 0);
    case Attribute::span: return number(dependents.span(some));
    case Attribute::refined: return there ? refined_value(atom, words, dependents) : 0;
    case Attribute::guide_deprel: return label_values_[static_cast<std::size_t>(words.guide_label(node) - kNoLabel)];
    default: return 0;  // many values
  }
}

template <std::size_t kStride, class View>
void Extractor::look(const View& view, const EncodedSentence& words, const Dependents& dependents,
                     const Selection& part, std::uint64_t* const values) {
  find_nodes(view, words, dependents, part);
  const ArcStore& arcs = arcs_of(view);
  const std::vector<AtomPlan>& atoms = templates_.atoms();
  const Node* const nodes = nodes_.data();
  for (const auto& [slot, some] : part.words) {
    const Value* const row = words.row(slot);
    for (const Selection::OfNode& one : some) values[kStride * one.atom] = row[nodes[one.node]];
  }
  for (const auto& [atom, node] : part.deprels)  // ROOT has no label either
    values[kStride * atom] =
        label_values_[static_cast<std::size_t>(arcs.label(std::max(nodes[node], kRoot)) - kNoLabel)];
  for (const auto& [atom, node, left] : part.valencies)
    values[kStride * atom] = valency_value(dependents, nodes[node], left);
  for (const auto& [atom, node, other] : part.distances) values[kStride * atom] = distance(nodes[node], nodes[other]);
  for (const int a : part.arcs)
    values[kStride * static_cast<std::size_t>(a)] = arc_value(atoms[a], arcs, words, dependents);
  for (const int a : part.functions)
    values[kStride * static_cast<std::size_t>(a)] = function_value(atoms[a], arcs, words);
}

template <std::size_t kStride>
[[gnu::always_inline]] inline void Extractor::add_keys(std::size_t t, const EncodedSentence& words,
                                                       std::vector<Key>& keys, const std::uint64_t* values) {
  const Plan& plan = plans_[t];
  Key key = plan.seed;
  for (const int a : plan.atoms) key = mix(key, values[kStride * static_cast<std::size_t>(a)]);
  if (plan.many.empty()) [[likely]] {
    keys.push_back(key);
    return;
  }
  add_many_keys(plan, key, words, keys);
}

inline void Extractor::add_many_keys(const Plan& plan, Key key, const EncodedSentence& words, std::vector<Key>& keys) {
  partial_.assign(1, key);
  for (const int a : plan.many) {
    many_values(templates_.atoms()[a], words, several_);
    longer_.clear();
    for (const Key start : partial_)
      for (const std::uint64_t value : several_) longer_.push_back(mix(start, value));
    if (longer_.size() > kMostChoices) longer_.resize(kMostChoices);
    partial_.swap(longer_);
  }
  keys.insert(keys.end(), partial_.begin(), partial_.end());
}

inline std::uint64_t Extractor::value_of_many(int atom, const EncodedSentence& words) {
  many_values(templates_.atoms()[atom], words, several_);
  std::uint64_t all = 0;
  for (const std::uint64_t value : several_) all = mix(all, value + 1);
  return all;
}

template <class View>
void Extractor::extract(const View& view, const EncodedSentence& words, const Dependents& dependents,
                        std::vector<Key>& keys) {
  look(view, words, dependents);
  keys.resize(seeds_.size());
  for (std::size_t t = 0; t < seeds_.size(); ++t) {
    Key key = seeds_[t];
    for (int a = flat_begin_[t]; a < flat_begin_[t + 1]; ++a) key = mix(key, values_[flat_[a]]);
    keys[t] = key;
  }
  for (const std::size_t t : many_) add_keys(t, words, keys);
}

}  // namespace dynarc
