// A parser as it is trained, stored and used: a system, templates, vocabularies, labels and weights.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "features/templates.hpp"
#include "features/words.hpp"
#include "model/classes.hpp"
#include "model/weights.hpp"
#include "parse/trees.hpp"

namespace dynarc {

struct ModelSpec {
  std::string system;
  Options options;
  std::vector<std::string> templates;
  bool xpos = false;  // the attribute `tag` is XPOS, not UPOS
  int valency_cap = 3;
  LabelRange labels;
  Label other = kNoLabel;                   // of words that end without a head
  std::vector<RestLabel> rest = {};         // moves and labels that have no class of their own
  bool reversed = false;                    // sentences are parsed from right to left
  std::vector<RootChoice::Tag> roots = {};  // how several roots become one; empty: they stay
};

// What templates, words and classes are for a specification; shared by training and parsing.
class Scheme {
 public:
  explicit Scheme(ModelSpec spec);

  const ModelSpec& spec() const { return spec_; }
  const Templates& templates() const { return templates_; }
  const Classes& classes() const { return classes_; }
  WordEncoder& encoder() { return encoder_; }
  const WordEncoder& encoder() const { return encoder_; }

 private:
  ModelSpec spec_;
  Templates templates_;
  WordEncoder encoder_;
  Classes classes_;
};

// How weights are laid out for parsing. Trees do not depend on it.
enum class WeightLayout : std::uint8_t {
  automatic,  // compact for the first words, folded when there are enough of them
  compact,    // every feature is looked up
  folded,     // sums of groups of features are kept: more memory, less time where there is much to parse
};

class Model {
 public:
  // `rest` is the second table of weights, empty if every label has a class of its own.
  Model(std::shared_ptr<const Scheme> scheme, Weights weights, Weights rest);

  const Scheme& scheme() const { return *scheme_; }
  const Weights& weights() const { return weights_; }
  const Weights& rest() const { return rest_; }

  // The parser of the first pass, whose trees templates may ask for, and what the numbers of its labels are here.
  void set_guide(std::shared_ptr<const Model> guide, std::vector<Label> labels);
  const RootChoice& roots() const { return roots_; }

  // What scores are multiplied by before they become probabilities (parse/probabilities.hpp). Parses do not depend on
  // it.
  double sharpness() const { return sharpness_; }
  void set_sharpness(double sharpness);

  // A sentence as the templates see it: with the tree of the first pass, if there is one, and from right to left, if
  // that is how it is parsed.
  void encode(const Document& document, std::size_t sentence, EncodedSentence& words) const;

  // The trees of sentences first..last-1 of a document, by so many threads; the same whatever their number.
  std::vector<Parse> parse(const Document& document, std::size_t first, std::size_t last, int threads,
                           WeightLayout layout = WeightLayout::automatic) const;
  bool folded() const;  // that layout is in use

 private:
  // What folding needs and finds; it changes while the model is used.
  struct Folded;

  std::vector<Parse> guides(const Document& document, std::size_t first, std::size_t last, int threads,
                            WeightLayout layout) const;
  bool folds(const Document& document, std::size_t first, std::size_t last, const std::vector<Parse>& guides,
             WeightLayout layout) const;
  std::unique_ptr<AnyParser> parser(bool folded, bool sampled) const;

  std::shared_ptr<const Scheme> scheme_;
  Weights weights_, rest_;
  RootChoice roots_;
  std::shared_ptr<const Model> guide_;
  std::vector<Label> guide_labels_;
  double sharpness_ = 1;
  std::shared_ptr<Folded> folded_;
};

}  // namespace dynarc
