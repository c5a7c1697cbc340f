// Feature templates: what they say, and the plan by which all of them are computed at once.
//
//   template  := atom ('+' atom)*                      S0.form+B0.tag
//   atom      := node '.' attribute                    S0.left1.deprel
//              | function '(' node ',' node ')'        dist(S0,B0)
//   node      := place ('.' relation)*                 S0  B1  S0.head.head  B0.previous
//   place     := S0 S1 .. | B0 B1 ..                   stack from its top, buffer from its front
//              | P2 P1 F1 F2 N1 N2                     easy-first: the pair, and what is before and after it
//   relation  := head | left1 | left2 | right1 | right2     as built so far
//              | guide                                      head in the tree of an earlier pass
//              | previous | next                            by position in the sentence
//
// A node that is not there has the value NULL in every attribute, and its templates fire with that value. Atoms of
// which there may be many values are the exception: their templates fire once for each value, or each choice of values
// where there are several such atoms, and not at all where there is none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynarc {

enum class Attribute : std::uint8_t {
  // Of the words themselves.
  form,
  lower,
  lemma,
  tag,  // UPOS or XPOS, as the configuration says
  upos,
  xpos,
  feats,
  suffix1,
  suffix2,
  suffix3,
  suffix4,
  prefix1,
  prefix2,
  prefix3,
  shape,
  feature,  // each attribute=value of FEATS: as many values as there are
  // Of the arcs built so far.
  deprel,
  valency_left,
  valency_right,
  labels_left,
  labels_right,
  has_head,
  leaf,        // it has no dependents
  span,        // from the first word of its subtree to the last, as a number
  refined,     // the tag of Goldberg & Elhadad (2010): with the form, or with what its dependents are (FEATURES 4)
  adposition,  // the form of an adposition; other words have no value
  // Of the tree that an earlier pass found.
  guide_deprel,
};
inline constexpr int kWordAttributes = static_cast<int>(Attribute::deprel);

enum class Place : std::uint8_t { stack, buffer, pair };
enum class Relation : std::uint8_t { head, left1, left2, right1, right2, previous, next, guide };
enum class Function : std::uint8_t {
  dist,          // 1 2 3 4 5 6-10 more; NULL if one is ROOT or missing
  head_is,       // the second is the head of the first
  between,       // the set of tags between the two
  each_between,  // each of those tags: as many values as there are
  gap,           // the difference of the two positions, as a number; ROOT has position 0
  agree,         // each attribute of FEATS that both have, and whether its value is the same
  // Of the tree that an earlier pass found.
  guide_arc,    // which of the two is the head of the other, if one is
  guide_side,   // where the head of the first is: the second; beyond it; before it; on the other side; ROOT
  guide_reach,  // how far the dependents of the first reach: not to the second, to it, beyond it
};

// A node is a place, or what stands in a relation to a node before it in the list.
struct NodePlan {
  bool is_place = true;
  Place place = Place::stack;
  int index = 0;  // of a pair: -2 and -1 before it, 0 and 1 the two, 2 and 3 after it
  int of = -1;
  Relation relation = Relation::head;
  friend bool operator==(const NodePlan&, const NodePlan&) = default;
};

struct AtomPlan {
  bool is_function = false;
  Attribute attribute = Attribute::form;
  Function function = Function::dist;
  int node = 0, other = -1;
  friend bool operator==(const AtomPlan&, const AtomPlan&) = default;

  bool has_many_values() const {
    return is_function ? function == Function::each_between || function == Function::agree
                       : attribute == Attribute::feature || attribute == Attribute::adposition;
  }
};

struct TemplatePlan {
  std::vector<int> atoms;
};

class Templates {
 public:
  // Throws ConfigError that shows the template and the place in it where it is wrong.
  explicit Templates(const std::vector<std::string>& texts);

  // Each node and atom stands once, however many templates use it; a node comes after the one it depends on.
  const std::vector<NodePlan>& nodes() const { return nodes_; }
  const std::vector<AtomPlan>& atoms() const { return atoms_; }
  const std::vector<TemplatePlan>& templates() const { return templates_; }
  const std::vector<std::string>& texts() const { return texts_; }

  bool uses(Attribute attribute) const;
  bool uses(Function function) const;
  bool uses(Place place) const;

 private:
  friend class TemplateParser;

  std::vector<std::string> texts_;
  std::vector<NodePlan> nodes_;
  std::vector<AtomPlan> atoms_;
  std::vector<TemplatePlan> templates_;
};

std::vector<std::string> attribute_names();

}  // namespace dynarc
