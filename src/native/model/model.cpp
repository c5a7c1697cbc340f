#include "model/model.hpp"

#include <atomic>
#include <mutex>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "parse/compact_scorer.hpp"
#include "parse/easy_first_parser.hpp"
#include "parse/folded_scorer.hpp"
#include "parse/parser.hpp"
#include "systems/registry.hpp"

namespace dynarc {

namespace {

std::span<const Move> moves_of(const std::string& system) {
  return with_system(
      system, []<class System>(std::type_identity<System>) { return std::span<const Move>(System::kMovesUsed); });
}

constexpr int kMostValency = 1000;

// What a model file says is not believed: labels and classes are places in arrays.
ModelSpec checked(ModelSpec spec) {
  const LabelRange& labels = spec.labels;
  const auto is_label = [&](Label label) { return label >= 0 && label < labels.count; };
  if (labels.count < 0 || labels.words < 0 || labels.words > labels.count || labels.from_root < 0 ||
      labels.from_root > labels.words ||
      (labels.count > 0 && (labels.words == 0 || labels.from_root == labels.count)) ||
      (!labels.given.empty() && labels.given.size() != static_cast<std::size_t>(labels.count)))
    throw ModelFormatError("the labels of the model do not fit together");
  if (spec.other != kNoLabel && !is_label(spec.other)) throw ModelFormatError("the model has no such label");
  for (const RestLabel& rest : spec.rest)
    if (!is_label(rest.label)) throw ModelFormatError("the model has no such label");
  for (const RootChoice::Tag& tag : spec.roots)
    if (tag.label != kNoLabel && !is_label(tag.label)) throw ModelFormatError("the model has no such label");
  if (spec.valency_cap < 0 || spec.valency_cap > kMostValency)
    throw ConfigError("valency_cap is " + std::to_string(spec.valency_cap) + ", but must be from 0 to " +
                      std::to_string(kMostValency));
  return spec;
}

}  // namespace

Scheme::Scheme(ModelSpec spec)
    : spec_(checked(std::move(spec))),
      templates_(spec_.templates),
      encoder_(templates_, spec_.xpos ? Column::xpos : Column::upos),
      classes_(moves_of(spec_.system), spec_.labels, spec_.rest) {
  const bool pairs = spec_.system == EasyFirst::kName;
  if (pairs != templates_.uses(Place::pair) ||
      (pairs && (templates_.uses(Place::stack) || templates_.uses(Place::buffer))))
    throw ConfigError(pairs ? "features for easy-first are about P2 P1 F1 F2 N1 N2, not about stack and buffer"
                            : "features about P2 P1 F1 F2 N1 N2 are for easy-first; " + spec_.system +
                                  " has a stack S0 S1 .. and a buffer B0 B1 ..");
}

// So many words must be there, in one document or in those parsed before, until folding pays; and so many in a document
// when all is ready.
constexpr std::size_t kWordsToFold = 100'000, kFewestWords = 1'000;
// To see what configurations are like, at most so many sentences are parsed for that alone.
constexpr std::size_t kSampled = 1000;

struct Model::Folded {
  explicit Folded(const Templates& templates) : sample(templates) {}

  StateSample sample;
  std::atomic<std::size_t> words{0};  // parsed so far
  std::once_flag once;
  std::optional<Folding> folding;
  std::atomic<bool> ready{false}, used{false};
};

Model::Model(std::shared_ptr<const Scheme> scheme, Weights weights, Weights rest)
    : scheme_(std::move(scheme)),
      weights_(std::move(weights)),
      rest_(std::move(rest)),
      roots_(scheme_->spec().roots, scheme_->encoder(), scheme_->spec().other),
      folded_(std::make_shared<Folded>(scheme_->templates())) {}

std::unique_ptr<AnyParser> Model::parser(bool folded, bool sampled) const {
  const ModelSpec& spec = scheme_->spec();
  return with_system(spec.system, [&]<class System>(std::type_identity<System>) -> std::unique_ptr<AnyParser> {
    const Classes& classes = scheme_->classes();
    if constexpr (std::is_same_v<System, EasyFirst>) {
      return std::make_unique<EasyFirstParser>(System(spec.options), classes, scheme_->templates(), scheme_->encoder(),
                                               spec.valency_cap, weights_, rest_, roots_, spec.other);
    } else {
      const auto with = [&]<class Scorer>(Scorer scorer) -> std::unique_ptr<AnyParser> {
        return std::make_unique<Parser<System, Scorer>>(System(spec.options), classes, std::move(scorer), rest_, roots_,
                                                        spec.other);
      };
      Extractor extractor(scheme_->templates(), scheme_->encoder(), classes.labels(), spec.valency_cap);
      if (folded) return with(FoldedScorer(std::move(extractor), scheme_->templates(), weights_, *folded_->folding));
      return with(CompactScorer(std::move(extractor), weights_, sampled ? &folded_->sample : nullptr));
    }
  });
}

namespace {

// Sentences of a document, a few at a time for whoever asks.
class SharedSentences final : public Sentences {
 public:
  SharedSentences(const Scheme& scheme, const Document& document, std::size_t first, std::size_t last,
                  std::atomic<std::size_t>& taken, std::vector<Parse>& guides, std::vector<Parse>& out,
                  const StateSample* sample = nullptr)
      : scheme_(scheme),
        document_(document),
        first_(first),
        last_(last),
        taken_(taken),
        guides_(guides),
        out_(out),
        sample_(sample) {}

  Parse* next(EncodedSentence& words) override {
    if (sample_ != nullptr && sample_->full()) return nullptr;
    if (at_ == end_) {
      at_ = std::min(last_, taken_.fetch_add(kBatch));
      end_ = std::min(last_, at_ + kBatch);
      if (at_ == end_) return nullptr;
    }
    scheme_.encoder().encode(document_, at_, words);
    const std::size_t i = at_++ - first_;
    if (!guides_.empty()) words.set_guide(std::move(guides_[i].heads), std::move(guides_[i].labels));
    if (scheme_.spec().reversed) words.reverse();
    return &out_[i];
  }

 private:
  static constexpr std::size_t kBatch = 16;
  const Scheme& scheme_;
  const Document& document_;
  std::size_t first_, last_;
  std::atomic<std::size_t>& taken_;
  std::vector<Parse>&guides_, &out_;
  const StateSample* sample_;  // if given, there are no more sentences when it is full
  std::size_t at_ = 0, end_ = 0;
};

}  // namespace

void Model::set_guide(std::shared_ptr<const Model> guide, std::vector<Label> labels) {
  const auto count = static_cast<std::size_t>(guide->scheme().classes().labels().count);
  if (labels.size() != count) throw ModelFormatError("the labels of the first pass do not fit together");
  guide_ = std::move(guide);
  guide_labels_ = std::move(labels);
}

void Model::set_sharpness(double sharpness) {
  if (!(sharpness > 0 && sharpness <= 1e9)) throw ConfigError("a sharpness must be above 0, and at most a billion");
  sharpness_ = sharpness;
}

void Model::encode(const Document& document, std::size_t sentence, EncodedSentence& words) const {
  scheme_->encoder().encode(document, sentence, words);
  if (guide_) {
    Parse guide = guides(document, sentence, sentence + 1, 1, WeightLayout::automatic).front();
    words.set_guide(std::move(guide.heads), std::move(guide.labels));
  }
  if (scheme_->spec().reversed) words.reverse();
}

std::vector<Parse> Model::guides(const Document& document, std::size_t first, std::size_t last, int threads,
                                 WeightLayout layout) const {
  if (!guide_) return {};
  std::vector<Parse> found = guide_->parse(document, first, last, threads, layout);
  for (Parse& guide : found)
    for (Label& label : guide.labels)
      if (label >= 0) label = guide_labels_[static_cast<std::size_t>(label)];
  return found;
}

// Whether to parse with sums that are kept; if so, all is ready for it.
bool Model::folds(const Document& document, std::size_t first, std::size_t last, const std::vector<Parse>& guides,
                  WeightLayout layout) const {
  if (layout == WeightLayout::compact || scheme_->spec().system == EasyFirst::kName) return false;
  if (layout == WeightLayout::automatic) {
    std::size_t words = 0;
    for (std::size_t s = first; s < last; ++s) words += document.sentence(s).words;
    const std::size_t before = folded_->words.fetch_add(words, std::memory_order_relaxed);
    if (words < kFewestWords || before + words < kWordsToFold) return false;
    if (!folded_->ready.load(std::memory_order_acquire) && !folded_->sample.full() && words < kWordsToFold)
      return false;  // its few sentences would say too little
  }
  std::call_once(folded_->once, [&] {
    const std::size_t end = std::min(last, first + kSampled);
    std::vector<Parse> out(end - first), their_guides = guides;
    std::atomic<std::size_t> taken{first};
    SharedSentences sentences(*scheme_, document, first, end, taken, their_guides, out, &folded_->sample);
    parser(false, true)->parse(sentences);
    const std::size_t length = row_length(static_cast<std::size_t>(scheme_->classes().count()));
    folded_->folding.emplace(scheme_->templates(), scheme_->encoder(), scheme_->classes().labels(),
                             scheme_->spec().valency_cap, folded_->sample, weights_, length);
    folded_->ready.store(true, std::memory_order_release);
  });
  const bool folds = layout == WeightLayout::folded || folded_->folding->plan.pays();
  if (folds) folded_->used.store(true, std::memory_order_relaxed);
  return folds;
}

bool Model::folded() const { return folded_->used.load(std::memory_order_relaxed); }

std::vector<Parse> Model::parse(const Document& document, std::size_t first, std::size_t last, int threads,
                                WeightLayout layout) const {
  std::vector<Parse> out(last - first), guides = this->guides(document, first, last, threads, layout);
  const bool folded = folds(document, first, last, guides, layout);
  std::atomic<std::size_t> taken{first};
  in_threads(threads, [&] {
    SharedSentences sentences(*scheme_, document, first, last, taken, guides, out);
    parser(folded, layout == WeightLayout::automatic)->parse(sentences);
  });
  if (scheme_->spec().reversed)
    for (Parse& parse : out) reverse_tree(parse.heads, parse.labels);
  return out;
}

}  // namespace dynarc
