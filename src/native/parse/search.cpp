#include "parse/search.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "systems/registry.hpp"

namespace dynarc {

std::unique_ptr<AnyStepper> make_stepper(const Model& model) {
  const ModelSpec& spec = model.scheme().spec();
  return with_system(spec.system, [&]<class System>(std::type_identity<System>) -> std::unique_ptr<AnyStepper> {
    return std::make_unique<Stepper<System>>(System(spec.options), model);
  });
}

namespace {

// Chooses among the allowed offers, and among the labels that a word may have.
class FixedDecoder {
 public:
  FixedDecoder(const Model& model, const LabelSets& sets) : stepper_(make_stepper(model)), sets_(sets) {}

  Outcome parse(const EncodedSentence& words, const Fixed& fixed, Parse& out) {
    stepper_->start(words);
    try {
      if (!stepper_->fix(fixed.heads)) return Outcome::impossible;
      while (!stepper_->is_final())
        if (!step(fixed)) return Outcome::missed;
    } catch (const SearchLimit&) {
      return Outcome::out_of_reach;
    }
    const auto root = std::ranges::find(fixed.heads.begin() + 1, fixed.heads.end(), kRoot);
    stepper_->finish(out, root == fixed.heads.end() ? kNone : static_cast<Node>(root - fixed.heads.begin()));
    // Words that were left without a head have the label of such words.
    for (Node d = 1; d <= words.words(); ++d)
      if (const auto* set = labels_of(fixed, d); set && std::ranges::find(*set, out.labels[d]) == set->end())
        out.labels[d] = set->front();
    return Outcome::done;
  }

 private:
  bool step(const Fixed& fixed) {
    usual_.clear();
    unusual_.clear();
    for (const Offer& offer : stepper_->allowed()) add(offer, fixed);
    const std::vector<Offer>& offers = usual_.empty() ? unusual_ : usual_;
    const Pick best = best_pick(*stepper_, offers);
    if (best) stepper_->apply(offers[best.offer].choice, best.label);
    return static_cast<bool>(best);
  }

  // One offer for each label that may be chosen. A label that the model has not seen on an arc from ROOT, or on one
  // between words, has no weights there: such arcs are built only where nothing else is left, unless they are fixed.
  void add(const Offer& offer, const Fixed& fixed) {
    const Arc arc = offer.choice.arc;
    const std::vector<Label>* set = arc ? labels_of(fixed, arc.dependent) : nullptr;
    if (!set) return usual_.push_back(offer);
    const bool fixed_arc = fixed.heads[arc.dependent] == arc.head;
    bool seen = false;
    const auto put = [&](std::vector<Offer>& to, int label) {
      to.push_back(offer);
      to.back().choice.first = label;
      to.back().choice.last = label + 1;
    };
    for (const Label label : *set) {
      const int c = stepper_->classes().of(offer.choice.action.move, label, arc);
      if (c < offer.choice.first || c >= offer.choice.last) continue;
      seen = true;
      put(usual_, c);
    }
    if (seen) return;
    for (const Label label : *set)
      put(fixed_arc ? usual_ : unusual_, stepper_->classes().of(offer.choice.action.move, label, arc));
  }

  const std::vector<Label>* labels_of(const Fixed& fixed, Node d) const {
    const int set = fixed.choices[d];
    return set < 0 ? nullptr : &sets_[static_cast<std::size_t>(set)];
  }

  std::unique_ptr<AnyStepper> stepper_;
  const LabelSets& sets_;
  std::vector<Offer> usual_, unusual_;
};

}  // namespace

bool can_contain(const std::string& name, const Options& options, const std::vector<Node>& heads) {
  return with_system(name, [&]<class System>(std::type_identity<System>) {
    const System system(options);
    typename System::State start;
    system.start(start, static_cast<int>(heads.size()) - 1);
    return FixedArcs<System>(system, heads).start(start);
  });
}

std::vector<FixedParse> parse_fixed(const Model& model, const Document& document, const std::vector<Fixed>& fixed,
                                    const LabelSets& sets, int threads) {
  std::vector<FixedParse> out(document.sentences());
  // Sentences without anything fixed go the fast way, all at once.
  std::vector<Parse> free;
  if (std::ranges::any_of(fixed, &Fixed::empty)) free = model.parse(document, 0, out.size(), threads);
  in_parallel(0, out.size(), threads, [&] {
    return [&, bound = std::make_unique<FixedDecoder>(model, sets), words = EncodedSentence()](std::size_t i) mutable {
      Fixed wanted = fixed[i];
      if (wanted.empty()) {
        out[i].parse = std::move(free[i]);
        return;
      }
      model.encode(document, i, words);
      const bool reversed = model.scheme().spec().reversed;
      if (reversed) reverse_tree(wanted.heads, wanted.choices);
      out[i].outcome = bound->parse(words, wanted, out[i].parse);
      if (reversed && out[i].outcome == Outcome::done) reverse_tree(out[i].parse.heads, out[i].parse.labels);
    };
  });
  return out;
}

TreeSearch::TreeSearch(const Model& model, const Document& document, std::size_t sentence, std::size_t limit)
    : stepper_(make_stepper(model)), reversed_(model.scheme().spec().reversed), left_(limit) {
  model.encode(document, sentence, words_);
  derivations_.emplace_back();
  put(0, 0, 0, {{}, -1});  // the greedy one leaves nothing
}

bool TreeSearch::next() {
  while (!agenda_.empty() && left_ > 0) {
    --left_;
    const Way way = agenda_.extract(agenda_.begin()).value();
    stepper_->start(words_);
    const std::vector<Move>& from = derivations_[way.derivation];
    std::vector<Move> moves(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(way.length));
    if (way.move.label >= 0) moves.push_back(way.move);
    for (const Move& move : moves) stepper_->apply(move.choice, move.label);
    derivations_.push_back(std::move(moves));
    regret_ = way.regret;
    if (follow(derivations_.size() - 1)) return true;
  }
  return false;
}

// Goes on greedily, to the end or to a configuration that was met before.
bool TreeSearch::follow(std::size_t derivation) {
  std::vector<Move>& moves = derivations_[derivation];
  for (;;) {
    if (!met_.insert(stepper_->fingerprint()).second) return false;
    if (stepper_->is_final()) break;
    const std::span<const Offer> offers = stepper_->offers();
    const Pick best = best_pick(*stepper_, offers);
    if (!best) break;  // no label may stand on any arc that is left
    const Offer& taken = offers[best.offer];
    const double most = taken.scores[best.label];
    for (std::size_t i = 0; i < offers.size(); ++i)
      for (int c = offers[i].choice.first; c < offers[i].choice.last; ++c)
        if (i != best.offer || c != best.label)
          put(regret_ + most - offers[i].scores[c], derivation, moves.size(), {offers[i].choice, c});
    moves.push_back({taken.choice, best.label});
    stepper_->apply(moves.back().choice, moves.back().label);
  }
  stepper_->finish(parse_);
  if (reversed_) reverse_tree(parse_.heads, parse_.labels);
  return true;
}

void TreeSearch::put(double regret, std::size_t derivation, std::size_t length, const Move& move) {
  if (agenda_.size() >= left_) {
    if (agenda_.empty() || regret >= std::prev(agenda_.end())->regret) return;
    agenda_.erase(std::prev(agenda_.end()));
  }
  agenda_.insert({regret, ways_++, derivation, length, move});
}

}  // namespace dynarc
