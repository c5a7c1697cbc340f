#include "tag/training.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "features/words.hpp"
#include "learn/averages.hpp"

namespace dynarc {

TagTraining::TagTraining(TaggerShape shape, const TagOptions& options, std::vector<TagSequence> sentences,
                         std::vector<std::vector<int>> classes)
    : shape_(std::move(shape)), options_(options), weights_(std::max(1, shape_.classes())) {
  if (sentences.size() != classes.size()) throw ConfigError("there are not tags for each sentence");
  nothing_.view = view_nothing();
  std::unordered_map<std::string_view, SeenWord*, TextHash> place;
  std::unordered_map<const SeenWord*, int> count;
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    if (classes[s].size() != sentences[s].forms.size()) throw ConfigError("there is not a tag for each word");
    sentences_.push_back({std::move(sentences[s]), {}, std::move(classes[s])});
    for (const std::string_view form : sentences_.back().words.forms) {
      SeenWord*& word = place[form];
      if (word == nullptr) {
        words_.push_back({view_word(form)});
        word = &words_.back();
      }
      ++count[word];
      sentences_.back().seen.push_back(word);
    }
  }
  for (SeenWord& word : words_) word.common = count[&word] >= options_.min_count;
  if (shape_.look == Look::tags || (shape_.look == Look::ends && shape_.groups.size() == 2)) make_dictionary();
  if (shape_.look == Look::refined || shape_.look == Look::lemma) make_group_dictionary();
}

bool TagTraining::is_fixed(int usual, int all) const {
  return options_.fixed_count > 0 && all >= options_.fixed_count && usual >= options_.fixed_share * all;
}

void TagTraining::make_group_dictionary() {
  if (options_.fixed_count <= 0) return;
  std::unordered_map<Key, std::map<int, int>> seen;
  std::vector<Key> order;
  for (const Sentence& sentence : sentences_)
    for (std::size_t i = 0; i < sentence.classes.size(); ++i) {
      if (sentence.classes[i] < 0) continue;
      const Key key = Tagger::in_group(sentence.seen[i]->view.form, sentence.words.group(i));
      std::map<int, int>& counts = seen[key];
      if (counts.empty()) order.push_back(key);
      ++counts[sentence.classes[i]];
    }
  for (const Key key : order) {
    int all = 0, most = 0, usual = -1;
    for (const auto& [tag, n] : seen[key]) {
      all += n;
      if (n > most) most = n, usual = tag;
    }
    if (!is_fixed(most, all)) continue;
    fixed_.emplace(key, usual);
    dictionary_.forms.push_back(key);
    dictionary_.ambiguity.push_back(0);
    dictionary_.fixed.push_back(usual);
  }
}

void TagTraining::make_dictionary() {
  std::unordered_map<const SeenWord*, std::map<int, int>> counts;
  for (const Sentence& sentence : sentences_)
    for (std::size_t i = 0; i < sentence.classes.size(); ++i)
      if (sentence.classes[i] >= 0) ++counts[sentence.seen[i]][sentence.classes[i]];
  std::map<std::vector<int>, int> number;  // of a set of tags
  for (SeenWord& word : words_) {
    if (!word.common || counts[&word].empty()) continue;
    std::vector<int> tags;
    int all = 0, most = 0, usual = -1;
    for (const auto& [tag, n] : counts[&word]) {
      tags.push_back(tag);
      all += n;
      if (n > most) most = n, usual = tag;
    }
    word.ambiguity = static_cast<std::uint32_t>(
        std::min(number.emplace(tags, static_cast<int>(number.size()) + 1).first->second, 0xFFFF));
    // What always ends a sentence may still not do so elsewhere; what never does may be relied on.
    const bool reliable = shape_.look == Look::tags || usual == 0;
    if (reliable && is_fixed(most, all)) word.fixed = usual;
    dictionary_.forms.push_back(word.view.form);
    dictionary_.ambiguity.push_back(static_cast<std::uint16_t>(word.ambiguity));
    dictionary_.fixed.push_back(word.fixed);
  }
}

std::pair<int, int> TagTraining::range(const Sentence& sentence, std::size_t i) const {
  const int group = sentence.words.group(i);
  if (group < 0) return {0, 0};
  return {shape_.groups[static_cast<std::size_t>(group)], shape_.groups[static_cast<std::size_t>(group) + 1]};
}

int TagTraining::fixed(const Sentence& sentence, std::size_t i) const {
  const auto [first, last] = range(sentence, i);
  if (last - first == 1) return first;
  int found = sentence.seen[i]->fixed;
  if (!fixed_.empty()) {
    const auto place = fixed_.find(Tagger::in_group(sentence.seen[i]->view.form, sentence.words.group(i)));
    if (place != fixed_.end()) found = place->second;
  }
  return found >= first && found < last ? found : -1;
}

void TagTraining::find_keys(int i, int t1, int t2, std::vector<Key>& keys) {
  keys.clear();
  const int window = window_of(shape_.look);
  for (int offset = -window; offset <= window; ++offset)
    add_word_keys(shape_.look, view_.word(i + offset), offset, keys);
  add_context_keys(shape_.look, view_, i, t1, t2, keys);
}

void TagTraining::learn_greedily(const Sentence& sentence, TagReport& report) {
  const bool explore = epochs_ >= options_.explore_after;
  int t1 = -1, t2 = -1;
  for (std::size_t i = 0; i < sentence.classes.size(); ++i) {
    const auto [first, last] = range(sentence, i);
    const int gold = sentence.classes[i];
    int choice = fixed(sentence, i);
    if (choice < 0 && first < last) {
      find_keys(static_cast<int>(i), t1, t2, keys_);
      const std::vector<float>& scores = weights_.score(keys_);
      choice = first_greatest(scores.data(), first, last);
      ++moment_;
      if (gold >= first && gold < last && choice != gold) {
        weights_.update(keys_, gold, choice, 1, moment_);
        ++report.updates;
      }
    }
    ++report.words;
    report.wrong += gold >= 0 && choice != gold;
    t2 = t1;
    t1 = explore || gold < 0 ? choice : gold;
  }
}

void TagTraining::learn_by_search(const Sentence& sentence, TagReport& report) {
  const std::size_t n = sentence.classes.size();
  report.words += n;
  std::vector<float> scores;
  std::size_t end = n;  // the step at which the right history fell out of the beam, or the last
  std::vector<int> found;
  for (std::size_t i = 0; i < n && end == n; ++i) {
    const auto [first, last] = range(sentence, i);
    const int only = fixed(sentence, i), gold = sentence.classes[i];
    beam_.step(
        i, first, last, shape_.beam, gold,
        [&, from = first, to = last](int t1, int t2) {
          find_keys(static_cast<int>(i), t1, t2, keys_);
          const std::vector<float>& all = weights_.score(keys_);
          scores.assign(all.begin() + from, all.begin() + to);
          return scores.data();
        },
        [&](int c) { return only < 0 || c == only || c == gold; });
    if (std::ranges::none_of(beam_.items(i), [](const auto& item) { return item.gold; })) end = i;
  }
  ++moment_;
  if (n == 0) return;
  const std::size_t last_word = std::min(end, n - 1);
  found.resize(last_word + 1);
  beam_.best(last_word, found);
  const std::vector<int>& gold = sentence.classes;
  bool updated = false;
  for (std::size_t i = 0; i <= last_word; ++i) {
    report.wrong += gold[i] != found[i];
    const auto before = [&](const std::vector<int>& tags, std::size_t k) { return i < k ? -1 : tags[i - k]; };
    const int g1 = before(gold, 1), g2 = before(gold, 2), f1 = before(found, 1), f2 = before(found, 2);
    if ((gold[i] == found[i] && g1 == f1 && g2 == f2) || gold[i] < 0 || found[i] < 0) continue;
    find_keys(static_cast<int>(i), g1, g2, keys_);
    weights_.add(keys_, gold[i], 1, moment_);
    find_keys(static_cast<int>(i), f1, f2, keys_);
    weights_.add(keys_, found[i], -1, moment_);
    updated = true;
  }
  report.updates += updated;
}

TagReport TagTraining::epoch() {
  std::vector<std::size_t> order(sentences_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(options_.seed * 1'000'003 + static_cast<std::uint64_t>(epochs_));
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(rng.below(static_cast<int>(i)))]);
  TagReport report;
  for (const std::size_t s : order) {
    Sentence& sentence = sentences_[s];
    view_.set(sentence.seen, sentence.words.given, nothing_);
    // A sentence of which not all is known has no history to prefer: it is learned word by word.
    if (shape_.beam > 1 && std::ranges::none_of(sentence.classes, [](int c) { return c < 0; }))
      learn_by_search(sentence, report);
    else
      learn_greedily(sentence, report);
  }
  ++epochs_;
  return report;
}

std::shared_ptr<Tagger> TagTraining::tagger() const {
  return std::make_shared<Tagger>(shape_, dictionary_, averaged_weights(weights_, moment_, shape_.classes()));
}

}  // namespace dynarc
