#include "features/templates.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/error.hpp"

namespace dynarc {

namespace {

constexpr std::string_view kAttributes[] = {
    "form",     "lower",   "lemma",   "tag",          "upos",          "xpos",        "feats",
    "suffix1",  "suffix2", "suffix3", "suffix4",      "prefix1",       "prefix2",     "prefix3",
    "shape",    "feature", "deprel",  "valency_left", "valency_right", "labels_left", "labels_right",
    "has_head", "leaf",    "span",    "refined",      "adposition",    "guide_deprel"};
constexpr std::string_view kRelations[] = {"head", "left1", "left2", "right1", "right2", "previous", "next", "guide"};
constexpr std::string_view kFunctions[] = {"dist",  "head_is",   "between",    "each_between", "gap",
                                           "agree", "guide_arc", "guide_side", "guide_reach"};
constexpr std::string_view kPairPlaces[] = {"P2", "P1", "F1", "F2", "N1", "N2"};  // from -2 on

// Far above any real set, so that one that is hostile costs neither time nor memory.
constexpr std::size_t kMostTemplates = 2000, kLongest = 500;

int find(std::span<const std::string_view> names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

std::string listed(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

template <class T>
int place_in(std::vector<T>& all, const T& one) {
  const auto found = std::ranges::find(all, one);
  if (found != all.end()) return static_cast<int>(found - all.begin());
  all.push_back(one);
  return static_cast<int>(all.size()) - 1;
}

}  // namespace

class TemplateParser {
 public:
  TemplateParser(Templates& out, std::string_view text) : out_(out), text_(text) {}

  TemplatePlan parse() {
    TemplatePlan plan;
    do plan.atoms.push_back(atom());
    while (take('+'));
    if (at_ != text_.size()) fail(at_, "expected '+' or the end");
    return plan;
  }

 private:
  int atom() {
    const std::size_t start = at_;
    std::string_view name = word();
    AtomPlan atom;
    if (take('(')) {
      const int function = find(kFunctions, name);
      if (function < 0)
        fail(start, "there is no function '" + std::string(name) + "' (there are: " + listed(kFunctions) + ")");
      atom.is_function = true;
      atom.function = static_cast<Function>(function);
      atom.node = argument();
      if (!take(',')) fail(at_, "expected ',' and a second node");
      atom.other = argument();
      if (!take(')')) fail(at_, "expected ')'");
      return place_in(out_.atoms_, atom);
    }
    int node = place(name, start);
    while (take('.')) {
      const std::size_t here = at_;
      name = word();
      if (const int relation = find(kRelations, name); relation >= 0) {
        node = related(node, static_cast<Relation>(relation));
        continue;
      }
      const int attribute = find(kAttributes, name);
      if (attribute < 0)
        fail(here, "there is no attribute or relation '" + std::string(name) + "' (attributes: " + listed(kAttributes) +
                       "; relations: " + listed(kRelations) + ")");
      atom.attribute = static_cast<Attribute>(attribute);
      atom.node = node;
      return place_in(out_.atoms_, atom);
    }
    fail(at_, "expected '.' and an attribute");
  }

  int argument() {
    const std::size_t start = at_;
    int node = place(word(), start);
    while (take('.')) {
      const std::size_t here = at_;
      const int relation = find(kRelations, word());
      if (relation < 0) fail(here, "expected a relation: " + listed(kRelations));
      node = related(node, static_cast<Relation>(relation));
    }
    return node;
  }

  int place(std::string_view name, std::size_t start) {
    NodePlan node;
    if (const int pair = find(kPairPlaces, name); pair >= 0) {
      node.place = Place::pair;
      node.index = pair - 2;
      return place_in(out_.nodes_, node);
    }
    const bool number = name.size() == 2 && name[1] >= '0' && name[1] <= '9';
    if (!number || (name[0] != 'S' && name[0] != 'B'))
      fail(start, "there is no place '" + std::string(name) + "' (there are: S0 to S9, B0 to B9, and for easy-first " +
                      listed(kPairPlaces) + ")");
    node.place = name[0] == 'S' ? Place::stack : Place::buffer;
    node.index = name[1] - '0';
    return place_in(out_.nodes_, node);
  }

  int related(int node, Relation relation) {
    NodePlan plan;
    plan.is_place = false;
    plan.of = node;
    plan.relation = relation;
    return place_in(out_.nodes_, plan);
  }

  std::string_view word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    return text_.substr(start, at_ - start);
  }

  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail(std::size_t at, const std::string& why) const {
    throw ConfigError("feature template '" + std::string(text_) + "', column " + std::to_string(at + 1) + ": " + why);
  }

  Templates& out_;
  std::string_view text_;
  std::size_t at_ = 0;
};

Templates::Templates(const std::vector<std::string>& texts) : texts_(texts) {
  if (texts_.size() > kMostTemplates)
    throw ConfigError("there are " + std::to_string(texts_.size()) + " feature templates; at most " +
                      std::to_string(kMostTemplates) + " can be used");
  std::set<std::string_view> seen;
  for (const std::string& text : texts_) {
    if (text.size() > kLongest)
      throw ConfigError("feature template '" + text.substr(0, 40) + "...' is longer than " + std::to_string(kLongest) +
                        " characters");
    if (!seen.insert(text).second) throw ConfigError("feature template '" + text + "' is given twice");
    templates_.push_back(TemplateParser(*this, text).parse());
  }
}

bool Templates::uses(Attribute attribute) const {
  return std::ranges::any_of(atoms_, [&](const AtomPlan& a) { return !a.is_function && a.attribute == attribute; });
}

bool Templates::uses(Function function) const {
  return std::ranges::any_of(atoms_, [&](const AtomPlan& a) { return a.is_function && a.function == function; });
}

bool Templates::uses(Place place) const {
  return std::ranges::any_of(nodes_, [&](const NodePlan& n) { return n.is_place && n.place == place; });
}

std::vector<std::string> attribute_names() { return {std::begin(kAttributes), std::end(kAttributes)}; }

}  // namespace dynarc
