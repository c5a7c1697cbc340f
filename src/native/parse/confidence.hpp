// How sure a parser can be of its arcs: what it knew when it built them, and what that was worth on sentences whose
// trees are known.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "model/model.hpp"
#include "parse/stepper.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

// What speaks for and against something. Probabilities are log-odds here, between -kMostOdds and kMostOdds.
struct Evidence {
  enum Column : std::uint8_t {
    arc,          // the action that built the arc, whatever its label
    doubtful,     // the same, but not above 2: doubt and certainty need not count alike
    label,        // the label, given the action
    margin,       // the best class against the next best
    passed,       // that none of the arcs to other heads should have been built when they could have been
    most_passed,  // the same of the likeliest of them
    before,       // the class that was taken in the state before
    after,        // and after
    path,         // log-probability of all classes before; of a state, that of its best class
    sentence,     // mean log-probability of the classes of the whole sentence
    worst,        // the least likely class of the sentence
    head,         // the action that built the arc of the head
    dependents,   // the least likely action that built an arc from this word
    distance,     // log of it
    length,       // log of that of the sentence
    from_root,    // 1 if it is
    head_left,    // 1 if it is
    afterwards,   // 1 if the word was attached after the last state
    unknown,      // 1 if its form is unknown
    head_unknown,
    sampled,        // the arc, by its share of sampled derivations; of the action that built it where none are sampled
    sampled_label,  // the same with its label
    elsewhere,      // 1 if another parser was judged, by other sentences than those the map is first of all for
    elsewhere_arc,  // `arc` of those
    kColumns
  };
  static constexpr double kMostOdds = 10;

  std::array<float, kColumns> x{};
  // More, of which each value counts by itself; -1 for none.
  std::int32_t deprel = -1, tag = -1, head_tag = -1;
};

// From evidence to a probability: a logistic function, then perhaps a line through points that rises.
struct ProbabilityMap {
  double bias = 0;
  std::vector<double> columns, deprels, tags, head_tags;  // weights; shorter ones count as zeros
  std::vector<double> knots, values;                      // as many of both; none for no such line

  double operator()(const Evidence& evidence) const;
};

// The map under which what happened is likeliest, with a little against great weights. `columns` are the ones to use;
// `kinds`: also those of each deprel and tag. `line`: with a line through points.
ProbabilityMap fit_map(std::span<const Evidence> evidence, const std::vector<bool>& right, std::uint32_t columns,
                       bool kinds, bool line);

// A sentence parsed as the parser would, with the evidence for each word's arc.
struct SureParse {
  Parse parse;
  std::vector<Evidence> words;  // 0..n; that of 0 means nothing
  // Of the states that left a choice, if there is gold: the probability of the best class, as evidence, and whether it
  // is one of those that cost least.
  std::vector<Evidence> states;
  std::vector<bool> right;
};

// What there was to choose in some states, to find out how sharp probabilities should be.
struct ChoiceScores {
  std::vector<float> scores;
  std::vector<char> wanted;
  std::vector<std::size_t> ends;  // of each state's scores
};
double likeliest_sharpness(const ChoiceScores& choices);

class SureParser {
 public:
  // `samples` is how many derivations are sampled of each sentence, which takes that much longer, nearly; 0 for none.
  SureParser(const Model& model, int samples);

  // `gold`, for the words as the templates see them, may be null.
  void parse(const EncodedSentence& words, SureParse& out, const Gold* gold = nullptr, ChoiceScores* choices = nullptr);

 private:
  struct Decision {
    double action = 0, label = 0, taken = 0;  // log-probabilities
    double margin = Evidence::kMostOdds;
  };
  struct Passed {
    Arc arc;
    double log_not;  // log of the probability that it should not be built
  };
  struct Built {
    std::ptrdiff_t decision = -1;  // which decision built the arc, or came before a forced one that did
    bool forced = false;
  };
  struct Step {
    Choice choice;
    int label;
  };
  struct Branch {  // samples that leave the trail at some depth
    std::size_t depth;
    Step step;
    int samples;
  };

  void judge(std::span<const Offer> offers, const Pick& best, double probability, const Gold& gold, SureParse& out,
             ChoiceScores* choices);
  void collect(const EncodedSentence& words, SureParse& out) const;
  void sample(const EncodedSentence& words, SureParse& out);
  Step sampled_step(int& samples, Rng& rng, const Parse& parse);

  std::unique_ptr<AnyStepper> stepper_;
  const Model& model_;
  const int samples_;
  std::vector<Decision> decisions_;
  std::vector<Passed> passed_;
  std::vector<Built> built_;
  std::vector<Step> trail_;
  std::vector<Branch> branches_;
  std::vector<double> logs_, arcs_, labels_;  // the last two by word: how many samples have the parser's arc, and label
};

// The sentences of a document, by so many threads; `golds`, one for each, or none.
std::vector<SureParse> sure_parses(const Model& model, const Document& document,
                                   const std::vector<std::shared_ptr<const Gold>>& golds, int samples, int threads);
// The choices of the states on the way, from as many sentences as have `states`.
ChoiceScores choice_scores(const Model& model, const Document& document,
                           const std::vector<std::shared_ptr<const Gold>>& golds, std::size_t states);

}  // namespace dynarc
