// dynarc._core: Python is known in this folder only. Nodes, moves and labels cross as ints, transitions as
// (move, node, label); names, reprs and messages for people are made in src/dynarc.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bindings/bindings.hpp"
#include "bindings/words.hpp"
#include "check/check.hpp"
#include "check/walks.hpp"
#include "systems/any_system.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dynarc {
namespace {

using Record = nb::typed<nb::dict, std::string, nb::any>;
using PyTransition = std::tuple<int, Node, Label>;  // move, node, label

PyTransition to_python(Transition t) { return {static_cast<int>(t.action.move), t.action.node, t.label}; }

Action action_of(int move, Node node) {
  if (move < 0 || move >= kMoves) throw IllegalTransition("there is no move number " + std::to_string(move));
  return {static_cast<Move>(move), node};
}

std::vector<PyTransition> to_python(const std::vector<Transition>& all) {
  std::vector<PyTransition> out;
  for (const Transition t : all) out.push_back(to_python(t));
  return out;
}

Options options(bool root_last, bool attach, bool single_root) {
  return {root_last ? RootPlace::last : RootPlace::first, attach ? Headless::attach : Headless::forest, single_root};
}

Method method_of(const std::string& name) {
  if (name == "auto") return Method::automatic;
  if (name == "formula") return Method::formula;
  if (name == "table") return Method::table;
  if (name == "search") return Method::search;
  throw ConfigError("unknown method: " + name);
}

check::Spec spec_of(const std::string& system, bool root_last, bool attach, bool single_root, int words,
                    const std::string& golds) {
  check::Spec spec;
  spec.system = system;
  spec.options = options(root_last, attach, single_root);
  spec.words = words;
  spec.golds = golds == "projective"  ? check::Golds::projective
               : golds == "derivable" ? check::Golds::derivable
                                      : check::Golds::all;
  return spec;
}

nb::object to_python(const std::optional<check::CounterExample>& found) {
  if (!found) return nb::none();
  nb::dict d;
  d["heads"] = words_only(found->gold);
  d["labels"] = found->gold_labels.empty() ? std::vector<Label>() : words_only(found->gold_labels);
  d["prices"] = found->prices.empty() ? std::vector<Cost>() : words_only(found->prices);
  d["derivation"] = to_python(found->derivation);
  d["transition"] = found->transition ? nb::cast(to_python(*found->transition)) : nb::none();
  d["expected"] = found->expected;
  d["got"] = found->got;
  return d;
}

Record run_check(const std::string& system, bool root_last, bool attach, bool single_root, int words,
                 const std::string& golds, const std::string& method, bool inexact_formula, bool partial, int labels,
                 Cost label_price, Cost unit, int weights, int samples, std::uint64_t seed, int threads) {
  check::Spec spec = spec_of(system, root_last, attach, single_root, words, golds);
  spec.method = method_of(method);
  spec.inexact = inexact_formula ? Inexact::formula : Inexact::search;
  spec.partial = partial;
  spec.labels = labels;
  spec.label_price = label_price;
  spec.unit = unit;
  spec.weights = weights;
  spec.samples = samples;
  spec.seed = seed;
  spec.threads = threads;
  check::Report r;
  {
    nb::gil_scoped_release release;
    r = check::run(spec);
  }
  Record d;
  d["golds"] = r.golds;
  d["states"] = r.states;
  d["costs"] = r.costs;
  d["wrong_losses"] = r.wrong_losses;
  d["wrong_costs"] = r.wrong_costs;
  d["wrong_sets"] = r.wrong_sets;
  d["incomplete_sets"] = r.incomplete_sets;
  d["no_free_move"] = r.no_free_move;
  d["unknown"] = r.unknown;
  d["exact"] = r.exact;
  d["first"] = to_python(r.first);
  return d;
}

Record run_decomposition(const std::string& system, bool root_last, bool attach, bool single_root, int words,
                         const std::string& golds) {
  const check::Spec spec = spec_of(system, root_last, attach, single_root, words, golds);
  check::Decomposition r;
  {
    nb::gil_scoped_release release;
    r = check::decompose(spec);
  }
  Record d;
  d["states"] = r.states;
  d["broken"] = r.broken;
  d["first"] = to_python(r.first);
  return d;
}

Record run_derivable(const std::string& system, bool root_last, bool attach, bool single_root, int words) {
  const check::Spec spec = spec_of(system, root_last, attach, single_root, words, "all");
  check::Derivable r;
  {
    nb::gil_scoped_release release;
    r = check::derivable(spec);
  }
  Record d;
  d["trees"] = r.trees;
  d["outputs"] = r.outputs;
  d["derived"] = r.derived;
  d["disagreements"] = r.disagreements;
  d["dead_ends"] = r.dead_ends;
  d["multi_root"] = r.multi_root;
  return d;
}

Record run_walks(const std::string& system, bool root_last, bool attach, bool single_root,
                 const std::vector<std::vector<Node>>& golds, double errors, double shifted, std::uint64_t seed,
                 int repeat, std::size_t limit) {
  check::WalkSpec spec;
  spec.system = system;
  spec.options = options(root_last, attach, single_root);
  for (const auto& heads : golds) spec.golds.push_back(with_root(heads, kNone));
  spec.errors = errors;
  spec.shifted = shifted;
  spec.seed = seed;
  spec.repeat = repeat;
  spec.limit = limit;
  check::WalkReport r;
  {
    nb::gil_scoped_release release;
    r = check::time_walks(spec);
  }
  Record d;
  d["steps"] = r.steps;
  d["evaluations"] = r.evaluations;
  d["oracle_seconds"] = r.oracle_seconds;
  d["apply_seconds"] = r.apply_seconds;
  d["searched"] = r.searched;
  d["tabled"] = r.tabled;
  d["skipped"] = r.skipped;
  d["depth"] = r.depth;
  d["reduced_buffer"] = r.reduced_buffer;
  d["microseconds"] = r.microseconds;
  return d;
}

// Engine errors become the exceptions of dynarc.errors with the same message.
void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    const auto raise = [](const char* name, const std::exception& e) {
      const nb::object type = nb::module_::import_("dynarc.errors").attr(name);
      PyErr_SetString(type.ptr(), e.what());
    };
    try {
      std::rethrow_exception(p);
    } catch (const TreeError& e) {
      raise("TreeError", e);
    } catch (const IllegalTransition& e) {
      raise("IllegalTransition", e);
    } catch (const ConfigError& e) {
      raise("ConfigError", e);
    } catch (const ModelFormatError& e) {
      raise("ModelFormatError", e);
    } catch (const OracleError& e) {
      raise("OracleError", e);
    } catch (const AutomatonError& e) {
      raise("AutomatonError", e);
    }
  });
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The engine of dynarc. Use the classes of the dynarc package instead.";
  register_errors();
  bind_treebank(m);
  bind_score(m);
  // Objects that live until the interpreter ends are not leaks worth a report to users.
  nb::set_leak_warnings(false);

  nb::class_<Gold>(m, "Gold", "A gold tree with prices; unknown heads and labels are -1.")
      .def(
          "__init__",
          [](Gold* self, const std::vector<Node>& heads, const std::vector<Label>& labels,
             const std::vector<Cost>& prices, const std::vector<Cost>& label_prices) {
            new (self) Gold(with_root(heads, kNone), with_root(labels, kNoLabel), with_root(prices, Cost{0}),
                            with_root(label_prices, Cost{0}));
          },
          "heads"_a, "labels"_a, "prices"_a, "label_prices"_a)
      .def(
          "label_cost",
          [](const Gold& g, Node head, Node dependent, Label label) { return g.label_cost({head, dependent}, label); },
          "head"_a, "dependent"_a, "label"_a)
      .def_prop_ro("projective", &Gold::projective)
      .def_prop_ro("complete", &Gold::complete);

  nb::class_<AnyState>(m, "State")
      .def("copy", &AnyState::copy)
      .def_prop_ro("words", &AnyState::words)
      .def_prop_ro("stack", &AnyState::stack)
      .def_prop_ro("buffer", &AnyState::buffer)
      .def_prop_ro("heads", [](const AnyState& s) { return words_only(s.heads()); })
      .def_prop_ro("labels", [](const AnyState& s) { return words_only(s.labels()); })
      .def_prop_ro("history", [](const AnyState& s) { return to_python(s.history()); })
      .def_prop_ro("pair", &AnyState::pair)
      .def_prop_ro("is_final", &AnyState::is_final)
      .def("legal",
           [](const AnyState& s) {
             std::vector<std::pair<int, Node>> out;
             for (const Action a : s.legal()) out.emplace_back(static_cast<int>(a.move), a.node);
             return out;
           })
      .def(
          "is_legal", [](const AnyState& s, int move, Node node) { return s.is_legal(action_of(move, node)); },
          "move"_a, "node"_a)
      .def(
          "arc",
          [](const AnyState& s, int move, Node node) -> std::optional<std::pair<Node, Node>> {
            const Action a = action_of(move, node);
            if (!s.is_legal(a)) throw IllegalTransition("an illegal transition builds no arc");
            const Arc arc = s.arc(a);
            if (!arc) return std::nullopt;
            return std::pair{arc.head, arc.dependent};
          },
          "move"_a, "node"_a)
      .def(
          "apply", [](AnyState& s, int move, Node node, Label label) { s.apply({action_of(move, node), label}); },
          "move"_a, "node"_a, "label"_a)
      .def("undo", &AnyState::undo)
      .def("finish", [](const AnyState& s) { return words_only(s.finish()); })
      .def("identical", &AnyState::identical, "other"_a);

  nb::class_<AnyOracle>(m, "Oracle")
      .def(
          "cost",
          [](AnyOracle& o, const AnyState& s, int move, Node node, Label label) {
            return o.cost(s, {action_of(move, node), label});
          },
          "state"_a, "move"_a, "node"_a, "label"_a)
      .def("loss", &AnyOracle::loss, "state"_a)
      .def(
          "costs",
          [](AnyOracle& o, const AnyState& s) {
            std::vector<std::tuple<int, Node, Cost>> out;
            for (const auto& [a, cost] : o.costs(s)) out.emplace_back(static_cast<int>(a.move), a.node, cost);
            return out;
          },
          "state"_a)
      .def_prop_ro("exact", &AnyOracle::exact)
      .def_prop_ro("note", &AnyOracle::note);

  const auto reduce_rule = [](bool can) { return can ? ReduceRule::can : ReduceRule::must; };
  nb::class_<AnySystem>(m, "System")
      .def_static(
          "make",
          [](const std::string& name, bool root_last, bool attach, bool single_root) {
            return std::const_pointer_cast<AnySystem>(make_system(name, options(root_last, attach, single_root)));
          },
          "name"_a, "root_last"_a, "attach"_a, "single_root"_a)
      .def_prop_ro("name", &AnySystem::name)
      .def_prop_ro("projective", &AnySystem::projective)
      .def_prop_ro("moves",
                   [](const AnySystem& s) {
                     std::vector<int> out;
                     for (const Move move : s.moves()) out.push_back(static_cast<int>(move));
                     return out;
                   })
      .def("initial", &AnySystem::initial, "words"_a)
      .def(
          "state",
          [](const AnySystem& system, const std::vector<Node>& stack, const std::vector<Node>& buffer,
             const std::vector<Node>& heads, const std::vector<Label>& labels, Node i, Node j) {
            return system.state({stack, buffer, with_root(heads, kNone), with_root(labels, kNoLabel), i, j});
          },
          "stack"_a, "buffer"_a, "heads"_a, "labels"_a, "i"_a, "j"_a)
      .def(
          "derivation",
          [reduce_rule](const AnySystem& s, const Gold& gold,
                        bool reduce_when_possible) -> std::optional<std::vector<PyTransition>> {
            const auto found = s.derivation(gold, reduce_rule(reduce_when_possible));
            if (!found) return std::nullopt;
            return to_python(*found);
          },
          "gold"_a, "reduce_when_possible"_a)
      .def(
          "static_transition",
          [reduce_rule](const AnySystem& s, const AnyState& state, const Gold& gold,
                        bool reduce_when_possible) -> std::optional<PyTransition> {
            const auto found = s.static_transition(state, gold, reduce_rule(reduce_when_possible));
            if (!found) return std::nullopt;
            return to_python(*found);
          },
          "state"_a, "gold"_a, "reduce_when_possible"_a)
      .def(
          "on_derivation",
          [reduce_rule](const AnySystem& s, const AnyState& state, const Gold& gold, bool reduce_when_possible) {
            return s.on_derivation(state, gold, reduce_rule(reduce_when_possible));
          },
          "state"_a, "gold"_a, "reduce_when_possible"_a)
      .def(
          "oracle",
          [](const AnySystem& s, const Gold& gold, const std::string& method, bool inexact_formula, std::size_t limit) {
            return s.oracle(std::make_shared<const Gold>(gold), method_of(method),
                            inexact_formula ? Inexact::formula : Inexact::search, limit);
          },
          "gold"_a, "method"_a, "inexact_formula"_a, "limit"_a);

  m.def("system_names", &system_names);
  m.def("move_names", [] { return std::vector<std::string>(kMoveNames, kMoveNames + kMoves); });
  m.def(
      "default_root_last", [](const std::string& name) { return default_options(name).root == RootPlace::last; },
      "name"_a);
  m.def(
      "check_heads", [](const std::vector<Node>& heads) { check_heads(with_root(heads, kNone)); }, "heads"_a,
      "Raises TreeError unless the heads (-1 = unknown) form a tree.");
  m.def(
      "crossing_arcs",
      [](const std::vector<Node>& heads) -> std::optional<std::tuple<Node, Node, Node, Node>> {
        const auto found = crossing_arcs(with_root(heads, kNone));
        if (!found) return std::nullopt;
        return std::tuple{found->first.head, found->first.dependent, found->second.head, found->second.dependent};
      },
      "heads"_a, "Two arcs (head, dependent, head, dependent) that no projective tree holds together, if any.");

  m.def("check", &run_check, "system"_a, "root_last"_a, "attach"_a, "single_root"_a, "words"_a, "golds"_a, "method"_a,
        "inexact_formula"_a, "partial"_a, "labels"_a, "label_price"_a, "unit"_a, "weights"_a, "samples"_a, "seed"_a,
        "threads"_a);
  m.def("check_decomposition", &run_decomposition, "system"_a, "root_last"_a, "attach"_a, "single_root"_a, "words"_a,
        "golds"_a);
  m.def("check_derivable", &run_derivable, "system"_a, "root_last"_a, "attach"_a, "single_root"_a, "words"_a);
  m.def("time_walks", &run_walks, "system"_a, "root_last"_a, "attach"_a, "single_root"_a, "golds"_a, "errors"_a,
        "shifted"_a, "seed"_a, "repeat"_a, "limit"_a);
  m.def(
      "random_derivable_tree",
      [](const std::string& system, bool root_last, bool single_root, int words, std::uint64_t seed) {
        return words_only(check::random_derivable_tree(system, options(root_last, false, single_root), words, seed));
      },
      "system"_a, "root_last"_a, "single_root"_a, "words"_a, "seed"_a);

  bind_trees(m);
  bind_learn(m);
  bind_search(m);
  bind_confidence(m);
  bind_features(m);
  bind_generic(m);
  bind_tag(m);
  bind_token(m);
}

}  // namespace dynarc
