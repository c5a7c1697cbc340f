// Easy-first against plain programs that keep nothing: a decoder and a trainer that score every pair at every step.
#include <cassert>
#include <cstdio>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "learn/easy_first_trainer.hpp"
#include "learn/training.hpp"
#include "parse/easy_first_parser.hpp"

using namespace dynarc;

namespace {

using Texts = std::vector<std::string>;

const std::vector<Texts> kTemplates = {
    {"F1.tag", "F2.tag", "F1.tag+F2.tag", "F1.right1.tag+F2.left1.tag", "dist(F1,F2)"},
    {"P2.form", "P1.form+F1.form", "F1.labels_left+F2.labels_right", "F2.valency_left+N1.tag", "N2.form+N2.right1.tag",
     "P2.left1.deprel+P2.tag", "N2.left1.deprel", "P2.right1.deprel", "F1.feature", "each_between(F1,F2)"},
    // Beyond the window: what stands next to it in the sentence may be attached elsewhere.
    {"N2.next.deprel", "P2.previous.deprel", "N1.next.next.right1.tag", "P1.previous.previous.left1.form", "F1.form",
     "N2.next.next.valency_left", "head_is(F1.next,F1)"},
    {"N1.next.head.form", "F2.form", "P1.previous.deprel", "F2.right2.deprel+F1.left2.deprel"},
    {"P1.tag"},
};

struct Corpus {
  Document document;
  std::vector<TrainingTree> trees;
};

// Any tree, projective or not: words in a random order, each attached to one before it.
std::vector<Node> random_heads(int n, bool one_root, Rng& rng) {
  std::vector<Node> order, heads(n + 1, kNone);
  for (Node d = 1; d <= n; ++d) order.insert(order.begin() + rng.below(d), d);
  for (int i = 0; i < n; ++i) {
    const int among = one_root ? i : i + 1;
    const int at = among > 0 ? rng.below(among) : i;
    heads[order[i]] = at == i ? kRoot : order[at];
  }
  return heads;
}

Corpus random_corpus(int sentences, int longest, const LabelRange& labels, bool one_root, Rng& rng) {
  std::string text;
  std::vector<TrainingTree> trees;
  for (int i = 0; i < sentences; ++i) {
    const int n = 1 + rng.below(longest);
    TrainingTree tree{static_cast<std::size_t>(i), random_heads(n, one_root, rng), std::vector<Label>(n + 1, kNoLabel),
                      std::vector<Cost>(n + 1, 1), std::vector<Cost>(n + 1, 1)};
    for (Node d = 1; d <= n; ++d) {
      const auto [from, to] = labels.of(tree.heads[d] == kRoot);
      if (labels.count > 0) tree.labels[d] = from + rng.below(to - from);
      text += std::to_string(d) + "\tw" + std::to_string(rng.below(5)) + "\t_\tT" + std::to_string(rng.below(3)) +
              "\t_\tA=" + std::to_string(rng.below(2)) + "|B=" + std::to_string(rng.below(2)) + "\t_\t_\t_\t_\n";
      if (rng.below(40) == 0) tree.heads[d] = kNone;  // not annotated
    }
    text += "\n";
    trees.push_back(std::move(tree));
  }
  const auto bytes = std::make_shared<std::string>(std::move(text));
  return {Document::read({bytes, *bytes}, {}), std::move(trees)};
}

// Calls f(focus, choice) for every legal choice, pair by pair.
template <class F>
void each_choice(const EasyFirst& system, const ListState& s, const Classes& classes, F&& f) {
  for (Node focus = kRoot; s.right(focus) != kNone; focus = s.right(focus))
    for (const Action a : {Action{Move::left, s.right(focus)}, Action{Move::right, focus}}) {
      if (!system.legal(s, a)) continue;
      const Arc arc = system.arc(s, a);
      const auto [first, last] = classes.range(a.move, arc);
      if (first < last) f(focus, Choice{a, arc, first, last});
    }
}

struct Scored {
  Node focus;
  Choice choice;
  int label;
  float score;
  std::vector<Key> keys;
};

// Every class of every pair; `score(keys, scores)` adds up weights.
template <class Score>
std::vector<Scored> all_scored(const EasyFirst& system, const ListState& s, const Scheme& scheme,
                               const EncodedSentence& words, const Dependents& dependents, Score&& score) {
  Extractor extractor(scheme.templates(), scheme.encoder(), scheme.classes().labels(), scheme.spec().valency_cap);
  std::vector<Scored> out;
  each_choice(system, s, scheme.classes(), [&](Node focus, const Choice& choice) {
    std::vector<Key> keys;
    std::vector<float> scores(scheme.classes().count(), 0.0f);
    extractor.extract(FocusedList{s, focus}, words, dependents, keys);
    score(keys, scores);
    for (int c = choice.first; c < choice.last; ++c) out.push_back({focus, choice, c, scores[c], keys});
  });
  return out;
}

// The lowest class, then the leftmost pair, of those that score best.
template <class Allowed>
const Scored* best_of(const std::vector<Scored>& all, Allowed&& allowed) {
  const Scored* best = nullptr;
  for (const Scored& one : all)
    if (allowed(one) && (!best || one.score > best->score || (one.score == best->score && one.label < best->label)))
      best = &one;
  return best;
}

Parse plain_parse(const Model& model, const EncodedSentence& words) {
  const Scheme& scheme = model.scheme();
  const EasyFirst system(scheme.spec().options);
  ListState s;
  Dependents dependents;
  system.start(s, words.words());
  dependents.start(words.words(), scheme.classes().labels(), true);
  Scores found;
  while (!system.is_final(s)) {
    const auto all = all_scored(system, s, scheme, words, dependents, [&](auto& keys, auto& scores) {
      model.weights().score(keys, found);
      for (std::size_t c = 0; c < scores.size(); ++c) scores[c] = static_cast<float>(found.of_class[c]);
    });
    const Scored* best = best_of(all, [](const Scored&) { return true; });
    const Transition t{best->choice.action, scheme.classes().label(best->label)};
    dependents.add(best->choice.arc, t.label);
    system.apply(s, t);
  }
  return {s.heads(), s.labels()};
}

void must_be_tree(const Parse& parse, const ModelSpec& spec) {
  check_heads(parse.heads);
  int roots = 0;
  for (std::size_t d = 1; d < parse.heads.size(); ++d) {
    assert(parse.heads[d] != kNone);
    roots += parse.heads[d] == kRoot;
    const auto [from, to] = spec.labels.of(parse.heads[d] == kRoot);
    assert(spec.labels.count == 0 ? parse.labels[d] == kNoLabel : parse.labels[d] >= from && parse.labels[d] < to);
  }
  assert(roots >= 1 && (!spec.options.single_root || roots == 1));
  assert(!crossing_arcs(parse.heads));
}

// FEATURES 9.3 for easy-first, with a fresh look at everything at every step.
class PlainTrainer {
 public:
  PlainTrainer(const Scheme& scheme, const Corpus& corpus, LearnOptions options)
      : weights(scheme.classes().count()), scheme_(scheme), corpus_(corpus), options_(options), rng_(options.seed) {
    for (std::size_t i = 0; i < corpus.trees.size(); ++i) order_.push_back(i);
  }

  void epoch() {
    ++epoch_;
    for (std::size_t i = order_.size(); i > 1; --i)
      std::swap(order_[i - 1], order_[static_cast<std::size_t>(rng_.below(static_cast<int>(i)))]);
    for (const std::size_t i : order_) learn(corpus_.trees[i]);
  }

  TrainingWeights weights;
  double moment = 0;
  std::uint64_t explored = 0, updates = 0, given_up = 0;

 private:
  void learn(const TrainingTree& tree) {
    EncodedSentence words;
    scheme_.encoder().encode(corpus_.document, tree.sentence, words);
    const Gold gold(tree.heads, tree.labels, tree.prices, tree.label_prices);
    const EasyFirst system(scheme_.spec().options);
    ListState s;
    Dependents dependents;
    system.start(s, words.words());
    dependents.start(words.words(), scheme_.classes().labels(), true);
    int here = 0;
    while (!system.is_final(s)) {
      const auto all = all_scored(system, s, scheme_, words, dependents,
                                  [&](auto& keys, auto& scores) { scores = weights.score(keys); });
      const Scored* next = best_of(all, [](const Scored&) { return true; });
      if (all.size() > 1) {
        ++moment;
        const auto set = oracle_set(s, system, gold, all);
        const auto in_set = [&](const Scored& one) { return set[static_cast<std::size_t>(&one - all.data())]; };
        if (!in_set(*next)) {
          if (here++ == EasyFirstTrainer::kMostUpdates) {
            ++given_up;
            return;
          }
          ++updates;
          const Scored* towards = best_of(all, in_set);
          weights.add(towards->keys, towards->label, 1, moment);
          weights.add(next->keys, next->label, -1, moment);
          if (options_.oracle == OracleKind::dynamic && epoch_ > options_.explore.after_epoch &&
              options_.explore.probability > 0 && rng_.uniform() < options_.explore.probability)
            ++explored;
          else if (options_.explore.random_best)
            next = any_of(all, set);
          else
            continue;
        }
      }
      const Transition t{next->choice.action, scheme_.classes().label(next->label)};
      dependents.add(next->choice.arc, t.label);
      system.apply(s, t);
    }
  }

  std::vector<bool> oracle_set(const ListState& s, const EasyFirst& system, const Gold& gold,
                               const std::vector<Scored>& all) const {
    EasyFirst::Costs costs(system, gold);
    costs.reset(s);
    std::vector<bool> finished_gold, set;
    std::vector<Cost> prices;
    for (const Scored& one : all) {
      const Arc arc = one.choice.arc;
      bool finished = true;
      for (const Node k : gold.dependents(arc.dependent)) finished = finished && !s.listed(k);
      finished_gold.push_back(finished && gold.head(arc.dependent) == arc.head);
      prices.push_back(costs.cost(s, one.choice.action) + gold.label_cost(arc, scheme_.classes().label(one.label)));
    }
    const bool only_gold = options_.oracle == OracleKind::fixed && std::ranges::count(finished_gold, true) > 0;
    Cost least = 1 << 20;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!only_gold || finished_gold[i]) least = std::min(least, prices[i]);
    for (std::size_t i = 0; i < all.size(); ++i) set.push_back(prices[i] == least && (!only_gold || finished_gold[i]));
    return set;
  }

  const Scored* any_of(const std::vector<Scored>& all, const std::vector<bool>& set) {
    std::vector<const Scored*> members;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (set[i]) members.push_back(&all[i]);
    return members[static_cast<std::size_t>(rng_.below(static_cast<int>(members.size())))];
  }

  const Scheme& scheme_;
  const Corpus& corpus_;
  LearnOptions options_;
  Rng rng_;
  int epoch_ = 0;
  std::vector<std::size_t> order_;
};

void must_be_same_weights(const Model& model, const PlainTrainer& plain) {
  std::size_t row = 0, at = 0;
  Key last = 0;
  bool first = true;
  plain.weights.each_average(std::max(1.0, plain.moment), [&](Key key, int label, double value) {
    if (static_cast<float>(value) == 0) return;
    if (!first && key != last) ++row;
    first = false;
    last = key;
    assert(model.weights().keys().at(row) == key);
    assert(model.weights().labels().at(at) == label);
    assert(model.weights().values().at(at) == static_cast<float>(value));
    ++at;
  });
  assert(at == model.weights().values().size());
}

void same_as_plain(const Texts& templates, const LabelRange& labels, bool single_root, const LearnOptions& options,
                   Rng& rng) {
  const Corpus corpus = random_corpus(12, 9, labels, rng.below(2) == 0, rng);
  ModelSpec spec;
  spec.system = EasyFirst::kName;
  spec.options.single_root = single_root;
  spec.templates = templates;
  spec.labels = labels;
  spec.other = labels.count > 0 ? 0 : kNoLabel;
  Training training(spec, corpus.document, corpus.trees, 1, options);
  const Model untrained = training.model();  // all is equal: the order of equals decides
  PlainTrainer plain(untrained.scheme(), corpus, options);
  for (int epoch = 0; epoch < 2; ++epoch) {
    const EpochReport report = training.epoch();
    const std::uint64_t explored = plain.explored, updates = plain.updates, given_up = plain.given_up;
    plain.epoch();
    assert(report.explored == plain.explored - explored);
    assert(report.updates == plain.updates - updates);
    assert(report.given_up == plain.given_up - given_up);
    assert(report.explored == 0 || epoch + 1 > options.explore.after_epoch);
    must_be_same_weights(training.model(), plain);
  }
  const Model trained = training.model();
  const Corpus others = random_corpus(20, 25, labels, false, rng);
  for (const Model* model : {&untrained, &trained}) {
    const std::vector<Parse> found = model->parse(others.document, 0, others.trees.size(), 1);
    for (std::size_t i = 0; i < others.trees.size(); ++i) {
      EncodedSentence words;
      model->scheme().encoder().encode(others.document, i, words);
      const Parse& parse = found[i];
      const Parse expected = plain_parse(*model, words);
      assert(parse.heads == expected.heads && parse.labels == expected.labels);
      must_be_tree(parse, spec);
    }
  }
}

// A specification under which no arc between words has a label is refused.
void no_labels_for_words() {
  const LabelRange labels{{1}, 0, 0};
  for (const bool single_root : {false, true}) {
    ModelSpec spec;
    spec.system = EasyFirst::kName;
    spec.options.single_root = single_root;
    spec.templates = {"F1.form"};
    spec.labels = labels;
    spec.other = 0;
    const auto bytes = std::make_shared<std::string>("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n");
    const Document one = Document::read({bytes, *bytes}, {});
    bool refused = false;
    try {
      Training training(spec, one, {{0, {kNone, 0}, {kNoLabel, 0}, {1, 1}, {1, 1}}}, 1, {});
    } catch (const ModelFormatError&) {
      refused = true;
    }
    assert(refused);
  }
}

}  // namespace

int main() {
  Rng rng(20240611);
  for (const Texts& templates : kTemplates)
    for (const LabelRange& labels : {LabelRange{}, LabelRange{{4}, 3, 3}, LabelRange{{5}, 4, 2}})
      for (const bool single_root : {false, true})
        for (int variant = 0; variant < 5; ++variant) {
          LearnOptions options;
          options.seed = static_cast<std::uint64_t>(variant) + 7;
          options.oracle = variant == 0 ? OracleKind::fixed : OracleKind::dynamic;
          if (variant >= 2) options.explore = {variant == 3, variant == 4 ? 1 : 0, 0.6};
          same_as_plain(templates, labels, single_root, options, rng);
        }
  no_labels_for_words();
  std::puts("easy-first: as plain programs");
}
