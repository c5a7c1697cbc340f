// Automata, generic oracles and linear learners in dynarc._core. Symbols and classes cross as numbers; what they are
// called is kept in Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bindings/bindings.hpp"
#include "features/named_values.hpp"
#include "fst/compose.hpp"
#include "fst/determinize.hpp"
#include "fst/distance.hpp"
#include "fst/oracle.hpp"
#include "learn/linear_learner.hpp"
#include "model/packed.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dynarc {
namespace {

using fst::Automaton;
using fst::StateId;
using fst::Symbol;

using PyTexts = nb::typed<nb::list, std::optional<std::string>>;
using PyArc = std::tuple<Symbol, Symbol, double, StateId>;  // input, output, weight, target

PyArc to_python(const fst::Arc& arc) { return {arc.input, arc.output, arc.weight, arc.target}; }

std::vector<PyArc> to_python(std::span<const fst::Arc> arcs) {
  std::vector<PyArc> out;
  out.reserve(arcs.size());
  for (const fst::Arc& arc : arcs) out.push_back(to_python(arc));
  return out;
}

std::pair<double, std::vector<PyArc>> to_python(const fst::Path& path) {
  return {path.weight, to_python(std::span<const fst::Arc>(path.arcs))};
}

// Keys of features, kept from Python, which has no need to see them.
struct FeatureKeys {
  std::vector<Key> keys;
};

std::string_view text_of(nb::handle text) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    throw ConfigError("features are texts, or None where there is nothing to see");
  }
  return {bytes, static_cast<std::size_t>(size)};
}

class LinearModel {
 public:
  LinearModel(Weights weights, int classes) : weights_(std::move(weights)), classes_(classes) {}
  int classes() const { return classes_; }
  const Weights& weights() const { return weights_; }

  std::vector<double> scores(const FeatureKeys& features) {
    weights_.score(features.keys, scores_);
    std::vector<double> out;
    for (int c = 0; c < classes_; ++c)
      out.push_back(static_cast<double>(scores_.of_class[c]) * static_cast<double>(weights_.scale()));
    return out;
  }
  std::size_t best(const FeatureKeys& features, const std::vector<std::uint16_t>& allowed) {
    weights_.score(features.keys, scores_);
    std::size_t best = 0;
    for (std::size_t i = 1; i < allowed.size(); ++i) {
      const Score now = scores_.of_class[allowed[i]], most = scores_.of_class[allowed[best]];
      if (now > most || (now == most && allowed[i] < allowed[best])) best = i;
    }
    return best;
  }

 private:
  Weights weights_;
  int classes_;
  Scores scores_;
};

Decisions::View view(const FeatureKeys& features, const std::vector<std::uint16_t>& allowed,
                     const std::vector<float>& costs, int classes) {
  if (allowed.empty() || allowed.size() != costs.size())
    throw OracleError("every action that is allowed must have a cost, and there must be one");
  for (const std::uint16_t c : allowed)
    if (c >= classes) throw OracleError("there is no class " + std::to_string(c));
  return {features.keys, allowed, costs};
}

void bind_automata(nb::module_& m) {
  nb::class_<Automaton>(m, "Automaton", "Of dynarc.generic.Automaton: states and symbols are numbers.")
      .def(nb::init<>())
      .def("copy", [](const Automaton& a) { return Automaton(a); })
      .def("add_state", &Automaton::add_state)
      .def("add_states", &Automaton::add_states, "count"_a)
      .def(
          "add_arc",
          [](Automaton& a, StateId source, Symbol input, Symbol output, double weight, StateId target) {
            a.add_arc(source, {input, output, target, weight});
          },
          "source"_a, "read"_a, "written"_a, "weight"_a, "target"_a)
      .def(
          "add_arcs",
          [](Automaton& a, StateId source, const std::vector<Symbol>& symbols, double weight, StateId target) {
            for (const Symbol symbol : symbols) a.add_arc(source, {symbol, symbol, target, weight});
          },
          "source"_a, "symbols"_a, "weight"_a, "target"_a)
      .def("set_final", &Automaton::set_final, "state"_a, "weight"_a)
      .def("set_start", &Automaton::set_start, "state"_a)
      .def_prop_ro("start", &Automaton::start)
      .def_prop_ro("states", &Automaton::states)
      .def_prop_ro("arc_count", &Automaton::arc_count)
      .def("final_weight", &Automaton::final_weight, "state"_a)
      .def(
          "arcs", [](const Automaton& a, StateId state) { return to_python(a.arcs(state)); }, "state"_a)
      .def_prop_ro("is_acceptor", &Automaton::is_acceptor)
      .def("trimmed", [](const Automaton& a) { return a.trimmed(); })
      .def("projected", &Automaton::projected, "output"_a)
      .def("inverted", &Automaton::inverted)
      .def(
          "relabelled", [](const Automaton& a, const std::vector<Symbol>& map) { return a.relabelled(map); },
          "numbers"_a)
      .def_static(
          "union_of",
          [](const std::vector<const Automaton*>& parts, const std::vector<double>& weights) {
            if (parts.size() != weights.size()) throw AutomatonError("there must be a weight for each automaton");
            return Automaton::union_of(parts, weights);
          },
          "parts"_a, "weights"_a)
      .def("without_epsilons", &fst::without_epsilons)
      .def("determinized", &fst::determinized, "limit"_a)
      .def("shortest_distance", &fst::shortest_distance, "reverse"_a)
      .def("shortest_path", [](const Automaton& a) { return to_python(fst::shortest_path(a)); })
      .def("compose", &fst::compose, "other"_a);

  nb::class_<fst::LazyComposition>(m, "LazyComposition")
      .def(nb::init<std::shared_ptr<const Automaton>, std::shared_ptr<const Automaton>>(), "first"_a, "second"_a)
      .def(
          "arcs", [](fst::LazyComposition& c, StateId state) { return to_python(c.arcs(state)); }, "state"_a)
      .def("final_weight", &fst::LazyComposition::final_weight, "state"_a)
      .def("pair", &fst::LazyComposition::pair, "state"_a)
      .def_prop_ro("states", &fst::LazyComposition::states)
      .def("shortest_path", [](fst::LazyComposition& c) { return to_python(fst::shortest_path(c)); });

  nb::class_<fst::OracleMachine>(m, "OracleMachine")
      .def(nb::init<const Automaton&, const Automaton&>(), "constraints"_a, "rest"_a)
      .def(nb::init<const Automaton&>(), "losses"_a)
      .def_prop_ro("states", &fst::OracleMachine::states)
      .def_prop_ro("edges", &fst::OracleMachine::edge_count)
      .def("has_symbol", &fst::OracleMachine::has_symbol, "symbol"_a);

  nb::class_<fst::OracleWalk>(m, "OracleWalk")
      .def(nb::init<std::shared_ptr<const fst::OracleMachine>>(), "machine"_a)
      .def("copy", [](const fst::OracleWalk& walk) { return fst::OracleWalk(walk); })
      .def("values",
           [](const fst::OracleWalk& walk) {
             std::vector<std::pair<Symbol, double>> out;
             walk.values(out);
             return out;
           })
      .def("advance", &fst::OracleWalk::advance, "action"_a)
      .def_prop_ro("loss", &fst::OracleWalk::loss)
      .def_prop_ro("stopped", &fst::OracleWalk::stopped)
      .def_prop_ro("size", &fst::OracleWalk::size);
}

void bind_learners(nb::module_& m) {
  nb::class_<FeatureKeys>(m, "FeatureKeys", "Features as the engine knows them.")
      .def(
          "__init__",
          [](FeatureKeys* self, const PyTexts& texts) {
            FeatureKeys out;
            for (const nb::handle text : texts)
              if (!text.is_none()) out.keys.push_back(key_of(text_of(text)));
            new (self) FeatureKeys(std::move(out));
          },
          "texts"_a)
      .def("__len__", [](const FeatureKeys& features) { return features.keys.size(); });

  nb::class_<NamedTemplates>(m, "NamedTemplates")
      .def(
          "__init__",
          [](NamedTemplates* self, const std::vector<std::vector<int>>& templates, int values) {
            for (const auto& one : templates)
              for (const int value : one)
                if (value < 0 || value >= values) throw ConfigError("a template is about a value that there is not");
            new (self) NamedTemplates(templates, values);
          },
          "templates"_a, "values"_a)
      .def(
          "keys",
          [](NamedTemplates& templates, const PyTexts& values) {
            if (static_cast<int>(values.size()) != templates.values())
              throw ConfigError("there must be a value, or None, for each name");
            FeatureKeys out;
            templates.add_keys([&](std::size_t i) { return !values[i].is_none(); },
                               [&](std::size_t i) { return text_of(values[i]); }, out.keys);
            return out;
          },
          "values"_a);

  nb::class_<LinearModel>(m, "LinearModel", "Weights of features for classes.")
      .def_prop_ro("classes", &LinearModel::classes)
      .def_prop_ro("features", [](const LinearModel& model) { return model.weights().keys().size(); })
      .def_prop_ro("weights", [](const LinearModel& model) { return model.weights().values().size(); })
      .def("scores", &LinearModel::scores, "features"_a)
      .def("best", &LinearModel::best, "features"_a, "allowed"_a, "The place of the best of those that are allowed.")
      .def(
          "pack",
          [](const LinearModel& model, int key_bits, double prune, bool quantised) {
            return pack(model.weights(), {key_bits, prune, quantised});
          },
          "key_bits"_a, "prune"_a, "quantised"_a)
      .def_static(
          "unpack",
          [](const PackedWeights& packed, int classes) { return LinearModel(unpack(packed, classes), classes); },
          "packed"_a, "classes"_a);

  nb::class_<Decisions>(m, "Decisions", "Decisions that were collected, to be learned from again and again.")
      .def(nb::init<>())
      .def(
          "add",
          [](Decisions& all, const FeatureKeys& features, const std::vector<std::uint16_t>& allowed,
             const std::vector<float>& costs) {
            const auto decision = view(features, allowed, costs, 1 << 16);
            all.add(decision.keys, decision.allowed, decision.costs);
          },
          "features"_a, "allowed"_a, "costs"_a)
      .def("__len__", &Decisions::size);

  nb::class_<LinearLearner>(m, "LinearLearner")
      .def(nb::init<int, const LearnOptions&>(), "classes"_a, "options"_a)
      .def_prop_ro("classes", &LinearLearner::classes)
      .def("start_epoch", &LinearLearner::start_epoch)
      .def_prop_ro("report", [](const LinearLearner& learner) { return EpochReport(learner.report()); })
      .def(
          "learn",
          [](LinearLearner& learner, const FeatureKeys& features, const std::vector<std::uint16_t>& allowed,
             const std::vector<float>& costs) {
            return learner.learn(view(features, allowed, costs, learner.classes()));
          },
          "features"_a, "allowed"_a, "costs"_a, "Learns from a decision; the place of the action to go on with.")
      .def(
          "follow",
          [](LinearLearner& learner, const FeatureKeys& features, const std::vector<std::uint16_t>& allowed,
             const std::vector<float>& costs,
             bool follow) { return learner.follow(view(features, allowed, costs, learner.classes()), follow); },
          "features"_a, "allowed"_a, "costs"_a, "follow"_a)
      .def(
          "best",
          [](LinearLearner& learner, const FeatureKeys& features, const std::vector<std::uint16_t>& allowed) {
            return learner.best(features.keys, allowed);
          },
          "features"_a, "allowed"_a)
      .def(
          "fit",
          [](LinearLearner& learner, const Decisions& all) {
            for (std::size_t i = 0; i < all.size(); ++i)
              for (const std::uint16_t c : all[i].allowed)
                if (c >= learner.classes()) throw OracleError("there is no class " + std::to_string(c));
            const nb::gil_scoped_release release;
            learner.fit(all);
          },
          "decisions"_a)
      .def("model", [](const LinearLearner& learner) { return LinearModel(learner.weights(), learner.classes()); });
}

}  // namespace

void bind_generic(nb::module_& m) {
  bind_automata(m);
  bind_learners(m);
}

}  // namespace dynarc
