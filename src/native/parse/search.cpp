#include "parse/search.hpp"

#include <algorithm>
#include <functional>

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

TreeSearch::TreeSearch(const Model& model, const Document& document, std::size_t sentence, std::size_t wanted,
                       std::size_t limit)
    : stepper_(make_stepper(model)), reversed_(model.scheme().spec().reversed), left_(limit) {
  model.encode(document, sentence, words_);
  parse_greedily();
  reserve_ = wanted < limit / 2 / greedy_.size() ? wanted * greedy_.size() : limit / 2;
  states_.push_back({kNowhere, 0, 0, 0, {}});
  go_to(0);
  keep_options(0, 0);
  if (states_[0].count > 0) put_option(0, 0);
}

bool TreeSearch::next() {
  while (!agenda_.empty() && left_ > reserve_)
    if (follow(take())) return true;
  if (!over_) {
    over_ = true;
    exhausted_ = agenda_.empty();
    std::ranges::make_heap(agenda_, [this](const Way& a, const Way& b) { return before(b, a); });
    while (!agenda_.empty() && left_ > 0) complete(take());
    std::ranges::stable_sort(others_, std::greater{}, &Found::log);
    std::ranges::reverse(others_);
  }
  while (!others_.empty()) {
    found_ = std::move(others_.back());
    others_.pop_back();
    if (is_new(found_.parse)) return true;
  }
  return false;
}

// Whether there is a tree at the end of the way, and a new one. Else it leads to a state that is scored, if it is new.
bool TreeSearch::follow(const Way& way) {
  --left_;
  const Option taken = option_of(way.state, way.number);
  go_to(way.state);
  if (way.number + 1 < states_[way.state].count) {
    if (way.number + 1 == states_[way.state].first + states_[way.state].options.size())
      keep_options(way.state, way.number + 1);
    put_option(way.state, way.number + 1);
  }
  apply(taken);
  if (!met_.insert(stepper_->fingerprint()).second) return false;
  const auto next = static_cast<StateNumber>(states_.size());
  states_.push_back({way.state, states_[way.state].depth + 1, way.number, way.log, taken});
  keep_options(next, 0);
  if (states_[next].count > 0) {
    here_ = next;
    put_option(next, 0);
    return false;
  }
  states_.pop_back();
  finish(found_, way.log);
  return is_new(found_.parse);
}

// To the end by what is most probable in each state, unless it leads to where the search has been.
void TreeSearch::complete(const Way& way) {
  --left_;
  const Option taken = option_of(way.state, way.number);
  const State& from = states_[way.state];
  if (way.number + 1 < from.first + from.options.size()) put_option(way.state, way.number + 1);
  go_to(way.state);
  apply(taken);
  double log = way.log;
  for (; left_ > 0; --left_) {
    if (met_.contains(stepper_->fingerprint())) return;
    rank_options(1);
    if (ranked_.empty()) return finish(others_.emplace_back(), log);
    log += ranked_[0].log;
    apply(ranked_[0]);
  }
}

// The parser's own tree.
void TreeSearch::parse_greedily() {
  stepper_->start(words_);
  for (;;) {
    const auto offers = stepper_->is_final() ? std::span<const Offer>() : stepper_->offers();
    const Pick best = best_pick(*stepper_, offers);
    if (!best) return finish(others_.emplace_back(), greedy_.back());
    log_probabilities(offers, logs_);
    std::size_t place = 0;
    for (std::size_t i = 0; i < best.offer; ++i)
      place += static_cast<std::size_t>(offers[i].choice.last - offers[i].choice.first);
    const Choice choice = offers[best.offer].choice;
    greedy_.push_back(greedy_.back() + logs_[place + static_cast<std::size_t>(best.label - choice.first)]);
    stepper_->apply(choice, best.label);
  }
}

void TreeSearch::finish(Found& out, double log) {
  out.log = log;
  stepper_->finish(out.parse);
  if (reversed_) reverse_tree(out.parse.heads, out.parse.labels);
}

bool TreeSearch::is_new(const Parse& parse) { return trees_.insert(fingerprint_of(parse.heads, parse.labels)).second; }

void TreeSearch::go_to(StateNumber state) {
  if (here_ == state) return;
  stepper_->start(words_);
  path_.clear();
  for (StateNumber s = state; s != 0; s = states_[s].parent) path_.push_back(s);
  for (; !path_.empty(); path_.pop_back()) apply(states_[path_.back()].taken);
  here_ = state;
}

void TreeSearch::apply(const Option& option) {
  stepper_->apply(option.choice, option.label);
  here_ = kNowhere;
}

// Scores the state in which the stepper is: its best options from `first` on.
void TreeSearch::keep_options(StateNumber state, std::uint32_t first) {
  rank_options(std::size_t{first} + kKept);
  const std::size_t last = std::min(ranked_.size(), std::size_t{first} + kKept);
  State& s = states_[state];
  s.options.assign(ranked_.begin() + std::min<std::ptrdiff_t>(first, std::ssize(ranked_)),
                   ranked_.begin() + static_cast<std::ptrdiff_t>(last));
  s.first = first;
  s.count = static_cast<std::uint32_t>(ranked_.size());
}

// All options of the state in which the stepper is, of which the first so many are the best in their order.
void TreeSearch::rank_options(std::size_t wanted) {
  ranked_.clear();
  if (stepper_->is_final()) return;
  const std::span<const Offer> offers = stepper_->offers();
  log_probabilities(offers, logs_);
  std::uint32_t number = 0;
  for (const Offer& offer : offers) {
    for (int c = offer.choice.first; c < offer.choice.last; ++c)
      ranked_.push_back({logs_[ranked_.size()], number, c, offer.choice});
    ++number;
  }
  const auto before = [this](const Option& a, const Option& b) {
    if (a.log != b.log) return a.log > b.log;
    const int rank = stepper_->rank(a.label), other = stepper_->rank(b.label);
    return rank != other ? rank < other : a.offer < b.offer;
  };
  const auto sorted = static_cast<std::ptrdiff_t>(std::min(wanted, ranked_.size()));
  std::partial_sort(ranked_.begin(), ranked_.begin() + sorted, ranked_.end(), before);
}

const TreeSearch::Option& TreeSearch::option_of(StateNumber state, std::uint32_t number) const {
  return states_[state].options[number - states_[state].first];
}

void TreeSearch::put_option(StateNumber state, std::uint32_t number) {
  agenda_.push_back({states_[state].log + option_of(state, number).log, state, number});
  std::ranges::push_heap(agenda_, [this](const Way& a, const Way& b) { return before(b, a); });
}

TreeSearch::Way TreeSearch::take() {
  std::ranges::pop_heap(agenda_, [this](const Way& a, const Way& b) { return before(b, a); });
  const Way way = agenda_.back();
  agenda_.pop_back();
  return way;
}

// What a way is worth. When the search is over, with what the rest of the sentence may cost, as the greedy parse has
// it.
double TreeSearch::merit(const Way& way) const {
  if (!over_) return way.log;
  const std::size_t length = std::min(greedy_.size() - 1, std::size_t{states_[way.state].depth} + 1);
  return way.log + greedy_.back() - greedy_[length];
}

bool TreeSearch::before(Way a, Way b) const {
  if (merit(a) != merit(b)) return merit(a) > merit(b);
  while (a.state != b.state) {  // back to where they part
    Way& longer = states_[a.state].depth >= states_[b.state].depth ? a : b;
    const State& s = states_[longer.state];
    longer = {longer.log, s.parent, s.number};
  }
  return a.number < b.number;
}

}  // namespace dynarc
