// A training run: sentences in, epochs, a model out whenever one is wanted.
#pragma once

#include <memory>
#include <vector>

#include "learn/options.hpp"
#include "learn/trainer.hpp"
#include "model/model.hpp"

namespace dynarc {

// The tree to be learned for one sentence of a document; labels are those of the scheme.
struct TrainingTree {
  std::size_t sentence;
  std::vector<Node> heads;                 // 0..n
  std::vector<Label> labels;               // 0..n
  std::vector<Cost> prices, label_prices;  // 0..n
  // The tree that an earlier pass found; empty if there was none.
  std::vector<Node> guide_heads = {};
  std::vector<Label> guide_labels = {};
};

class Training {
 public:
  // Learns the vocabularies and prepares every sentence. The document is not needed afterwards.
  Training(ModelSpec spec, const Document& document, const std::vector<TrainingTree>& trees, int min_count,
           const LearnOptions& options);
  // The same, but starts with the weights of a model, whose vocabularies it extends and whose labels have these numbers
  // now. The templates must be the same, and those labels known to features by their old numbers.
  Training(ModelSpec spec, const Document& document, const std::vector<TrainingTree>& trees, int min_count,
           const LearnOptions& options, const Model& start, const std::vector<Label>& labels_now);

  EpochReport epoch() { return trainer_->epoch(); }

  // After restoring the state that another run with the same data and options had, this one goes on as that one would
  // have. Throws ModelFormatError if it is none.
  std::string state() const { return trainer_->state(); }
  void restore(std::string_view state) { trainer_->restore(state); }
  // With the weights averaged over all that was scored so far, and over other runs with the same data and features.
  Model model(const std::vector<const Training*>& others = {}) const;

 private:
  void prepare(const Document& document, const std::vector<TrainingTree>& trees, int min_count,
               const LearnOptions& options);

  std::shared_ptr<Scheme> scheme_;
  std::unique_ptr<AnyTrainer> trainer_;
};

}  // namespace dynarc
