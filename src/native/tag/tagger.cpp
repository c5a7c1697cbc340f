#include "tag/tagger.hpp"

#include <array>
#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "base/huge_pages.hpp"
#include "tag/key_table.hpp"

namespace dynarc {

namespace {

constexpr int kWidestBeam = 10'000;
// Sums that a worker keeps, and words: some tens of megabytes.
constexpr std::size_t kMostSums = std::size_t{6} << 20;
constexpr std::size_t kMostWords = std::size_t{1} << 17;

}  // namespace

// Everything is far away in memory, so several words are scored at a time: of each, first what it needs is asked for,
// then it is found, then it is summed up. They are words of several sentences where a choice depends on those before
// it.
class Tagger::Worker {
 public:
  explicit Worker(const Tagger& tagger) : tagger_(tagger), look_(tagger.shape_.look) { nothing_.view = view_nothing(); }

  void tag(const TagSequence& words, std::span<const Stretch> sentences, std::span<int> classes, Veto veto) {
    see(words);
    switch (look_) {
      case Look::tags: return decide<Look::tags>(words, sentences, classes, veto);
      case Look::refined: return decide<Look::refined>(words, sentences, classes, veto);
      case Look::lemma: return decide<Look::lemma>(words, sentences, classes, veto);
      case Look::ends: return decide<Look::ends>(words, sentences, classes, veto);
    }
  }
  void forget() {
    place_.clear();
    known_.clear();
    is_known_.clear();
    fixed_.clear();
    forget_sums();
  }

 private:
  static constexpr int kNoChoice = -1, kSeveral = -2;
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kMostRows = 2 * 2 + 1 + std::size(kParts);  // a window, and parts
  // Sums are kept, and added, in fours; what is beyond the last class nobody asks for.
  static constexpr std::size_t kUnit = 4;
  static_assert(kUnit <= Weights::kSpare);
  static std::size_t padded(int classes) { return (static_cast<std::size_t>(classes) + kUnit - 1) / kUnit * kUnit; }

  // A way through sentences: where it is, and what was chosen before.
  struct Walk {
    TagView view;
    std::size_t base = 0;  // of the sentence's words, the number of the first
    int i = 0, group = 0, t1 = -1, t2 = -1;
  };
  struct Fixed {
    std::int32_t group = -1, choice = -1;
  };
  struct FewKeys {
    std::array<Key, 8> keys;
    std::size_t size = 0;
    void push_back(Key key) { keys[size++] = key; }
    void clear() { size = 0; }
    operator std::span<const Key>() const { return {keys.data(), size}; }
  };
  // A word that is scored.
  struct Lane {
    Walk own;
    Walk* walk = nullptr;  // that it takes words from: its own, or that of all
    Walk at;
    std::array<Key, kMostRows> keys;  // of sums that are kept
    std::array<Part, kMostRows> parts;
    std::array<int, kMostRows> offsets;
    std::size_t asked = 0;
    std::array<std::size_t, kMostRows> rows;  // where they are
    std::size_t found = 0;
    FewKeys features;
    Scores scores;
  };

  template <Look kLook>
  void decide(const TagSequence& words, std::span<const Stretch> sentences, std::span<int> classes, Veto veto) {
    if (tagger_.shape_.beam > 1)
      for (const Stretch& sentence : sentences) search<kLook>(words, sentence, classes, veto);
    else
      choose<kLook>(words, sentences, classes, veto);
  }

  void forget_sums() {
    sums_.clear();
    sums_of_.clear();
    word_sums_.clear();
  }

  void see(const TagSequence& words) {
    if (words.numbers.empty() && place_.size() + words.forms.size() > kMostWords) forget();
    if (sums_.size() > kMostSums) forget_sums();
    numbers_.clear();
    for (std::size_t i = 0; i < words.forms.size(); ++i) {
      const std::uint32_t at = words.numbers.empty() ? own_number(words, i) : words.numbers[i];
      if (known_.size() <= at) {
        known_.resize(2 * std::size_t{at} + 1);
        is_known_.resize(known_.size());
      }
      if (!is_known_[at]) {
        known_[at] = tagger_.seen(words.forms[i]);
        is_known_[at] = true;
      }
      numbers_.push_back(at);
    }
    seen_.clear();
    for (const std::uint32_t at : numbers_) seen_.push_back(&known_[at]);
  }
  std::uint32_t own_number(const TagSequence& words, std::size_t i) {
    const Key key = words.keys.empty() ? text_key(words.forms[i]) : words.keys[i];
    std::uint32_t at = place_.find(key);
    if (at == KeyTable::kNone) {
      at = static_cast<std::uint32_t>(place_.size());
      place_.add(key, at);
    }
    return at;
  }
  void enter(const TagSequence& words, const Stretch& sentence, Walk& walk) const {
    walk = {};
    walk.base = sentence.first;
    walk.view.set(
        std::span(seen_).subspan(sentence.first, sentence.size),
        words.given.empty() ? std::span<const Key>() : std::span(words.given).subspan(sentence.first, sentence.size),
        nothing_);
  }

  bool one_group() const { return tagger_.shape_.groups.size() == 2; }
  std::pair<int, int> range(int group) const {
    const auto g = static_cast<std::size_t>(group);
    return {tagger_.shape_.groups[g], tagger_.shape_.groups[g + 1]};
  }
  // Of a word that is there, from 1; 0: there is none.
  std::uint32_t number(const Walk& at, int i) const {
    return i >= 0 && i < at.view.size() ? numbers_[at.base + static_cast<std::size_t>(i)] + 1 : 0;
  }

  // Of a word, a group and one of eight things to know of them.
  static Key place_key(Key number, int group, int what) {
    const Key key = (number * 8 + static_cast<Key>(what) + (static_cast<Key>(group) << 40)) * 0x9E3779B97F4A7C15u;
    return key ^ key >> 32;
  }

  // Puts what the features in `keys_` say of so many classes behind the other sums.
  void keep(int first, std::size_t size) {
    tagger_.weights_.score(keys_, scores_);
    const auto from = scores_.of_class.begin() + first;
    sums_.insert(sums_.end(), from, from + static_cast<std::ptrdiff_t>(size));
  }
  // With one group, those of all offsets are beside each other: a word that was tagged is the next one's neighbour.
  std::size_t sums_of_word(const Walk& at, int offset) {
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    const std::uint32_t word = number(at, at.i + offset);
    const int window = window_of(look_);
    const std::size_t size = padded(tagger_.shape_.classes());
    if (word_sums_.size() <= word) word_sums_.resize(2 * std::size_t{word} + 1, kNone);
    if (word_sums_[word] == kNone) {
      word_sums_[word] = static_cast<std::uint32_t>(sums_.size());
      for (int k = -window; k <= window; ++k) {
        keys_.clear();
        add_word_keys(look_, at.view.word(at.i + offset), k, keys_);
        keep(0, size);
      }
    }
    return word_sums_[word] + static_cast<std::size_t>(offset + window) * size;
  }

  static void prefetch(const SeenWord& word) {
    const char* const from = reinterpret_cast<const char*>(&word);
    __builtin_prefetch(from);
    __builtin_prefetch(from + sizeof(word) - 1);
  }
  static void prefetch(const Score* row, std::size_t size) {
    const char* const from = reinterpret_cast<const char*>(row);
    for (std::size_t k = 0; k < size * sizeof(Score); k += 64) __builtin_prefetch(from + k);
    __builtin_prefetch(from + size * sizeof(Score) - 1);
  }

  // Asks for what is needed to score a word: that which depends on the choices before, that which does not, or both.
  template <Look kLook>
  void ask(Lane& lane, bool without_history, bool with_history) {
    const Walk& at = lane.at;
    const auto [first, last] = range(at.group);
    const std::size_t size = padded(last - first);
    lane.asked = lane.found = 0;
    lane.features.clear();
    const auto want = [&](Key key, Part part, int offset) {
      sums_of_.ask(key);
      lane.keys[lane.asked] = key;
      lane.parts[lane.asked] = part;
      lane.offsets[lane.asked++] = offset;
    };
    if (without_history) {
      const int window = window_of(kLook);
      for (int offset = -window; offset <= window; ++offset)
        if (one_group()) {
          const std::size_t row = sums_of_word(at, offset);
          lane.rows[lane.found++] = row;
          prefetch(&sums_[row], size);
        } else if (offset != 0) {  // else it is in Part::word
          want(place_key(number(at, at.i + offset), at.group, offset + 2), Part::rest, offset);
        }
    }
    const auto of_part = [&]<Part part>(std::integral_constant<Part, part>) {
      if constexpr (has_part(kLook, part)) {
        if (!(asks_history(kLook, part) ? with_history : without_history)) return;
        if constexpr (part == Part::rest) {
          add_part_keys(kLook, part, at.view, at.i, at.t1, at.t2, lane.features);
          tagger_.weights_.ask(lane.features);
        } else {
          Key key = mix_key(part_key(kLook, part, at.view, at.i, at.t1, at.t2), static_cast<Key>(at.group) + 1);
          if (part == Part::word || part == Part::choice) key = mix_key(key, number(at, at.i));
          want(key, part, 0);
        }
      }
    };
    of_part(std::integral_constant<Part, Part::word>());
    of_part(std::integral_constant<Part, Part::after>());
    of_part(std::integral_constant<Part, Part::history>());
    of_part(std::integral_constant<Part, Part::choice>());
    of_part(std::integral_constant<Part, Part::rest>());
  }
  // Where it is; what was never asked for is summed up now.
  void find(Lane& lane) {
    const Walk& at = lane.at;
    const auto [first, last] = range(at.group);
    const std::size_t size = padded(last - first);
    for (std::size_t k = 0; k < lane.asked; ++k) {
      std::uint32_t row = sums_of_.find(lane.keys[k]);
      if (row == KeyTable::kNone) {
        row = static_cast<std::uint32_t>(sums_.size());
        keys_.clear();
        if (lane.offsets[k] != 0 || (lane.parts[k] == Part::word && !one_group()))
          add_word_keys(look_, at.view.word(at.i + lane.offsets[k]), lane.offsets[k], keys_);
        if (lane.offsets[k] == 0) add_part_keys(look_, lane.parts[k], at.view, at.i, at.t1, at.t2, keys_);
        keep(first, size);
        sums_of_.add(lane.keys[k], row);
      }
      lane.rows[lane.found++] = row;
      prefetch(&sums_[row], size);
    }
    tagger_.weights_.find(lane.features, lane.scores);
  }
  // Adds it up.
  void add(Lane& lane, std::vector<Score>& out) {
    const auto add_row = [&out](const Score* row) {
      for (std::size_t c = 0; c < out.size(); c += kUnit)
        for (std::size_t k = 0; k < kUnit; ++k) out[c + k] += row[c + k];
    };
    for (std::size_t k = 0; k < lane.found; ++k) add_row(&sums_[lane.rows[k]]);
    if (lane.scores.empty()) return;
    tagger_.weights_.sum(lane.scores);
    add_row(lane.scores.of_class.data() + range(lane.at.group).first);
  }
  void start(const Lane& lane, std::vector<Score>& out) const {
    const auto [first, last] = range(lane.at.group);
    out.assign(padded(last - first), 0);
  }

  int only(const Walk& at) {
    if (at.group < 0) return kNoChoice;
    const auto [first, last] = range(at.group);
    if (first == last) return kNoChoice;
    if (last - first == 1) return first;
    const int found = fixed(at);
    return found >= first && found < last ? found : kSeveral;
  }
  // The class that the word always has in this group, or -1. A word is mostly in the group that it was in before.
  int fixed(const Walk& at) {
    if (tagger_.dictionary_.forms.empty()) return -1;
    const std::uint32_t word = number(at, at.i);
    if (fixed_.size() <= word) fixed_.resize(2 * std::size_t{word} + 1);
    Fixed& known = fixed_[word];
    if (known.group != at.group) {
      const SeenWord& seen = at.view.word(at.i);
      known = {at.group, one_group() ? seen.fixed : tagger_.fixed(seen, at.group)};
    }
    return known.choice;
  }

  int greatest_allowed(int first, int last, std::size_t word, Veto veto) const {
    int choice = kNoChoice;
    for (int c = first; c < last; ++c) {
      const auto place = static_cast<std::size_t>(c - first);
      if (choice >= 0 && total_[place] <= total_[static_cast<std::size_t>(choice - first)]) continue;
      if (!veto(word, c)) choice = c;
    }
    return choice;
  }

  template <Look kLook>
  void choose(const TagSequence& words, std::span<const Stretch> sentences, std::span<int> classes, Veto veto) {
    constexpr bool independent = !asks_history(kLook, Part::rest);
    Walk shared;
    std::size_t next = 0;  // sentence
    const auto go_on = [](Walk& walk, int choice) {
      walk.t2 = walk.t1;
      walk.t1 = choice;
      ++walk.i;
    };
    // To the next word that has to be scored; false if there is none.
    const auto advance = [&](Lane& lane) {
      Walk& walk = *lane.walk;
      while (true) {
        for (; walk.i < walk.view.size();) {
          const std::size_t word = walk.base + static_cast<std::size_t>(walk.i);
          walk.group = words.group(word);
          const int choice = only(walk);
          if (choice == kSeveral || (choice >= 0 && veto(word, choice))) {
            prefetch(walk.view.word(walk.i));
            prefetch(walk.view.word(walk.i + 1));
            lane.at = walk;
            if (independent) ++walk.i;
            return true;
          }
          classes[word] = choice;
          go_on(walk, choice);
        }
        if (next == sentences.size()) return false;
        enter(words, sentences[next++], walk);
      }
    };
    std::array<Lane*, kLanes> lanes;
    std::size_t active = 0;
    while (active < kLanes) {
      Lane& lane = lanes_[active];
      lane.own = {};
      lane.walk = independent ? &shared : &lane.own;
      if (!advance(lane)) break;
      lanes[active++] = &lane;
    }
    while (active > 0) {
      for (std::size_t l = 0; l < active; ++l) ask<kLook>(*lanes[l], true, true);
      for (std::size_t l = 0; l < active; ++l) find(*lanes[l]);
      for (std::size_t l = 0; l < active; ++l) {
        Lane& lane = *lanes[l];
        start(lane, total_);
        add(lane, total_);
        const auto [first, last] = range(lane.at.group);
        const std::size_t word = lane.at.base + static_cast<std::size_t>(lane.at.i);
        const int choice = veto.forbidden == nullptr ? first + first_greatest(total_.data(), 0, last - first)
                                                     : greatest_allowed(first, last, word, veto);
        classes[word] = choice;
        if (!independent) go_on(lane.own, choice);
      }
      for (std::size_t l = 0; l < active;) {
        if (advance(*lanes[l]))
          ++l;
        else
          lanes[l] = lanes[--active];
      }
    }
  }

  template <Look kLook>
  void search(const TagSequence& words, const Stretch& sentence, std::span<int> classes, Veto veto) {
    if (sentence.size == 0) return;
    Lane& lane = lanes_[0];
    enter(words, sentence, lane.at);
    for (std::size_t i = 0; i < sentence.size; ++i) {
      const std::size_t word = sentence.first + i;
      lane.at.i = static_cast<int>(i);
      lane.at.group = words.group(word);
      const int fixed = only(lane.at);
      const auto [first, last] = lane.at.group < 0 ? std::pair{0, 0} : range(lane.at.group);
      if (first < last) {
        start(lane, local_);
        ask<kLook>(lane, true, false);
        find(lane);
        add(lane, local_);
      }
      beam_.step(
          i, first, last, tagger_.shape_.beam, -1,
          [&](int t1, int t2) {
            lane.at.t1 = t1;
            lane.at.t2 = t2;
            total_ = local_;
            ask<kLook>(lane, false, true);
            find(lane);
            add(lane, total_);
            return total_.data();
          },
          [&](int c) { return (fixed < 0 || c == fixed) && !veto(word, c); });
      if (beam_.items(i).empty())  // all was forbidden
        beam_.step(
            i, 0, 0, tagger_.shape_.beam, -1, [](int, int) { return static_cast<const Score*>(nullptr); },
            [](int) { return true; });
    }
    beam_.best(sentence.size - 1, classes.subspan(sentence.first, sentence.size));
  }

  const Tagger& tagger_;
  const Look look_;
  SeenWord nothing_;
  // Of words, by number.
  std::vector<SeenWord> known_;
  std::vector<std::uint8_t> is_known_;
  std::vector<Fixed> fixed_;
  std::vector<std::uint32_t> word_sums_;
  KeyTable place_, sums_of_;
  HugeVector<Score> sums_;
  std::vector<std::uint32_t> numbers_;  // of the words that are tagged
  std::vector<const SeenWord*> seen_;
  std::array<Lane, kLanes> lanes_;
  std::vector<Score> local_, total_;
  std::vector<Key> keys_;
  Scores scores_;
  BeamSearch<std::int64_t> beam_;
};

Tagger::Tagger(TaggerShape shape, TagDictionary dictionary, Weights weights)
    : shape_(std::move(shape)), dictionary_(std::move(dictionary)), weights_(std::move(weights)) {
  const std::size_t size = dictionary_.forms.size();
  if (shape_.groups.size() < 2 || shape_.groups.front() != 0 || !std::ranges::is_sorted(shape_.groups))
    throw ModelFormatError("the classes of a tagger do not fit together");
  if (shape_.beam < 1 || shape_.beam > kWidestBeam)
    throw ConfigError("a beam keeps 1 to " + std::to_string(kWidestBeam) + " histories");
  if (dictionary_.ambiguity.size() != size || dictionary_.fixed.size() != size)
    throw ModelFormatError("the dictionary of a tagger does not fit together");
  for (std::size_t i = 0; i < size; ++i) {
    if (dictionary_.fixed[i] < -1 || dictionary_.fixed[i] >= shape_.classes())
      throw ModelFormatError("a word of the tagger's dictionary has a tag that is none");
    place_.emplace(dictionary_.forms[i], static_cast<std::uint32_t>(i));
  }
}

Tagger::~Tagger() = default;

SeenWord Tagger::seen(std::string_view form) const {
  SeenWord word;
  word.view = view_word(form);
  if (const auto found = place_.find(word.view.form); found != place_.end()) {
    word.ambiguity = dictionary_.ambiguity[found->second];
    word.fixed = dictionary_.fixed[found->second];
  }
  return word;
}

Tagger::Lease::Lease(const Tagger& tagger, std::unique_ptr<Worker> worker)
    : tagger_(&tagger), worker_(std::move(worker)) {}
Tagger::Lease::Lease(Lease&&) noexcept = default;
Tagger::Lease::~Lease() {
  if (worker_ == nullptr) return;
  const std::lock_guard lock(tagger_->mutex_);
  tagger_->idle_.push_back(std::move(worker_));
}
void Tagger::Lease::tag(const TagSequence& words, std::span<const Stretch> sentences, std::span<int> classes,
                        Veto veto) const {
  worker_->tag(words, sentences, classes, veto);
}
void Tagger::Lease::forget() const { worker_->forget(); }

Tagger::Lease Tagger::lease() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto worker = std::move(idle_.back());
      idle_.pop_back();
      worker->forget();  // the next one counts words anew
      return {*this, std::move(worker)};
    }
  }
  return {*this, std::make_unique<Worker>(*this)};
}

}  // namespace dynarc
