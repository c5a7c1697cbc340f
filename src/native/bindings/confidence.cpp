// How sure a parser is, in dynarc._core.
#include "parse/confidence.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "bindings/bindings.hpp"
#include "bindings/words.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dynarc {
namespace {

using PyParse = std::tuple<std::vector<Node>, std::vector<Label>>;
using PySure = std::tuple<std::vector<Node>, std::vector<Label>, std::vector<double>, std::vector<double>>;

std::vector<std::shared_ptr<const Gold>> golds_of(const Model& model, const Document& document,
                                                  const std::vector<PyParse>& trees) {
  std::vector<std::shared_ptr<const Gold>> out;
  if (!trees.empty() && trees.size() != document.sentences()) throw TreeError("there is not a tree for each sentence");
  for (std::size_t i = 0; i < trees.size(); ++i) {
    std::vector<Node> heads = with_root(std::get<0>(trees[i]), kNone);
    std::vector<Label> labels = with_root(std::get<1>(trees[i]), kNoLabel);
    if (heads.size() != document.sentence(i).words + 1u || labels.size() != heads.size())
      throw TreeError("a tree has not as many heads as its sentence has words");
    if (model.scheme().spec().reversed) reverse_tree(heads, labels);
    const std::vector<Cost> ones(heads.size(), 1);
    out.push_back(std::make_shared<const Gold>(std::move(heads), std::move(labels), ones, ones));
  }
  return out;
}

// Many pieces of evidence.
struct Table {
  std::vector<Evidence> all;

  std::vector<Evidence> some(const std::vector<std::size_t>& rows) const {
    std::vector<Evidence> out;
    for (const std::size_t row : rows) out.push_back(all.at(row));
    return out;
  }
};

struct Judged {
  std::vector<PyParse> trees;
  Table words, states;
  std::vector<bool> right;

  // What another parser's numbers for labels and tags are here; -1 for none. `elsewhere` is what its evidence says of
  // itself.
  void extend(const Judged& other, const std::vector<std::int32_t>& deprels, const std::vector<std::int32_t>& tags,
              bool elsewhere) {
    const auto renumber = [](std::int32_t& number, const std::vector<std::int32_t>& numbers) {
      if (number >= 0) number = static_cast<std::size_t>(number) < numbers.size() ? numbers[number] : -1;
    };
    const auto mark = [&](Evidence& e) {
      if (!elsewhere) return;
      e.x[Evidence::elsewhere] = 1;
      e.x[Evidence::elsewhere_arc] = e.x[Evidence::arc];
    };
    trees.insert(trees.end(), other.trees.begin(), other.trees.end());
    for (Evidence e : other.words.all) {
      renumber(e.deprel, deprels);
      renumber(e.tag, tags);
      renumber(e.head_tag, tags);
      mark(e);
      words.all.push_back(e);
    }
    for (Evidence e : other.states.all) {
      mark(e);
      states.all.push_back(e);
    }
    right.insert(right.end(), other.right.begin(), other.right.end());
  }
};

Judged judged(const Model& model, const Document& document, const std::vector<PyParse>& gold, int samples,
              int threads) {
  const auto golds = golds_of(model, document, gold);
  Judged out;
  const nb::gil_scoped_release release;
  for (const SureParse& found : sure_parses(model, document, golds, samples, threads)) {
    out.trees.emplace_back(words_only(found.parse.heads), words_only(found.parse.labels));
    out.words.all.insert(out.words.all.end(), found.words.begin() + 1, found.words.end());
    out.states.all.insert(out.states.all.end(), found.states.begin(), found.states.end());
    out.right.insert(out.right.end(), found.right.begin(), found.right.end());
  }
  return out;
}

std::vector<PySure> sure(const Model& model, const ProbabilityMap& arcs, const ProbabilityMap& labels,
                         const Document& document, int samples, int threads) {
  const nb::gil_scoped_release release;
  std::vector<PySure> out;
  for (const SureParse& found : sure_parses(model, document, {}, samples, threads)) {
    std::vector<double> of_arcs, of_labels;
    for (std::size_t d = 1; d < found.words.size(); ++d) {
      of_arcs.push_back(arcs(found.words[d]));
      of_labels.push_back(std::min(of_arcs.back(), labels(found.words[d])));
    }
    out.emplace_back(words_only(found.parse.heads), words_only(found.parse.labels), std::move(of_arcs),
                     std::move(of_labels));
  }
  return out;
}

// What the probabilities of its words say of a tree.
Table tree_evidence(const std::vector<std::vector<double>>& words) {
  Table out;
  for (const auto& probabilities : words) {
    double sum = 0, least = 1;
    for (const double p : probabilities) {
      sum += std::log(std::max(p, 1e-6));
      least = std::min(least, p);
    }
    Evidence& e = out.all.emplace_back();
    const double bounded = std::clamp(least, 1e-4, 1 - 1e-4);
    e.x[Evidence::path] = static_cast<float>(std::max(sum, -30.0));
    e.x[Evidence::worst] = static_cast<float>(std::log(bounded / (1 - bounded)));
    e.x[Evidence::length] =
        static_cast<float>(std::log(std::max<double>(1, static_cast<double>(probabilities.size()))));
  }
  return out;
}

}  // namespace

void bind_confidence(nb::module_& m) {
  nb::class_<ProbabilityMap>(m, "ProbabilityMap", "From evidence to a probability.")
      .def(
          "__init__",
          [](ProbabilityMap* self, double bias, std::vector<double> columns, std::vector<double> deprels,
             std::vector<double> tags, std::vector<double> head_tags, std::vector<double> knots,
             std::vector<double> values) {
            if (knots.size() != values.size()) throw ModelFormatError("a line has not a value for each of its points");
            for (std::size_t i = 1; i < knots.size(); ++i)
              if (!(knots[i - 1] < knots[i])) throw ModelFormatError("the points of a line do not rise");
            new (self) ProbabilityMap{bias,
                                      std::move(columns),
                                      std::move(deprels),
                                      std::move(tags),
                                      std::move(head_tags),
                                      std::move(knots),
                                      std::move(values)};
          },
          "bias"_a, "columns"_a, "deprels"_a, "tags"_a, "head_tags"_a, "knots"_a, "values"_a)
      .def(
          "without_line",
          [](ProbabilityMap map) {
            map.knots.clear();
            map.values.clear();
            return map;
          },
          "The same without what comes after the logistic function.")
      .def_ro("bias", &ProbabilityMap::bias)
      .def_ro("columns", &ProbabilityMap::columns)
      .def_ro("deprels", &ProbabilityMap::deprels)
      .def_ro("tags", &ProbabilityMap::tags)
      .def_ro("head_tags", &ProbabilityMap::head_tags)
      .def_ro("knots", &ProbabilityMap::knots)
      .def_ro("values", &ProbabilityMap::values);

  nb::class_<Table>(m, "Evidence", "What speaks for and against arcs, transitions or trees, one row for each.")
      .def("__len__", [](const Table& table) { return table.all.size(); })
      .def(
          "fit",
          [](const Table& table, const std::vector<std::size_t>& rows, const std::vector<bool>& right,
             std::uint32_t columns, bool kinds, bool line) {
            const std::vector<Evidence> some = table.some(rows);
            const nb::gil_scoped_release release;
            return fit_map(some, right, columns, kinds, line);
          },
          "rows"_a, "right"_a, "columns"_a, "kinds"_a, "line"_a,
          "The map under which it is likeliest that these rows were right and wrong.")
      .def(
          "apply",
          [](const Table& table, const ProbabilityMap& map, const std::vector<std::size_t>& rows) {
            std::vector<double> out;
            for (const Evidence& e : table.some(rows)) out.push_back(map(e));
            return out;
          },
          "by"_a, "rows"_a)
      .def(
          "probabilities",
          [](const Table& table) {
            std::vector<double> out;
            for (const Evidence& e : table.all) out.push_back(std::exp(static_cast<double>(e.x[Evidence::path])));
            return out;
          },
          "Of states: that of the best class, as it is.");
  m.attr("first_value") = static_cast<int>(kFirstValue);
  m.def("evidence_columns", [] {
    return std::vector<std::string>{"arc",         "doubtful",      "label",      "margin",       "passed",
                                    "most_passed", "before",        "after",      "path",         "sentence",
                                    "worst",       "head",          "dependents", "distance",     "length",
                                    "from_root",   "head_left",     "afterwards", "unknown",      "head_unknown",
                                    "sampled",     "sampled_label", "elsewhere",  "elsewhere_arc"};
  });

  nb::class_<Judged>(m, "Judged", "Parses, and what is known of their arcs and of the states on the way.")
      .def(nb::init<>())
      .def("extend", &Judged::extend, "other"_a, "deprels"_a, "tags"_a, "elsewhere"_a,
           "Adds what another parser was judged by, whose labels and tags have these numbers here.")
      .def_ro("trees", &Judged::trees)
      .def_ro("words", &Judged::words)
      .def_ro("states", &Judged::states)
      .def_prop_ro("right", [](const Judged& judged) { return judged.right; });

  m.def("judged", &judged, "model"_a, "document"_a, "gold"_a, "samples"_a, "threads"_a,
        "Parses, with evidence for every arc; if there is gold, also for the best class of every state.");
  m.def("sure", &sure, "model"_a, "arcs"_a, "labels"_a, "document"_a, "samples"_a, "threads"_a,
        "Parses, with the probabilities that heads are right, and that heads and labels are.");
  m.def("tree_evidence", &tree_evidence, "words"_a, "Of trees whose words have these probabilities.");
  m.def(
      "likeliest_sharpness",
      [](const Model& model, const Document& document, const std::vector<PyParse>& gold, std::size_t states) {
        const auto golds = golds_of(model, document, gold);
        const nb::gil_scoped_release release;
        return likeliest_sharpness(choice_scores(model, document, golds, states));
      },
      "model"_a, "document"_a, "gold"_a, "states"_a,
      "What to multiply scores by, so that the oracle's classes are likeliest.");
}

}  // namespace dynarc
