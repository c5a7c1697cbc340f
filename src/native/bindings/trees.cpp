// Projectivity and the pseudo-projective transformation. An encoded label crosses as (label, lifted_to, lifted,
// passed).
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bindings/bindings.hpp"
#include "bindings/words.hpp"
#include "treebank/encoded_labels.hpp"
#include "treebank/projectivity.hpp"
#include "treebank/pseudo_projective.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dynarc {
namespace {

using PyEncodedLabel = std::tuple<Label, Label, bool, bool>;

PyEncodedLabel to_python(const EncodedLabel& e) { return {e.label, e.lifted_to, e.lifted, e.passed}; }

EncodedLabel from_python(const PyEncodedLabel& e) {
  const auto& [label, lifted_to, lifted, passed] = e;
  return {label, lifted_to, lifted, passed};
}

std::vector<PyEncodedLabel> to_python(const std::vector<EncodedLabel>& with_root) {
  std::vector<PyEncodedLabel> words;
  words.reserve(with_root.size() - 1);
  for (std::size_t d = 1; d < with_root.size(); ++d) words.push_back(to_python(with_root[d]));
  return words;
}

std::vector<EncodedLabel> from_python(const std::vector<PyEncodedLabel>& words) {
  std::vector<EncodedLabel> all(1);
  all.reserve(words.size() + 1);
  for (const PyEncodedLabel& word : words) all.push_back(from_python(word));
  return all;
}

Encoding encoding_of(const std::string& name) {
  if (name == "baseline") return Encoding::baseline;
  if (name == "head") return Encoding::head;
  if (name == "path") return Encoding::path;
  if (name == "head+path") return Encoding::head_path;
  throw ConfigError("unknown encoding: " + name);
}

}  // namespace

void bind_trees(nb::module_& m) {
  m.def(
      "nonprojective_arcs",
      [](const std::vector<Node>& heads) {
        std::vector<std::pair<Node, Node>> arcs;
        for (const Arc arc : nonprojective_arcs(with_root(heads, kNone))) arcs.emplace_back(arc.head, arc.dependent);
        return arcs;
      },
      "heads"_a, "Arcs (head, dependent) with a word between that the head does not dominate; unknown heads are -1.");
  m.def(
      "gap_degrees", [](const std::vector<Node>& heads) { return words_only(gap_degrees(with_root(heads, kNone))); },
      "heads"_a, "The gap degree of each word; unknown heads are -1.");
  m.def(
      "projectivize",
      [](const std::vector<Node>& heads, const std::vector<Label>& labels, const std::string& encoding) {
        const MarkedTree tree =
            projectivize(with_root(heads, kNone), with_root(labels, kNoLabel), encoding_of(encoding));
        return std::pair{words_only(tree.heads), to_python(tree.labels)};
      },
      "heads"_a, "labels"_a, "encoding"_a, "The heads of the lifted tree and its labels with marks.");
  m.def(
      "deprojectivize",
      [](const std::vector<Node>& heads, const std::vector<PyEncodedLabel>& labels, const std::string& encoding,
         bool by_distance) {
        return words_only(deprojectivize({with_root(heads, kNone), from_python(labels)}, encoding_of(encoding),
                                         by_distance ? ChildOrder::by_distance : ChildOrder::left_to_right));
      },
      "heads"_a, "labels"_a, "encoding"_a, "by_distance"_a, "The heads after every lifted word was moved back.");

  nb::class_<EncodedLabels>(m, "EncodedLabels", "Labels with marks, each with a dense number.")
      .def("__len__", &EncodedLabels::size)
      .def("__getitem__",
           [](const EncodedLabels& self, std::size_t id) {
             if (id >= self.size()) throw nb::index_error("no such class");
             return to_python(self[id]);
           })
      .def(
          "find", [](const EncodedLabels& self, const PyEncodedLabel& label) { return self.find(from_python(label)); },
          "label"_a)
      .def(
          "rewrite",
          [](const EncodedLabels& self, const std::vector<PyEncodedLabel>& labels) {
            std::vector<EncodedLabel> rewritten = from_python(labels);
            self.rewrite(rewritten);
            return to_python(rewritten);
          },
          "labels"_a);
  nb::class_<EncodedLabels::Counter>(m, "EncodedLabelCounter")
      .def(nb::init<>())
      .def(
          "add",
          [](EncodedLabels::Counter& self, const std::vector<PyEncodedLabel>& labels) {
            self.add(from_python(labels));
          },
          "labels"_a)
      .def("keep", &EncodedLabels::Counter::keep, "min_count"_a);
}

}  // namespace dynarc
