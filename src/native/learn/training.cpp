#include "learn/training.hpp"

#include "learn/easy_first_trainer.hpp"
#include "systems/registry.hpp"

namespace dynarc {

Training::Training(ModelSpec spec, const Document& document, const std::vector<TrainingTree>& trees, int min_count,
                   const LearnOptions& options)
    : scheme_(std::make_shared<Scheme>(std::move(spec))) {
  std::vector<std::size_t> sentences;
  for (const TrainingTree& tree : trees) sentences.push_back(tree.sentence);
  scheme_->encoder().learn(document, sentences, min_count);
  std::vector<Example> examples;
  for (const TrainingTree& tree : trees) {
    Example& example = examples.emplace_back();
    scheme_->encoder().encode(document, tree.sentence, example.words);
    const std::vector<Cost> price(tree.heads.size(), 1), label_price(tree.heads.size(), options.label_price);
    example.gold = std::make_shared<const Gold>(tree.heads, tree.labels, price, label_price);
  }
  const ModelSpec& s = scheme_->spec();
  trainer_ = with_system(s.system, [&]<class System>(std::type_identity<System>) -> std::unique_ptr<AnyTrainer> {
    using Learns = std::conditional_t<std::is_same_v<System, EasyFirst>, EasyFirstTrainer, Trainer<System>>;
    return std::make_unique<Learns>(System(s.options), std::move(examples), scheme_->classes(), scheme_->templates(),
                                    scheme_->encoder(), s.valency_cap, options);
  });
}

Model Training::model() const {
  std::vector<Key> keys;
  std::vector<std::uint32_t> begin(1, 0);
  std::vector<std::uint16_t> labels;
  std::vector<float> values;
  // Weights come row by row; a row whose weights are all zero is left out.
  Key last = 0;
  trainer_->weights().each_average(trainer_->moment(), [&](Key key, int label, double value) {
    if (static_cast<float>(value) == 0) return;
    if (keys.empty() || key != last) {
      if (!keys.empty()) begin.push_back(static_cast<std::uint32_t>(labels.size()));
      keys.push_back(key);
      last = key;
    }
    labels.push_back(static_cast<std::uint16_t>(label));
    values.push_back(static_cast<float>(value));
  });
  if (!keys.empty()) begin.push_back(static_cast<std::uint32_t>(labels.size()));
  const int classes = scheme_->classes().count();
  return Model(scheme_, Weights(std::move(keys), std::move(begin), std::move(labels), std::move(values), classes));
}

}  // namespace dynarc
