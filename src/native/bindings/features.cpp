// What templates say of a configuration, in dynarc._core: for tests, and for people who want to see it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bindings/bindings.hpp"
#include "bindings/words.hpp"
#include "features/texts.hpp"
#include "model/model.hpp"
#include "systems/registry.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dynarc {
namespace {

using PyTransition = std::tuple<int, Node, Label>;  // move, node, label

using PyGuide = std::tuple<std::vector<Node>, std::vector<Label>>;  // heads and labels of an earlier pass

struct Sight {
  std::vector<Firings> texts;
  std::vector<Key> keys;
};

template <class System>
Transition checked(const System& system, const typename System::State& s, const PyTransition& given, Label labels) {
  const auto [move, node, label] = given;
  const Transition t{{static_cast<Move>(move), node}, label};
  const bool known = move >= 0 && move < kMoves && label >= kNoLabel && label < labels;
  if (!known || system.is_final(s) || !system.legal(s, t.action))
    throw IllegalTransition("move " + std::to_string(move) + " with label " + std::to_string(label) +
                            " is not legal after " + std::to_string(s.history().size()) + " transitions");
  return t;
}

// Texts and keys after some transitions from the start. The vocabularies are those of the sentence, every text in them.
Sight see(const ModelSpec& spec, const Document& document, std::size_t sentence, const std::vector<std::string>& labels,
          const std::vector<PyTransition>& transitions, Node focus, const PyGuide& guide) {
  if (sentence >= document.sentences()) throw nb::index_error("no such sentence");
  Scheme scheme(spec);
  scheme.encoder().learn(document, {sentence}, 1);
  EncodedSentence words;
  scheme.encoder().encode(document, sentence, words);
  const auto& [guide_heads, guide_labels] = guide;
  if (!guide_heads.empty()) {
    if (guide_heads.size() != document.sentence(sentence).words || guide_labels.size() != guide_heads.size())
      throw TreeError("the guide has not as many heads as the sentence has words");
    words.set_guide(with_root(guide_heads, kNone), with_root(guide_labels, kNoLabel));
  }
  Extractor extractor(scheme.templates(), scheme.encoder(), scheme.classes().labels(), spec.valency_cap);
  const ValueTexts spelling(scheme.templates(), scheme.encoder(), labels);

  return with_system(spec.system, [&]<class System>(std::type_identity<System>) {
    const System system(spec.options);
    typename System::State state;
    Dependents dependents;
    system.start(state, words.words());
    dependents.start(words.words(), scheme.classes().labels(), true);
    for (const PyTransition& given : transitions) {
      const Transition t = checked(system, state, given, static_cast<Label>(labels.size()));
      if (const Arc arc = Classes::builds_arc(t.action.move) ? system.arc(state, t.action) : Arc{})
        dependents.add(arc, t.label);
      system.apply(state, t);
    }
    Sight out;
    const auto look = [&](const auto& view) {
      extractor.extract(view, words, dependents, out.keys);
      out.texts = spelling.texts(extractor, arcs_of(view), words, dependents);
    };
    if constexpr (std::is_same_v<System, EasyFirst>) {
      if (focus < kRoot || focus > words.words() || !state.listed(focus) || state.right(focus) == kNone)
        throw IllegalTransition("node " + std::to_string(focus) + " has no right neighbour in the list");
      look(FocusedList{state, focus});
    } else {
      look(state);
    }
    return out;
  });
}

}  // namespace

void bind_features(nb::module_& m) {
  m.def(
      "feature_values",
      [](const ModelSpec& spec, const Document& document, std::size_t sentence, const std::vector<std::string>& labels,
         const std::vector<PyTransition>& transitions, Node focus,
         const PyGuide& guide) { return see(spec, document, sentence, labels, transitions, focus, guide).texts; },
      "spec"_a, "document"_a, "sentence"_a, "labels"_a, "transitions"_a, "focus"_a, "guide"_a = PyGuide{},
      "The texts of each template's atoms, as often as it fires. `focus` is the left node of easy-first's pair.");
  m.def(
      "feature_keys",
      [](const ModelSpec& spec, const Document& document, std::size_t sentence, const std::vector<std::string>& labels,
         const std::vector<PyTransition>& transitions,
         Node focus) { return see(spec, document, sentence, labels, transitions, focus, {}).keys; },
      "spec"_a, "document"_a, "sentence"_a, "labels"_a, "transitions"_a, "focus"_a,
      "The keys of the same features: first those of all templates that always fire once.");
}

}  // namespace dynarc
