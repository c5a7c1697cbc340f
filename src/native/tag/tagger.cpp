#include "tag/tagger.hpp"

#include <deque>
#include <string>

#include "base/error.hpp"

namespace dynarc {

namespace {

// A hash table from keys to numbers, which forgets everything when it is full.
class KeyTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  KeyTable() : slots_(std::size_t{1} << 12) {}

  std::uint32_t find(Key key) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = key & mask;; i = (i + 1) & mask) {
      if (slots_[i].value == kNone) return kNone;
      if (slots_[i].key == key) return slots_[i].value;
    }
  }
  void add(Key key, std::uint32_t value) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    put(key, value);
    ++used_;
  }
  void clear() {
    slots_.assign(std::size_t{1} << 12, {});
    used_ = 0;
  }

 private:
  struct Slot {
    Key key = 0;
    std::uint32_t value = kNone;
  };
  void put(Key key, std::uint32_t value) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = key & mask;
    while (slots_[i].value != kNone) i = (i + 1) & mask;
    slots_[i] = {key, value};
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.value != kNone) put(slot.key, slot.value);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

constexpr int kWidestBeam = 10'000;
// Sums that a worker keeps, and words: some tens of megabytes.
constexpr std::size_t kMostSums = std::size_t{6} << 20;
constexpr std::size_t kMostWords = std::size_t{1} << 17;

}  // namespace

class Tagger::Worker {
 public:
  explicit Worker(const Tagger& tagger) : tagger_(tagger) { nothing_.view = view_nothing(); }

  void tag(const TagSequence& words, std::vector<int>& classes, Veto veto) {
    see(words);
    classes.resize(words.forms.size());
    if (tagger_.shape_.beam > 1)
      search(words, classes, veto);
    else
      choose(words, classes, veto);
  }

 private:
  void see(const TagSequence& words) {
    if (known_.size() + words.forms.size() > kMostWords || sums_.size() > kMostSums) {
      known_.clear();
      place_.clear();
      sums_.clear();
      sums_of_.clear();
      word_sums_.clear();
    }
    seen_.clear();
    numbers_.clear();
    for (std::size_t i = 0; i < words.forms.size(); ++i) {
      const std::string_view form = words.forms[i];
      const Key key = words.keys.empty() ? text_key(form) : words.keys[i];
      std::uint32_t at = place_.find(key);
      if (at == KeyTable::kNone) {
        at = static_cast<std::uint32_t>(known_.size());
        known_.push_back(tagger_.seen(form));
        place_.add(key, at);
      }
      numbers_.push_back(at);
    }
    for (const std::uint32_t number : numbers_) seen_.push_back(&known_[number]);
    view_.set(seen_, words.given, nothing_);
  }

  // Of a word, a group and one of eight things to know of them.
  static Key place_key(Key number, int group, int what) {
    const Key key = (number * 8 + static_cast<Key>(what) + (static_cast<Key>(group) << 40)) * 0x9E3779B97F4A7C15u;
    return key ^ key >> 32;
  }

  // With one group, those of all offsets are beside each other: a word that was tagged is the next one's neighbour.
  std::size_t sums_of_word(std::size_t number, int i, int offset) {
    constexpr std::size_t kNone = ~std::size_t{0};
    const int window = window_of(tagger_.shape_.look);
    const auto classes = static_cast<std::size_t>(tagger_.shape_.classes());
    if (word_sums_.size() <= number) word_sums_.resize(2 * number + 1, kNone);
    if (word_sums_[number] == kNone) {
      word_sums_[number] = sums_.size();
      for (int k = -window; k <= window; ++k) {
        keys_.clear();
        add_word_keys(tagger_.shape_.look, view_.word(i), k, keys_);
        tagger_.weights_.score(keys_, scores_);
        sums_.insert(sums_.end(), scores_.of_class.begin(), scores_.of_class.begin() + static_cast<int>(classes));
      }
    }
    return word_sums_[number] + static_cast<std::size_t>(offset + window) * classes;
  }

  // Where the sums of what one word says of the classes of a group are.
  std::size_t sums(int i, int offset, int group) {
    const bool there = i >= 0 && i < view_.size();
    if (tagger_.shape_.groups.size() == 2)
      return sums_of_word(there ? numbers_[static_cast<std::size_t>(i)] + 1 : 0, i, offset);
    const Key number = there ? numbers_[static_cast<std::size_t>(i)] + 1 : 0;
    const Key place = place_key(number, group, offset + 2);
    const std::uint32_t found = sums_of_.find(place);
    if (found != KeyTable::kNone) return found;
    const std::size_t at = sums_.size();
    const auto [first, last] = range(group);
    keys_.clear();
    add_word_keys(tagger_.shape_.look, view_.word(i), offset, keys_);
    tagger_.weights_.score(keys_, scores_);
    sums_.insert(sums_.end(), scores_.of_class.begin() + first, scores_.of_class.begin() + last);
    sums_of_.add(place, static_cast<std::uint32_t>(at));
    return at;
  }

  std::pair<int, int> range(int group) const {
    const auto g = static_cast<std::size_t>(group);
    return {tagger_.shape_.groups[g], tagger_.shape_.groups[g + 1]};
  }

  // What the words alone say, into `local_`.
  void add_words(int i, int group) {
    const auto [first, last] = range(group);
    const int window = window_of(tagger_.shape_.look);
    const auto size = static_cast<std::size_t>(last - first);
    local_.assign(size, 0);
    for (int offset = -window; offset <= window; ++offset) {
      const std::size_t at = sums(i + offset, offset, group);
      const Score* const row = &sums_[at];
      for (std::size_t c = 0; c < size; ++c) local_[c] += row[c];
    }
  }
  // And what the context says besides, into `total_`.
  const Score* add_context(int i, int group, int t1, int t2) {
    const auto [first, last] = range(group);
    keys_.clear();
    add_context_keys(tagger_.shape_.look, view_, i, t1, t2, keys_);
    tagger_.weights_.score(keys_, scores_);
    const Score* const found = scores_.of_class.data() + first;
    total_.resize(local_.size());
    for (std::size_t c = 0; c < local_.size(); ++c) total_[c] = local_[c] + found[c];
    return total_.data();
  }

  int only(int i, int group) {
    if (group < 0) return kNoChoice;
    const auto [first, last] = range(group);
    if (first == last) return kNoChoice;
    if (last - first == 1) return first;
    const int found = tagger_.shape_.groups.size() == 2 ? view_.word(i).fixed : fixed(i, group);
    return found >= first && found < last ? found : kSeveral;
  }
  int fixed(int i, int group) {
    if (tagger_.dictionary_.forms.empty()) return -1;
    const Key key = place_key(numbers_[static_cast<std::size_t>(i)] + 1, group, 7);
    std::uint32_t found = sums_of_.find(key);
    if (found == KeyTable::kNone) {
      found = static_cast<std::uint32_t>(tagger_.fixed(view_.word(i), group) + 1);
      sums_of_.add(key, found);
    }
    return static_cast<int>(found) - 1;
  }

  void choose(const TagSequence& words, std::vector<int>& classes, Veto veto) {
    int t1 = -1, t2 = -1;
    for (int i = 0; i < view_.size(); ++i) {
      const auto word = static_cast<std::size_t>(i);
      const int group = words.group(word);
      int choice = only(i, group);
      if (choice == kSeveral || (choice >= 0 && veto(word, choice))) {
        const int first = range(group).first;
        add_words(i, group);
        const Score* const scores = add_context(i, group, t1, t2);
        choice = kNoChoice;
        for (std::size_t c = 0; c < local_.size(); ++c) {
          if (choice >= 0 && scores[c] <= scores[choice - first]) continue;
          if (!veto(word, first + static_cast<int>(c))) choice = first + static_cast<int>(c);
        }
      }
      classes[word] = choice;
      t2 = t1;
      t1 = choice;
    }
  }

  void search(const TagSequence& words, std::vector<int>& classes, Veto veto) {
    if (classes.empty()) return;
    for (int i = 0; i < view_.size(); ++i) {
      const auto word = static_cast<std::size_t>(i);
      const int group = words.group(word), fixed = only(i, group);
      auto [first, last] = group < 0 ? std::pair{0, 0} : range(group);
      if (first < last) add_words(i, group);
      beam_.step(
          word, first, last, tagger_.shape_.beam, -1, [&](int t1, int t2) { return add_context(i, group, t1, t2); },
          [&](int c) { return (fixed < 0 || c == fixed) && !veto(word, c); });
      if (beam_.items(word).empty())  // all was forbidden
        beam_.step(
            word, 0, 0, tagger_.shape_.beam, -1, [](int, int) { return static_cast<const Score*>(nullptr); },
            [](int) { return true; });
    }
    beam_.best(classes.size() - 1, classes);
  }

  static constexpr int kNoChoice = -1, kSeveral = -2;

  const Tagger& tagger_;
  SeenWord nothing_;
  std::deque<SeenWord> known_;  // which do not move
  KeyTable place_, sums_of_;
  std::vector<Score> sums_, local_, total_;
  std::vector<std::size_t> word_sums_;
  std::vector<const SeenWord*> seen_;
  std::vector<std::uint32_t> numbers_;
  TagView view_;
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
void Tagger::Lease::tag(const TagSequence& words, std::vector<int>& classes, Veto veto) const {
  worker_->tag(words, classes, veto);
}

Tagger::Lease Tagger::lease() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto worker = std::move(idle_.back());
      idle_.pop_back();
      return {*this, std::move(worker)};
    }
  }
  return {*this, std::make_unique<Worker>(*this)};
}

}  // namespace dynarc
