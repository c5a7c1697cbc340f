#include "features/texts.hpp"

#include <array>

namespace dynarc {

namespace {

std::string joined(const std::set<std::string>& all) {
  std::string out;
  for (const std::string& one : all) out += (out.empty() ? "" : ",") + one;
  return out;
}

std::string yes_or_no(bool yes) { return yes ? "yes" : "no"; }

}  // namespace

std::vector<Firings> ValueTexts::texts(const Extractor& extractor, const ArcStore& arcs, const EncodedSentence& words,
                                       const Dependents& dependents) const {
  const Seen seen{extractor, arcs, words, dependents};
  std::vector<Firings> out;
  for (const TemplatePlan& plan : templates_.templates()) {
    Firings firings(1);
    for (const int a : plan.atoms) {
      const AtomPlan& atom = templates_.atoms()[static_cast<std::size_t>(a)];
      const std::vector<std::string> values =
          atom.has_many_values() ? many(atom, seen) : std::vector<std::string>{one(a, seen)};
      Firings longer;
      for (const auto& start : firings)
        for (const std::string& value : values) {
          longer.push_back(start);
          longer.back().push_back(value);
        }
      firings = std::move(longer);
    }
    out.push_back(std::move(firings));
  }
  return out;
}

std::vector<std::string> ValueTexts::many(const AtomPlan& atom, const Seen& seen) const {
  std::vector<std::uint64_t> values;
  seen.extractor.many_values(atom, seen.words, values);
  std::vector<std::string> out;
  for (const std::uint64_t v : values) {
    const auto value = static_cast<Value>(v);
    if (atom.is_function && atom.function == Function::agree)
      out.push_back(seen.extractor.attribute_name(value / 2) + (value % 2 ? ":same" : ":different"));
    else if (atom.is_function)
      out.push_back(encoder_.spell(Attribute::tag, value));
    else
      out.push_back(
          encoder_.spell(atom.attribute == Attribute::adposition ? Attribute::form : Attribute::feature, value));
  }
  return out;
}

std::string ValueTexts::one(int a, const Seen& seen) const {
  const AtomPlan& atom = templates_.atoms()[static_cast<std::size_t>(a)];
  const std::uint64_t value = seen.extractor.value(a);
  if (atom.is_function) return function(atom, value, seen);
  if (static_cast<int>(atom.attribute) < kWordAttributes)
    return encoder_.spell(atom.attribute, static_cast<Value>(value));
  if (value == 0) return "NULL";
  const Node node = seen.extractor.node(atom.node);
  switch (atom.attribute) {
    case Attribute::deprel:
    case Attribute::guide_deprel: return label(static_cast<Label>(value - 1));
    case Attribute::labels_left: return label_set(node, true, seen);
    case Attribute::labels_right: return label_set(node, false, seen);
    case Attribute::has_head:
    case Attribute::leaf: return yes_or_no(value == 2);
    case Attribute::refined: return refined(atom, seen);
    default: return std::to_string(value - 1);  // valencies and spans
  }
}

std::string ValueTexts::function(const AtomPlan& atom, std::uint64_t value, const Seen& seen) const {
  if (value == 0) return atom.function == Function::dist ? "NA" : "NULL";
  switch (atom.function) {
    case Function::dist: return value == 6 ? "6-10" : value == 7 ? ">10" : std::to_string(value);
    case Function::head_is: return yes_or_no(value == 2);
    case Function::between: return tags_between(seen.extractor.node(atom.node), seen.extractor.node(atom.other), seen);
    case Function::guide_arc: return std::array{"none", "head", "dependent"}[value - 1];
    case Function::guide_side: return std::array{"none", "root", "there", "behind", "before", "beyond"}[value - 1];
    case Function::guide_reach: return std::array{"none", "there", "before", "beyond"}[value - 1];
    default: return std::to_string(value - 1);  // gaps
  }
}

std::string ValueTexts::tag(Node node, const Seen& seen) const {
  return node == kNone ? "NULL" : encoder_.spell(Attribute::tag, seen.words.value(encoder_.slot(Attribute::tag), node));
}

std::string ValueTexts::refined(const AtomPlan& atom, const Seen& seen) const {
  const Node node = seen.extractor.node(atom.node);
  const Extractor::Refined how = seen.extractor.refined(atom, seen.words, seen.dependents);
  std::string out = tag(node, seen);
  if (how.form) out += "/" + encoder_.spell(Attribute::form, seen.words.value(encoder_.slot(Attribute::form), node));
  if (how.infinitive) out += "_TO";
  if (how.children) out += "/" + tag(seen.dependents.left1(node), seen) + "/" + tag(seen.dependents.right1(node), seen);
  return out;
}

std::string ValueTexts::label_set(Node node, bool left, const Seen& seen) const {
  std::set<std::string> all;
  for (Node d = left ? 1 : node + 1; d <= (left ? node - 1 : seen.arcs.words()); ++d)
    if (seen.arcs.head(d) == node && seen.arcs.label(d) != kNoLabel) all.insert(label(seen.arcs.label(d)));
  return joined(all);
}

std::string ValueTexts::tags_between(Node a, Node b, const Seen& seen) const {
  std::set<std::string> all;
  for (Node x = std::min(a, b) + 1; x < std::max(a, b); ++x) all.insert(tag(x, seen));
  return joined(all);
}

}  // namespace dynarc
