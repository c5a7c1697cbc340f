#include "model/model.hpp"

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "parse/easy_first_parser.hpp"
#include "systems/registry.hpp"

namespace dynarc {

namespace {

std::span<const Move> moves_of(const std::string& system) {
  return with_system(
      system, []<class System>(std::type_identity<System>) { return std::span<const Move>(System::kMovesUsed); });
}

}  // namespace

Scheme::Scheme(ModelSpec spec)
    : spec_(std::move(spec)),
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

std::unique_ptr<AnyParser> Model::parser() const {
  const ModelSpec& spec = scheme_->spec();
  return with_system(spec.system, [&]<class System>(std::type_identity<System>) -> std::unique_ptr<AnyParser> {
    using Decoder = std::conditional_t<std::is_same_v<System, EasyFirst>, EasyFirstParser, Parser<System>>;
    return std::make_unique<Decoder>(System(spec.options), scheme_->classes(), scheme_->templates(), scheme_->encoder(),
                                     spec.valency_cap, weights_, rest_, roots_, spec.other);
  });
}

namespace {

// Sentences of a document, a few at a time for whoever asks.
class SharedSentences final : public Sentences {
 public:
  SharedSentences(const Scheme& scheme, const Document& document, std::size_t first, std::size_t last,
                  std::atomic<std::size_t>& taken, std::vector<Parse>& guides, std::vector<Parse>& out)
      : scheme_(scheme), document_(document), first_(first), last_(last), taken_(taken), guides_(guides), out_(out) {}

  Parse* next(EncodedSentence& words) override {
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
    Parse guide = guides(document, sentence, sentence + 1, 1).front();
    words.set_guide(std::move(guide.heads), std::move(guide.labels));
  }
  if (scheme_->spec().reversed) words.reverse();
}

std::vector<Parse> Model::guides(const Document& document, std::size_t first, std::size_t last, int threads) const {
  if (!guide_) return {};
  std::vector<Parse> found = guide_->parse(document, first, last, threads);
  for (Parse& guide : found)
    for (Label& label : guide.labels)
      if (label >= 0) label = guide_labels_[static_cast<std::size_t>(label)];
  return found;
}

std::vector<Parse> Model::parse(const Document& document, std::size_t first, std::size_t last, int threads) const {
  std::vector<Parse> out(last - first), guides = this->guides(document, first, last, threads);
  std::atomic<std::size_t> taken{first};
  in_threads(threads, [&] {
    SharedSentences sentences(*scheme_, document, first, last, taken, guides, out);
    parser()->parse(sentences);
  });
  if (scheme_->spec().reversed)
    for (Parse& parse : out) reverse_tree(parse.heads, parse.labels);
  return out;
}

}  // namespace dynarc
