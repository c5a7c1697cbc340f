// Parsing with fixed arcs, step by step, and for several trees in dynarc._core.
#include "parse/search.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "base/error.hpp"
#include "bindings/bindings.hpp"
#include "bindings/words.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dynarc {
namespace {

using PyFixed = std::tuple<std::vector<Node>, std::vector<int>>;                      // heads, sets of labels
using PyFixedParse = std::tuple<std::string, std::vector<Node>, std::vector<Label>>;  // outcome, heads, labels
using PyOffer = std::tuple<int, Node, Label, double, double>;  // move, node, label, score, log of probability
// Heads, labels, log of probability, whether it is proven to be the next.
using PyRanked = std::tuple<std::vector<Node>, std::vector<Label>, double, bool>;
using PyStep = std::tuple<int, Node, Label>;  // move, node, label
constexpr const char* kOutcomes[] = {"done", "impossible", "missed", "out of reach"};

void check_sentence(const Document& document, std::size_t sentence) {
  if (sentence >= document.sentences()) throw nb::index_error("no such sentence");
}

std::vector<FixedParse> parse_all(const Model& model, const Document& document, const std::vector<PyFixed>& given,
                                  const LabelSets& sets, int threads) {
  if (given.size() != document.sentences()) throw TreeError("there must be one set of fixed arcs for each sentence");
  for (const auto& set : sets) {
    if (set.empty()) throw TreeError("a word must have some label");
    for (const Label label : set)
      if (label < 0 || label >= model.scheme().classes().labels().count)
        throw TreeError("a label is fixed that does not exist");
  }
  std::vector<Fixed> fixed;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& [heads, choices] = given[i];
    const std::size_t words = document.sentence(i).words;
    if (heads.empty() && choices.empty()) {
      fixed.emplace_back();
      continue;
    }
    if (heads.size() != words || choices.size() != words)
      throw TreeError("there must be one head and one set of labels for each word");
    for (const int set : choices)
      if (set >= static_cast<int>(sets.size())) throw TreeError("a set of labels does not exist");
    fixed.push_back({with_root(heads, kNone), with_root(choices, -1)});
    check_heads(fixed.back().heads);
  }
  const nb::gil_scoped_release release;
  return parse_fixed(model, document, fixed, sets, threads);
}

// A sentence on its way through a parser.
class Steps {
 public:
  Steps(const Model& model, const Document& document, std::size_t sentence) : stepper_(make_stepper(model)) {
    check_sentence(document, sentence);
    model.encode(document, sentence, words_);
    stepper_->start(words_);
  }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  bool is_final() const { return stepper_->is_final(); }

  // Every legal class with its score and the log of its probability, and the place of the best one.
  std::tuple<std::vector<PyOffer>, std::size_t> offers() {
    std::vector<PyOffer> all;
    std::size_t chosen = 0;
    moves_.clear();
    const auto offers = is_final() ? std::span<const Offer>() : stepper_->offers();
    const Pick best = best_pick(*stepper_, offers);
    log_probabilities(offers, logs_);
    for (std::size_t i = 0; i < offers.size(); ++i)
      for (int c = offers[i].choice.first; c < offers[i].choice.last; ++c) {
        if (i == best.offer && c == best.label) chosen = all.size();
        const Action a = offers[i].choice.action;
        all.emplace_back(static_cast<int>(a.move), a.node, stepper_->classes().label(c), offers[i].scores[c],
                         logs_[all.size()]);
        moves_.emplace_back(offers[i].choice, c);
      }
    return {std::move(all), chosen};
  }

  void take(std::size_t place) {
    if (place >= moves_.size()) throw IllegalTransition("that was not offered");
    stepper_->apply(moves_[place].first, moves_[place].second);
    moves_.clear();
  }

  // Takes transitions that somebody else has chosen; where one has no label, that which the parser would give. Says
  // what was taken.
  std::vector<PyStep> follow(const std::vector<PyStep>& transitions) {
    std::vector<PyStep> taken;
    moves_.clear();
    for (const auto& [move, node, label] : transitions) {
      const auto offers = is_final() ? std::span<const Offer>() : stepper_->offers();
      const auto same = [&](const Offer& o) {
        return static_cast<int>(o.choice.action.move) == move && o.choice.action.node == node;
      };
      const auto offer = std::ranges::find_if(offers, same);
      const std::string where = "transition " + std::to_string(taken.size() + 1);
      if (offer == offers.end()) throw IllegalTransition(where + " is not legal");
      const Choice choice = offer->choice;
      int chosen = best_pick(*stepper_, std::span(&*offer, 1)).label;
      for (int c = choice.first; c < choice.last; ++c)
        if (stepper_->classes().label(c) == label) chosen = c;
      if (label != kNoLabel && stepper_->classes().label(chosen) != label)
        throw IllegalTransition(where + " has a label that the parser cannot give there");
      taken.push_back(applied(choice, chosen));
    }
    return taken;
  }

  // How the parser goes on from here to the end. It is there then.
  std::vector<PyStep> rest() {
    std::vector<PyStep> taken;
    moves_.clear();
    while (!is_final()) {
      const auto offers = stepper_->offers();
      const Pick best = best_pick(*stepper_, offers);
      taken.push_back(applied(Choice(offers[best.offer].choice), best.label));
    }
    return taken;
  }

 private:
  PyStep applied(const Choice& choice, int label) {
    stepper_->apply(choice, label);
    return {static_cast<int>(choice.action.move), choice.action.node, stepper_->classes().label(label)};
  }

  std::unique_ptr<AnyStepper> stepper_;
  EncodedSentence words_;
  std::vector<double> logs_;
  std::vector<std::pair<Choice, int>> moves_;  // what was offered last
};

}  // namespace

void bind_search(nb::module_& m) {
  m.def(
      "can_contain",
      [](const std::string& name, bool root_last, bool attach, bool single_root, const std::vector<Node>& heads) {
        return can_contain(
            name,
            {root_last ? RootPlace::last : RootPlace::first, attach ? Headless::attach : Headless::forest, single_root},
            with_root(heads, kNone));
      },
      "system"_a, "root_last"_a, "attach"_a, "single_root"_a, "heads"_a,
      "Whether some tree that the system derives has all these heads.");

  m.def(
      "parse_fixed",
      [](const Model& model, const Document& document, const std::vector<PyFixed>& fixed, const LabelSets& sets,
         int threads) {
        std::vector<PyFixedParse> out;
        for (const auto& [outcome, parse] : parse_all(model, document, fixed, sets, threads)) {
          const bool done = outcome == Outcome::done;
          out.emplace_back(kOutcomes[static_cast<int>(outcome)], done ? words_only(parse.heads) : std::vector<Node>(),
                           done ? words_only(parse.labels) : std::vector<Label>());
        }
        return out;
      },
      "model"_a, "document"_a, "fixed"_a, "sets"_a, "threads"_a,
      "Parses every sentence with the heads given for its words, and labels out of the sets given for them.");

  nb::class_<Steps>(m, "Steps", "A sentence on its way through a parser.")
      .def(nb::init<const Model&, const Document&, std::size_t>(), "model"_a, "document"_a, "sentence"_a,
           nb::keep_alive<1, 2>())
      .def_prop_ro("is_final", &Steps::is_final)
      .def("offers", &Steps::offers,
           "All that is legal: move, node, label, score, log of probability; and the place of the best.")
      .def("take", &Steps::take, "place"_a, "Takes one of what was offered last.")
      .def("follow", &Steps::follow, "transitions"_a,
           "Takes transitions (move, node, label), the best label where there is none. Says which were taken.")
      .def("rest", &Steps::rest, "Goes on to the end, and says how: (move, node, label).");

  nb::class_<TreeSearch>(m, "TreeSearch", "The trees of a sentence, the most probable one first.")
      .def(
          "__init__",
          [](TreeSearch* self, const Model& model, const Document& document, std::size_t sentence, std::size_t wanted,
             std::size_t limit) {
            check_sentence(document, sentence);
            const nb::gil_scoped_release release;
            new (self) TreeSearch(model, document, sentence, wanted, limit);
          },
          "model"_a, "document"_a, "sentence"_a, "wanted"_a, "limit"_a, nb::keep_alive<1, 2>())
      .def(
          "next",
          [](TreeSearch& search) -> std::optional<PyRanked> {
            {
              const nb::gil_scoped_release release;
              if (!search.next()) return std::nullopt;
            }
            return PyRanked{words_only(search.parse().heads), words_only(search.parse().labels),
                            search.log_probability(), search.proven()};
          },
          "Heads, labels, log of the probability, and whether no other tree is more probable; None if that was all.")
      .def_prop_ro("exhausted", &TreeSearch::exhausted, "Whether all trees were found.");
}

}  // namespace dynarc
