#include "score/words.hpp"

#include <algorithm>
#include <array>

namespace dynarc::score {

namespace {

// In order of their bytes, for the search. CoNLL 2018 shared task,
// https://universaldependencies.org/conll18/evaluation.html
constexpr std::array<std::string_view, 29> kContent = {
    "acl",       "advcl",      "advmod", "amod",   "appos",     "ccomp",      "compound", "conj",     "csubj", "dep",
    "discourse", "dislocated", "expl",   "fixed",  "flat",      "goeswith",   "iobj",     "list",     "nmod",  "nsubj",
    "nummod",    "obj",        "obl",    "orphan", "parataxis", "reparandum", "root",     "vocative", "xcomp"};
constexpr std::array<std::string_view, 7> kFunctional = {"aux", "case", "cc", "clf", "cop", "det", "mark"};
constexpr std::array<std::string_view, 21> kUniversalFeatures = {
    "Abbr",    "Animacy", "Aspect",   "Case",    "Definite", "Degree",   "Evident",
    "Foreign", "Gender",  "Mood",     "NumType", "Number",   "Person",   "Polarity",
    "Polite",  "Poss",    "PronType", "Reflex",  "Tense",    "VerbForm", "Voice"};
static_assert(std::ranges::is_sorted(kContent) && std::ranges::is_sorted(kFunctional) &&
              std::ranges::is_sorted(kUniversalFeatures));

}  // namespace

Words::Words(const Document& d) : document(&d) {
  row.reserve(d.words());
  sentence.reserve(d.words());
  head.reserve(d.words());
  for (std::size_t i = 0; i < d.sentences(); ++i) {
    const auto start = static_cast<Word>(row.size());
    first.push_back(start);
    for (std::size_t r = d.first_row(i); r < d.last_row(i); ++r) {
      if (d.kind(r) != RowKind::word) continue;
      const Node h = d.head(r);
      row.push_back(r);
      sentence.push_back(static_cast<std::uint32_t>(i));
      head.push_back(h == kNone ? kUnknownHead : h == kRoot ? kRootWord : start + h - 1);
    }
  }
  first.push_back(static_cast<Word>(row.size()));
}

std::vector<Number> Words::numbers(Column column, Numbering& numbering) const {
  std::vector<Number> out;
  out.reserve(row.size());
  for (const std::size_t r : row) out.push_back(numbering.of(document->cell(r, column)));
  return out;
}

std::vector<Number> label_numbers(const Words& words, bool whole, Numbering& numbering) {
  if (whole) return words.numbers(Column::deprel, numbering);
  std::vector<Number> out;
  out.reserve(words.row.size());
  for (const std::size_t r : words.row)
    out.push_back(numbering.of(base_label(words.document->cell(r, Column::deprel))));
  return out;
}

bool is_content(std::string_view base) { return std::ranges::binary_search(kContent, base); }
bool is_functional(std::string_view base) { return std::ranges::binary_search(kFunctional, base); }

std::string universal_features(std::string_view feats) {
  std::vector<std::string_view> kept;
  for (std::size_t from = 0; from <= feats.size();) {
    const std::size_t to = std::min(feats.find('|', from), feats.size());
    const std::string_view feature = feats.substr(from, to - from);
    if (std::ranges::binary_search(kUniversalFeatures, feature.substr(0, feature.find('=')))) kept.push_back(feature);
    from = to + 1;
  }
  std::ranges::sort(kept);
  std::string out;
  for (const std::string_view feature : kept) (out += feature) += '|';
  return out;
}

}  // namespace dynarc::score
