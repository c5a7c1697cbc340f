// What is counted: per sentence for every metric, per label, per distance of arcs, per length of sentences.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "score/alignment.hpp"
#include "score/words.hpp"

namespace dynarc::score {

// The first six are counted by every protocol, the rest where text may be cut differently (`ud`).
enum class Metric : std::uint8_t {
  uas,
  las,
  clas,
  label_accuracy,
  exact_match_unlabelled,
  exact_match,
  tokens,
  sentences,
  words,
  upos,
  xpos,
  ufeats,
  all_tags,
  lemmas,
  mlas,
  blex,
  elas,
  eulas
};
inline constexpr std::size_t kMetrics = 18;
inline constexpr std::size_t kTreeMetrics = 6;
inline constexpr std::string_view kMetricNames[kMetrics] = {
    "UAS",         "LAS",    "CLAS",      "label accuracy", "exact match unlabelled",
    "exact match", "Tokens", "Sentences", "Words",          "UPOS",
    "XPOS",        "UFeats", "AllTags",   "Lemmas",         "MLAS",
    "BLEX",        "ELAS",   "EULAS"};

struct Tally {
  std::int32_t correct = 0, gold = 0, system = 0;
};

// One tally per gold sentence and metric. Words of the system are counted in the sentence of the gold word they are
// aligned with; what only the system has, in the gold sentence where it begins.
class Table {
 public:
  Table(std::size_t sentences, std::size_t metrics) : metrics_(metrics), tallies_(sentences * metrics) {}
  Tally& at(std::size_t sentence, Metric metric) {
    return tallies_[sentence * metrics_ + static_cast<std::size_t>(metric)];
  }
  std::size_t metrics() const { return metrics_; }
  const std::vector<Tally>& tallies() const { return tallies_; }

 private:
  std::size_t metrics_;
  std::vector<Tally> tallies_;
};

struct LabelTally {
  std::string label;
  std::int64_t gold = 0, system = 0;  // words that have it
  std::int64_t heads = 0;             // gold words that have it, with the right head
  std::int64_t labels = 0;            // ... with the right label
  std::int64_t correct = 0;           // ... with both
};

// Words in a range of distances or lengths: all that were scored, those with the right head, those with the right
// label too.
struct BinTally {
  std::int32_t from = 0, to = 0;  // both inclusive; 0 as a distance is ROOT
  std::int64_t words = 0, heads = 0, correct = 0;
  std::int64_t sentences = 0, exact = 0;  // lengths only
};
inline constexpr std::int32_t kNoLimit = std::numeric_limits<std::int32_t>::max();
inline constexpr std::array<std::int32_t, 5> kDistances = {0, 1, 2, 3, 7};
inline constexpr std::array<std::int32_t, 6> kLengths = {1, 11, 21, 31, 41, 51};

// How far a column of the system is the gold one, over the aligned words, as text.
struct ColumnTally {
  Column column;
  std::int64_t equal = 0, words = 0;
};

struct Evaluation {
  std::vector<std::string> metrics;
  Table table{0, 0};
  std::vector<LabelTally> labels;  // of words that were scored, in order of first sight
  std::vector<BinTally> distances, lengths;
  std::vector<ColumnTally> columns;
  std::int64_t words = 0, system_words = 0;  // scored
  std::int64_t punctuation = 0;              // gold words left out by the protocol
  std::int64_t unknown_heads = 0;            // gold words left out because nobody knows their head
  std::int64_t unattached = 0;               // scored words to which the system gives no head
  std::int64_t aligned = 0, aligned_content = 0;
  std::vector<std::uint8_t> scored;  // of each gold word, whether it was scored
  bool tags_from_xpos = false;       // `ptb` only
  std::uint64_t bad_deps_line = 0;   // `ud` only: where DEPS cannot be read, so that ELAS and EULAS are not counted
  bool bad_deps_in_system = false;
};

struct TreeInput {
  const Words& gold;
  const Words& system;
  const Alignment& alignment;
  const std::vector<Number>& gold_label;
  const std::vector<Number>& system_label;
  const Numbering& labels;
  const std::vector<std::uint8_t>& scored;  // of each gold word
  const std::vector<std::uint32_t>& home;   // of each system word: the gold sentence it is counted in
};

// The head of a system word as a gold word; kRootWord stays what it is.
inline Word head_in_gold(const Words& system, const Alignment& alignment, Word word) {
  const Word head = system.head[static_cast<std::size_t>(word)];
  return head < 0 ? head : alignment.to_gold[static_cast<std::size_t>(head)];
}

// The six metrics of trees, labels, distances and lengths.
void count_trees(const TreeInput& input, Evaluation& out);

// Whether FEATS etc. of the system are those of the gold standard.
void count_columns(const Words& gold, const Words& system, const Alignment& alignment, Evaluation& out);

}  // namespace dynarc::score
