// Scoring with sums that are kept: groups of features at once, where their sum is known. The steps are those of
// compact_scorer.hpp. What is done for a configuration is always the same list of things, without a branch wherever
// that can be.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "features/extractor.hpp"
#include "model/folded_rows.hpp"
#include "model/folding.hpp"
#include "model/lane_plan.hpp"
#include "model/weights.hpp"

namespace dynarc {

// What folding knows of a model; it grows while sentences are parsed.
struct Folding {
  Folding(const Templates& templates, const WordEncoder& encoder, const LabelValues& labels, int valency_cap,
          const StateSample& sample, const Weights& weights, std::size_t length)
      : word_plan(templates, encoder, labels, valency_cap),
        plan(templates, word_plan, sample, length),
        filter(weights),
        rows(length, kMostBytes),
        words(word_plan, kMostWordBytes),
        sums(kMostSums) {}

  static constexpr std::size_t kMostBytes = std::size_t{192} << 20, kMostWordBytes = std::size_t{48} << 20,
                               kMostSums = std::size_t{1} << 17;
  WordFoldPlan word_plan;
  FoldPlan plan;
  KeyFilter filter;
  FoldedRows rows;
  FoldedWords words;
  KeptNumbers sums;  // of groups of `plan`, by their keys
};

class FoldedScorer {
 public:
  using Sum = FoldedRows::Sum;
  static constexpr std::size_t kLanes = LanePlan::kLanes;

  struct Work {
    std::size_t lane = 0;
    std::vector<Key> word_keys = {};        // of all nodes, from the one that is not there on
    std::vector<std::uint32_t> lists = {};  // the same of where the lists of their sums begin
    std::vector<Sum> rows = {};             // of words, then of groups
    bool missing = false;                   // some are not known, or take two rows
    std::vector<Key> keys = {};             // of features that are looked up one by one
    std::size_t count = 0;                  // how many these are
    Scores scores = {};
  };

  FoldedScorer(Extractor extractor, const Templates& templates, const Weights& weights, Folding& folding)
      : extractor_(std::move(extractor)),
        weights_(weights),
        folding_(folding),
        plan_(folding.plan),
        rows_(folding.rows),
        sums_(folding.sums) {
    for (const FoldPlan::Group& group : plan_.groups())
      for (const int term : group.terms) {
        const bool of_node = term >= plan_.atoms();
        const bool many = !of_node && templates.atoms()[static_cast<std::size_t>(term)].has_many_values();
        std::vector<int>& terms = of_node ? node_terms_ : many ? many_terms_ : terms_;
        if (std::ranges::find(terms, term) == terms.end()) terms.push_back(term);
      }
    weighed_.resize(plan_.terms());
    select(templates);
    for (const int g : plan_.tops()) {
      std::vector<LanePlan::Term> terms;
      for (const int term : group(g).terms) terms.push_back({static_cast<std::size_t>(term), plan_.multiplier(term)});
      lane_plan_.add_group(group(g).seed, terms);
    }
    for (const int t : plan_.templates())
      if (extractor_.has_many_keys(static_cast<std::size_t>(t)))
        many_.push_back(t);
      else
        add_single(t);
    alone_ = singles_.size();
    for (const WordFoldPlan::Group& group : folding.word_plan.groups()) {
      Word word{list_of(group.node), is_complete(group), &group.templates, singles_.size()};
      std::vector<LanePlan::Digit> digits;
      std::uint64_t unit = 1;
      for (const WordFoldPlan::Digit& digit : group.digits) {
        digits.push_back({static_cast<std::size_t>(digit.atom), unit, digit.values});
        unit *= digit.values;
      }
      lane_plan_.add_place(plan_.terms() + word.list, group.begin, digits, !word.complete);
      for (const int t : group.templates)
        if (extractor_.has_many_keys(static_cast<std::size_t>(t)))
          word.many.push_back(t);
        else
          add_single(t);
      word.singles_end = singles_.size();
      if (!word.complete) limited_.push_back(words_.size());
      words_.push_back(std::move(word));
    }
    seen_values_.resize(plan_.terms() + list_nodes_.size());
  }

  bool sees_spans() const { return extractor_.sees_spans(); }

  Work work(std::size_t lane) const {
    Work work{.lane = lane};
    work.rows.resize(words_.size() + plan_.tops().size());
    work.keys.resize(singles_.size() + 1);
    return work;
  }

  void start(Work& work, const EncodedSentence& words) {
    work.word_keys.resize(static_cast<std::size_t>(words.words()) + 2);
    work.lists.resize(work.word_keys.size());
    for (Node node = kNone; node <= words.words(); ++node) {
      Key& key = work.word_keys[static_cast<std::size_t>(node - kNone)];
      key = words.word_key(node);
      folding_.words.ask(key);
    }
    for (std::size_t i = 0; i < work.lists.size(); ++i) work.lists[i] = folding_.words.find(work.word_keys[i]);
  }

  template <class View>
  void look(Work& work, const View& view, const EncodedSentence& words, const Dependents& dependents) {
    std::uint64_t* const values = &seen_values_[0].of[work.lane];
    const auto at = [values](std::size_t input) -> std::uint64_t& { return values[kLanes * input]; };
    extractor_.look<kLanes>(view, words, dependents, seen_, values);
    for (const int term : many_terms_) at(static_cast<std::size_t>(term)) = extractor_.value_of_many(term, words);
    for (const int term : node_terms_)
      at(static_cast<std::size_t>(term)) = work.word_keys[place(extractor_.node(term - plan_.atoms()))];
    bool seldom = false;
    for (std::size_t i = 0; i < list_nodes_.size(); ++i) {
      const std::uint32_t list = work.lists[place(extractor_.node(list_nodes_[i]))];
      at(plan_.terms() + i) = list;
      seldom |= list == FoldedWords::kNoList;
    }
    work.count = 0;
    if (seldom || !many_.empty()) look_up(work, view, words, dependents, seldom);
  }

  // Keys and places for all lanes; then what one of them needs of that is asked for.
  void prepare() { lane_plan_.run(seen_values_, found_); }
  void collect(Work& work) {
    const std::size_t lane = work.lane;
    for (const LanePlan::Lanes& place : found_.places) folding_.words.ask_at(place.of[lane]);
    for (const LanePlan::Lanes& key : found_.groups) sums_.ask(key.of[lane]);
    Key* const keys = work.keys.data();
    std::size_t count = work.count;
    for (std::size_t i = 0; i < alone_; ++i) keys[count++] = found_.features[i].of[lane];
    for (const std::size_t w : limited_) {
      // Which it is, nobody can foretell: keys are written in either case. Of words without a list they are there.
      const Word& word = words_[w];
      const bool foreseen =
          (found_.places[w].of[lane] != 0) | (seen_values_[plan_.terms() + word.list].of[lane] == FoldedWords::kNoList);
      for (std::size_t i = word.singles; i < word.singles_end; ++i) {
        keys[count] = found_.features[i].of[lane];
        count += !foreseen;
      }
    }
    work.count = count;
    for (std::size_t i = 0; i < count; ++i) folding_.filter.ask(keys[i]);
  }

  void find(Work& work, const EncodedSentence&) {
    std::size_t known = 0;
    for (std::size_t i = 0; i < work.count; ++i) {
      const Key key = work.keys[i];
      work.keys[known] = key;
      known += folding_.filter.may_have(key);
    }
    work.count = known;
    weights_.ask({work.keys.data(), work.count});
    Sum all = 0;
    Sum* row = work.rows.data();
    for (const LanePlan::Lanes& place : found_.places) {
      const Sum sum = folding_.words.load(place.of[work.lane]);
      all |= sum;
      *row++ = sum;
      rows_.ask(sum & kRow);
    }
    bool missing = false;
    for (const LanePlan::Lanes& key : found_.groups) {
      const Sum sum = sums_.find(key.of[work.lane]);
      missing |= sum == 0;
      all |= sum;
      *row++ = sum;
      rows_.ask(sum & kRow);
    }
    work.missing = missing | (all >= FoldedRows::kTwice);
  }

  void locate(Work& work) { weights_.find({work.keys.data(), work.count}, work.scores); }

  template <class View>
  std::span<const Score> sum(Work& work, const View& view, const EncodedSentence& words, const Dependents& dependents) {
    weights_.sum(work.scores);
    if (work.missing) [[unlikely]]
      find_missing(work, view, words, dependents);
    rows_.sum(work.rows, work.scores.of_class.data());
    return work.scores.of_class;
  }

  template <class View>
  const std::vector<Key>& keys(Work&, const View& view, const EncodedSentence& words, const Dependents& dependents) {
    extractor_.extract(view, words, dependents, all_keys_);
    return all_keys_;
  }

 private:
  static constexpr Sum kRow = FoldedRows::kTwice - 1;

  struct Word {
    std::size_t list;  // in `list_nodes_`: the one of its node
    bool complete;     // every value has a place
    const std::vector<int>* templates;
    std::size_t singles, singles_end = 0;  // its templates, in `singles_`
    std::vector<int> many = {};            // those with many keys
  };
  struct Single {  // a template with one key
    Key seed;
    const std::vector<int>* atoms;
  };
  struct Level {  // of groups in groups
    std::vector<Key> keys;
    std::vector<Sum> rows;
    Scores scores;
  };

  const FoldPlan::Group& group(int g) const { return plan_.groups()[static_cast<std::size_t>(g)]; }

  static std::size_t place(Node node) { return static_cast<std::size_t>(node - kNone); }

  std::size_t list_of(int node) {
    const auto known = std::ranges::find(list_nodes_, node);
    const auto i = static_cast<std::size_t>(known - list_nodes_.begin());
    if (known == list_nodes_.end()) list_nodes_.push_back(node);
    return i;
  }

  void add_single(int t) {
    const std::vector<int>& atoms = extractor_.atoms_with_one_value(static_cast<std::size_t>(t));
    singles_.push_back({extractor_.seed(static_cast<std::size_t>(t)), &atoms});
    lane_plan_.add_feature(singles_.back().seed, atoms);
  }
  Key single_key(std::size_t i, const std::uint64_t* values) const {
    Key key = singles_[i].seed;
    for (const int a : *singles_[i].atoms) key = Extractor::mix(key, values[kLanes * static_cast<std::size_t>(a)]);
    return key;
  }

  // What is looked at: always; and where there are words that are seldom met.
  void select(const Templates& templates) {
    std::vector<bool> atoms(templates.atoms().size()), others(atoms.size());
    std::vector<int> nodes;
    const auto take = [&](int t, std::vector<bool>& to) {
      for (const int a : templates.templates()[static_cast<std::size_t>(t)].atoms)
        to[static_cast<std::size_t>(a)] = true;
    };
    for (const int term : terms_) atoms[static_cast<std::size_t>(term)] = true;
    for (const int term : many_terms_) atoms[static_cast<std::size_t>(term)] = true;
    for (const int term : node_terms_) nodes.push_back(term - plan_.atoms());
    for (const int t : plan_.templates()) take(t, atoms);
    for (const WordFoldPlan::Group& word : folding_.word_plan.groups()) {
      nodes.push_back(word.node);
      for (const WordFoldPlan::Digit& digit : word.digits) atoms[static_cast<std::size_t>(digit.atom)] = true;
      for (const int t : word.templates) take(t, is_complete(word) ? others : atoms);
    }
    std::vector<int> always, seldom;
    for (std::size_t a = 0; a < atoms.size(); ++a)
      if (atoms[a] || others[a]) (atoms[a] ? always : seldom).push_back(static_cast<int>(a));
    seen_ = extractor_.select(always, nodes);
    of_words_ = extractor_.select(seldom, {});
  }
  static bool is_complete(const WordFoldPlan::Group& word) {
    return std::ranges::all_of(word.digits, &WordFoldPlan::Digit::complete);
  }

  void weigh(const Work& work, const EncodedSentence& words) {
    const auto put = [&](int term, std::uint64_t value) {
      weighed_[static_cast<std::size_t>(term)] = plan_.weigh(term, value);
    };
    for (const int term : terms_) put(term, extractor_.value(term));
    for (const int term : many_terms_) put(term, extractor_.value_of_many(term, words));
    for (const int term : node_terms_) put(term, work.word_keys[place(extractor_.node(term - plan_.atoms()))]);
  }

  // The features of words that have no list, and those that are many.
  template <class View>
  [[gnu::noinline]] void look_up(Work& work, const View& view, const EncodedSentence& words,
                                 const Dependents& dependents, bool seldom) {
    std::uint64_t* const values = &seen_values_[0].of[work.lane];
    all_keys_.clear();
    if (seldom) {
      extractor_.look<kLanes>(view, words, dependents, of_words_, values);
      for (const Word& word : words_) {
        if (values[kLanes * (plan_.terms() + word.list)] != FoldedWords::kNoList) continue;
        for (std::size_t i = word.singles; i < word.singles_end; ++i) all_keys_.push_back(single_key(i, values));
        for (const int t : word.many) add_keys(t, words, values);
      }
    }
    for (const int t : many_) add_keys(t, words, values);
    work.keys.resize(std::max(work.keys.size(), all_keys_.size() + singles_.size() + 1));
    std::ranges::copy(all_keys_, work.keys.begin());
    work.count = all_keys_.size();
  }
  void add_keys(int t, const EncodedSentence& words, const std::uint64_t* values) {
    extractor_.add_keys<kLanes>(static_cast<std::size_t>(t), words, all_keys_, values);
  }

  // Makes sums that are not known, and takes apart those of two rows.
  template <class View>
  [[gnu::noinline]] void find_missing(Work& work, const View& view, const EncodedSentence& words,
                                      const Dependents& dependents) {
    Score* const scores = work.scores.of_class.data();
    bool looked = false;
    const auto look = [&] {
      if (looked) return;
      extractor_.look(view, words, dependents);
      weigh(work, words);
      looked = true;
    };
    const auto add = [&](Sum& row, const std::vector<Score>& more) {
      for (std::size_t c = 0; c < rows_.length(); ++c) scores[c] += more[c];
      row = FoldedRows::kZeros;
    };
    // Those of words one after the other, but each step for all of them: what they wait for comes meanwhile.
    missing_.clear();
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (work.rows[i] == FoldedRows::kNotKept) missing_.push_back(i);
    if (!missing_.empty()) look();
    for (std::size_t m = 0; m < missing_.size(); ++m) ask(*words_[missing_[m]].templates, words, level(m));
    for (std::size_t m = 0; m < missing_.size(); ++m) weights_.find(level(m).keys, level(m).scores);
    for (std::size_t m = 0; m < missing_.size(); ++m) {
      const std::size_t i = missing_[m];
      weights_.sum(level(m).scores);
      const std::vector<Score>& more = level(m).scores.of_class;
      folding_.words.store(found_.places[i].of[work.lane], rows_.add(more.data(), chunk_));
      add(work.rows[i], more);
    }
    for (std::size_t g = 0; g < plan_.tops().size(); ++g) {
      Sum& row = work.rows[words_.size() + g];
      if (row != 0) continue;
      look();
      add(row, make(plan_.tops()[g], found_.groups[g].of[work.lane], words, 0));
    }
    for (Sum& row : work.rows) {
      if (row < FoldedRows::kTwice) continue;
      row &= kRow;
      const Sum second = row + 1;
      rows_.sum({&second, 1}, scores);
    }
  }

  Level& level(std::size_t depth) {
    while (levels_.size() <= depth) levels_.push_back(std::make_unique<Level>());
    return *levels_[depth];
  }

  // The first step of looking up features.
  void ask(const std::vector<int>& templates, const EncodedSentence& words, Level& level) {
    level.keys.clear();
    for (const int t : templates) extractor_.add_keys(static_cast<std::size_t>(t), words, level.keys);
    std::erase_if(level.keys, [&](Key key) { return !folding_.filter.may_have(key); });
    weights_.ask(level.keys);
  }

  // The sum of a group that is not known, which it then is.
  const std::vector<Score>& make(int g, Key key, const EncodedSentence& words, std::size_t depth) {
    Level& level = this->level(depth);
    ask(group(g).templates, words, level);
    weights_.find(level.keys, level.scores);
    weights_.sum(level.scores);
    Score* const scores = level.scores.of_class.data();
    level.rows.clear();
    for (const int part : group(g).parts) {
      const Key part_key = plan_.key(group(part), weighed_);
      if (const Sum sum = sums_.find(part_key); sum != 0) {
        level.rows.push_back(sum & kRow);
        if (sum >= FoldedRows::kTwice) level.rows.push_back((sum & kRow) + 1);
        continue;
      }
      const std::vector<Score>& more = make(part, part_key, words, depth + 1);
      for (std::size_t c = 0; c < rows_.length(); ++c) scores[c] += more[c];
    }
    rows_.sum(level.rows, scores);
    if (const Sum sum = rows_.add(scores, chunk_); sum != FoldedRows::kNotKept) sums_.add(key, sum);
    return level.scores.of_class;
  }

  Extractor extractor_;
  const Weights& weights_;
  Folding& folding_;
  const FoldPlan& plan_;
  FoldedRows& rows_;
  KeptNumbers& sums_;

  Extractor::Selection seen_, of_words_;              // for all configurations; for words that are seldom met
  std::vector<int> terms_, many_terms_, node_terms_;  // of which keys of groups are made
  std::vector<std::uint64_t> weighed_;                // by term
  LanePlan lane_plan_;
  std::vector<LanePlan::Lanes> seen_values_;  // of terms, then where the lists of `list_nodes_` begin
  LanePlan::Results found_;
  std::vector<int> list_nodes_;
  std::vector<Word> words_;
  std::vector<std::size_t> limited_;  // words that are not complete
  std::vector<Single> singles_;       // those that are always looked up come first
  std::size_t alone_ = 0;
  std::vector<int> many_;  // templates with many keys
  std::vector<Key> all_keys_;
  FoldedRows::Chunk chunk_;
  std::vector<std::size_t> missing_;
  std::vector<std::unique_ptr<Level>> levels_;
};

}  // namespace dynarc
