// Parsing in other ways than greedily from start to end: with fixed arcs and labels, and the best few trees.
#pragma once

#include <memory>
#include <set>
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

// The trees of a sentence in order of their regret. The regret of a class in a configuration is by how much it scores
// less than the best one, that of a derivation the sum, that of a tree the least of its derivations. The greedy parse
// has none and comes first.
//
// Best first: the agenda holds ways to leave a derivation that is known. The cheapest is followed greedily to the end,
// which costs nothing more, and every other class on the way is put on the agenda. A configuration that was met before
// was met at no greater regret, so what follows from it is known. Only as many ways are kept as may still be followed.
class TreeSearch {
 public:
  // At most `limit` derivations are followed.
  TreeSearch(const Model& model, const Document& document, std::size_t sentence, std::size_t limit);

  TreeSearch(const TreeSearch&) = delete;  // the stepper refers to the words here
  TreeSearch& operator=(const TreeSearch&) = delete;

  // The next tree, or false if there is none or the limit is reached.
  bool next();
  const Parse& parse() const { return parse_; }
  double regret() const { return regret_; }

 private:
  struct Move {
    Choice choice;
    int label;
  };
  struct Way {  // leaves a derivation after so many of its moves
    double regret;
    std::size_t number;  // ways are taken in the order in which they were found, if they are equally good
    std::size_t derivation, length;
    Move move;
    bool operator<(const Way& o) const { return regret != o.regret ? regret < o.regret : number < o.number; }
  };
  struct Hash {
    std::size_t operator()(const Fingerprint& print) const { return static_cast<std::size_t>(print[0]); }
  };

  bool follow(std::size_t derivation);
  void put(double regret, std::size_t derivation, std::size_t length, const Move& move);

  std::unique_ptr<AnyStepper> stepper_;
  EncodedSentence words_;
  bool reversed_;
  std::size_t left_;  // derivations that may still be followed
  std::vector<std::vector<Move>> derivations_;
  std::set<Way> agenda_;
  std::size_t ways_ = 0;
  std::unordered_set<Fingerprint, Hash> met_;
  Parse parse_;
  double regret_ = 0;
};

}  // namespace dynarc
