// Parsing in other ways than greedily from start to end: with fixed arcs and labels, and the best few trees.
#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "model/model.hpp"
#include "parse/stepper.hpp"

namespace dynarc {

std::unique_ptr<AnyStepper> make_stepper(const Model& model);

// What a parse must contain. Without heads it is any parse.
struct Fixed {
  std::vector<Node> heads;   // 0..n, kNone where any head will do
  std::vector<int> choices;  // 0..n, which of the sets of labels a word may choose from; -1 where any label will do
  bool empty() const { return heads.empty(); }
};
using LabelSets = std::vector<std::vector<Label>>;  // each sorted

enum class Outcome : std::uint8_t {
  done,
  impossible,    // no tree of the system has all the arcs
  missed,        // where costs are not exact: a wrong turn was taken
  out_of_reach,  // the exact answer was not found within the limit on work
};

struct FixedParse {
  Outcome outcome = Outcome::done;
  Parse parse;
};

// Whether some tree of the system has all these arcs; `heads` is indexed 0..n.
bool can_contain(const std::string& system, const Options& options, const std::vector<Node>& heads);

// The trees of all sentences of a document, one set of fixed arcs and labels for each; by so many threads.
std::vector<FixedParse> parse_fixed(const Model& model, const Document& document, const std::vector<Fixed>& fixed,
                                    const LabelSets& sets, int threads);

// The trees of a sentence, the most probable first. The probability of a derivation is the product of those of its
// transitions (parse/probabilities.hpp), that of a tree the one of its most probable derivation.
//
// Best first: the agenda holds ways to go on from states that were scored. The most probable one is taken, which leads
// to a new state and leaves its next best sibling. A state that was met before was met by a derivation that comes
// first, so nothing new follows from it.
//
// Derivations with the same probability are in order of what they prefer: where two part, one of them takes what is
// more probable there or, if it is equally so, what the parser would choose. A way comes before all that may follow
// from it and from its siblings, so trees are found in that order, too.
class TreeSearch {
 public:
  // At most `limit` ways are taken, or states scored, besides those of the greedy parse: so much time, so much memory.
  // A part of it is kept to complete the best of what is on the agenda, if the search does not find all that is wanted.
  TreeSearch(const Model& model, const Document& document, std::size_t sentence, std::size_t wanted, std::size_t limit);

  TreeSearch(const TreeSearch&) = delete;  // the stepper refers to the words here
  TreeSearch& operator=(const TreeSearch&) = delete;

  // The next tree, another one than all before; false if no other is known.
  bool next();
  const Parse& parse() const { return found_.parse; }
  double log_probability() const { return found_.log; }
  // Whether no tree that was not found yet is before this one. If not, it is one that the search did not get to, with
  // the best derivation that is known; those, too, are in order of probability. The greedy parse is never missing.
  bool proven() const { return !over_ || exhausted_; }
  bool exhausted() const { return exhausted_; }  // every derivation was followed as far as it leads to something new

 private:
  using StateNumber = std::uint32_t;
  static constexpr StateNumber kNowhere = ~StateNumber{0};
  static constexpr std::uint32_t kKept = 32;  // options of a state that are kept at a time

  struct Option {
    double log;  // of its probability in its state
    std::uint32_t offer;
    int label;
    Choice choice;
  };
  struct State {  // that was scored
    StateNumber parent;
    std::uint32_t depth, number;  // which option of its parent led here
    double log;                   // of the probability of the derivation
    Option taken;
    std::vector<Option> options = {};    // some, the best first
    std::uint32_t first = 0, count = 0;  // which one is the first of those; how many there are in all
  };
  struct Way {  // takes an option of a state
    double log;
    StateNumber state;
    std::uint32_t number;
  };
  struct Found {
    double log = 0;
    Parse parse;
  };
  struct Hash {
    std::size_t operator()(const Fingerprint& print) const { return static_cast<std::size_t>(print[0]); }
  };

  double merit(const Way& way) const;
  bool before(Way a, Way b) const;
  Way take();
  void put_option(StateNumber state, std::uint32_t number);
  const Option& option_of(StateNumber state, std::uint32_t number) const;
  bool follow(const Way& way);
  void go_to(StateNumber state);
  void apply(const Option& option);
  void keep_options(StateNumber state, std::uint32_t first);
  void rank_options(std::size_t wanted);
  void finish(Found& out, double log);
  bool is_new(const Parse& parse);
  void complete(const Way& way);
  void parse_greedily();

  std::unique_ptr<AnyStepper> stepper_;
  EncodedSentence words_;
  bool reversed_;
  std::size_t left_, reserve_ = 0;    // ways that may still be taken; of those, for the end
  std::vector<double> greedy_ = {0};  // logs of the probabilities of the greedy derivation, after each transition
  std::vector<State> states_;
  std::vector<Way> agenda_;      // a heap
  StateNumber here_ = kNowhere;  // where the stepper is
  std::unordered_set<Fingerprint, Hash> met_, trees_;
  Found found_;
  std::vector<Found> others_;  // what is left for the end, the best last
  bool over_ = false, exhausted_ = false;
  std::vector<double> logs_;
  std::vector<Option> ranked_;
  std::vector<StateNumber> path_;
};

}  // namespace dynarc
