#include "model/parts.hpp"

#include <algorithm>

namespace dynarc {

namespace {

constexpr std::size_t kFewTemplates = 4;  // not worth a part

class Parts {
 public:
  Parts(const Templates& templates, bool keeps_order) : templates_(templates), keeps_order_(keeps_order) {
    const std::vector<NodePlan>& nodes = templates.nodes();
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (nodes[n].is_place && nodes[n].place == Place::buffer && nodes[n].index == 0) front_ = static_cast<int>(n);
  }

  std::vector<Part> run() {
    std::vector<Part> parts;
    Part rest;
    for (std::size_t t = 0; t < templates_.templates().size(); ++t) {
      Part part = part_of(static_cast<int>(t));
      const auto same = std::ranges::find_if(parts, [&](const Part& other) {
        // What no arc changes is kept longer than what arcs do.
        return other.anchor == part.anchor && other.inner.empty() == part.inner.empty();
      });
      if (!part.is_kept())
        rest.templates.push_back(static_cast<int>(t));
      else if (same == parts.end())
        parts.push_back(std::move(part));
      else
        join(*same, part);
    }
    for (std::size_t i = 0; i < parts.size();) {
      if (parts[i].templates.size() > kFewTemplates) {
        ++i;
        continue;
      }
      const Part few = std::move(parts[i]);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
      const auto other = std::ranges::find(parts, few.anchor, &Part::anchor);
      join(other == parts.end() ? rest : *other, few);
    }
    rest.inner.clear();
    parts.push_back(std::move(rest));
    for (Part& part : parts) std::ranges::sort(part.templates);
    return parts;
  }

 private:
  static void join(Part& part, const Part& more) {
    part.templates.insert(part.templates.end(), more.templates.begin(), more.templates.end());
    part.inner.insert(part.inner.end(), more.inner.begin(), more.inner.end());
    std::ranges::sort(part.inner);  // a node has a higher number than those by which it is found
    part.inner.erase(std::unique(part.inner.begin(), part.inner.end()), part.inner.end());
  }

  const NodePlan& node(int n) const { return templates_.nodes()[static_cast<std::size_t>(n)]; }

  // The place from which a node is found; that of the front of the buffer stands for all behind it.
  int place(int n) const {
    while (!node(n).is_place) n = node(n).of;
    return keeps_order_ && front_ >= 0 && node(n).place == Place::buffer ? front_ : n;
  }

  static bool is_of_arcs(Relation relation) {
    return relation != Relation::previous && relation != Relation::next && relation != Relation::guide;
  }
  // A dependent keeps its head and its label.
  bool is_dependent(int n) const {
    return !node(n).is_place && node(n).relation != Relation::head && is_of_arcs(node(n).relation);
  }

  Part part_of(int t) const {
    Part part{.templates = {t}, .inner = {}};
    const auto depends = [&](int n) { part.inner.push_back(n); };
    bool one = true;
    for (const int a : templates_.templates()[static_cast<std::size_t>(t)].atoms) {
      const AtomPlan& atom = templates_.atoms()[static_cast<std::size_t>(a)];
      for (int n : {atom.node, atom.other}) {
        if (n < 0) continue;
        one &= part.anchor < 0 || part.anchor == place(n);
        part.anchor = place(n);
        for (; !node(n).is_place; n = node(n).of)
          if (is_of_arcs(node(n).relation)) depends(node(n).of);
      }
      if (atom.is_function) {
        if (atom.function == Function::head_is) depends(atom.node);
        continue;
      }
      switch (atom.attribute) {
        case Attribute::deprel:
          if (!is_dependent(atom.node)) depends(atom.node);
          break;
        case Attribute::valency_left:
        case Attribute::valency_right:
        case Attribute::labels_left:
        case Attribute::labels_right:
        case Attribute::has_head:
        case Attribute::leaf: depends(atom.node); break;
        case Attribute::span:
        case Attribute::refined: one = false; break;  // they look further
        default: break;
      }
    }
    if (!one) part.anchor = -1;
    if (part.is_kept()) join(part, {});
    return part;
  }

  const Templates& templates_;
  bool keeps_order_;
  int front_ = -1;
};

}  // namespace

std::vector<Part> parts_of(const Templates& templates, bool keeps_order) { return Parts(templates, keeps_order).run(); }

}  // namespace dynarc
