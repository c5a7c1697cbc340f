#include "learn/training.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "learn/collected_weights.hpp"
#include "learn/easy_first_trainer.hpp"
#include "systems/registry.hpp"

namespace dynarc {

Training::Training(ModelSpec spec, const Document& document, const std::vector<TrainingTree>& trees, int min_count,
                   const LearnOptions& options)
    : scheme_(std::make_shared<Scheme>(std::move(spec))) {
  prepare(document, trees, min_count, options);
}

Training::Training(ModelSpec spec, const Document& document, const std::vector<TrainingTree>& trees, int min_count,
                   const LearnOptions& options, const Model& start, const std::vector<Label>& labels_now)
    : scheme_(std::make_shared<Scheme>(std::move(spec))) {
  if (scheme_->templates().texts() != start.scheme().templates().texts() ||
      scheme_->spec().system != start.scheme().spec().system)
    throw ConfigError("a model can learn on only with the same system and features");
  for (int a = 0; a < kWordAttributes; ++a) {
    const auto attribute = static_cast<Attribute>(a);
    scheme_->encoder().set_texts(attribute, start.scheme().encoder().texts(attribute));
  }
  prepare(document, trees, min_count, options);
  const Classes &before = start.scheme().classes(), &now = scheme_->classes();
  const auto label_now = [&](Label label) {
    return label < 0 ? label : labels_now.at(static_cast<std::size_t>(label));
  };
  std::vector<int> main(static_cast<std::size_t>(before.count())), rest(static_cast<std::size_t>(before.rest_count()));
  for (int c = 0; c < before.count(); ++c) {
    const Label label = before.label(c);
    main[c] = label == kRestLabel ? now.rest_of(before.move(c), before.is_first(c))
                                  : now.of(before.move(c), label_now(label), Arc{});
  }
  for (int move = 0; move < kMoves && before.has_rest(); ++move)
    for (Label label = 0; label < before.labels().count; ++label)
      rest[before.rest_class(static_cast<Move>(move), label)] =
          now.rest_class(static_cast<Move>(move), label_now(label));
  trainer_->start_from(start.weights(), main, start.rest(), rest);
}

void Training::prepare(const Document& document, const std::vector<TrainingTree>& trees, int min_count,
                       const LearnOptions& options) {
  std::vector<std::size_t> sentences;
  for (const TrainingTree& tree : trees) sentences.push_back(tree.sentence);
  scheme_->encoder().learn(document, sentences, min_count);
  std::vector<Example> examples;
  for (const TrainingTree& tree : trees) {
    Example& example = examples.emplace_back();
    scheme_->encoder().encode(document, tree.sentence, example.words);
    if (!tree.guide_heads.empty()) example.words.set_guide(tree.guide_heads, tree.guide_labels);
    std::vector<Node> heads = tree.heads;
    std::vector<Label> labels = tree.labels;
    std::vector<Cost> prices = tree.prices, label_prices = tree.label_prices;
    if (scheme_->spec().reversed) {
      example.words.reverse();
      reverse_tree(heads, labels);
      reverse_words(prices);
      reverse_words(label_prices);
    }
    example.gold = std::make_shared<const Gold>(std::move(heads), std::move(labels), prices, label_prices);
  }
  const ModelSpec& s = scheme_->spec();
  trainer_ = with_system(s.system, [&]<class System>(std::type_identity<System>) -> std::unique_ptr<AnyTrainer> {
    using Learns = std::conditional_t<std::is_same_v<System, EasyFirst>, EasyFirstTrainer, Trainer<System>>;
    return std::make_unique<Learns>(System(s.options), std::move(examples), scheme_->classes(), scheme_->templates(),
                                    scheme_->encoder(), s.valency_cap, options);
  });
}

namespace {

// Averages of several runs over the same features are averaged once more: parsers that agree, in one table.
using Runs = std::vector<const AnyTrainer*>;

Weights averaged(const Runs& runs, bool rest, int classes) {
  CollectedWeights all;
  for (const AnyTrainer* run : runs)
    run->each_weight(rest, [&](Key key, int label, double value) { all.add(key, label, value); });
  if (runs.size() > 1 || runs[0]->gives_weights_twice()) all.sort();
  return all.table(classes, static_cast<double>(runs.size()));
}

}  // namespace

Model Training::model(const std::vector<const Training*>& others) const {
  Runs runs{trainer_.get()};
  for (const Training* other : others) runs.push_back(other->trainer_.get());
  const Classes& classes = scheme_->classes();
  return Model(scheme_, averaged(runs, false, classes.count()),
               averaged(runs, true, std::max(1, classes.rest_count())));
}

}  // namespace dynarc
