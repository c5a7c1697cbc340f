// The words of a document in one row, as scorers walk over them: where each stands, its head, its columns as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "score/numbering.hpp"
#include "treebank/document.hpp"

namespace dynarc::score {

using Word = std::int32_t;  // counted through the whole document, from 0
inline constexpr Word kRootWord = -1;
inline constexpr Word kUnknownHead = -2;
inline constexpr Word kUnaligned = -3;

struct Words {
  explicit Words(const Document& document);

  Word size() const { return static_cast<Word>(row.size()); }
  std::size_t sentences() const { return first.size() - 1; }

  const Document* document;
  std::vector<std::size_t> row;         // of each word
  std::vector<std::uint32_t> sentence;  // of each word
  std::vector<Word> head;               // of each word: a word, kRootWord or kUnknownHead
  std::vector<Word> first;              // of each sentence; at the end, the number of words

  std::vector<Number> numbers(Column column, Numbering& numbering) const;
};

// A label without its subtype: what stands before the first colon.
inline std::string_view base_label(std::string_view label) { return label.substr(0, label.find(':')); }

// DEPREL of each word, whole or without subtypes.
std::vector<Number> label_numbers(const Words& words, bool whole, Numbering& numbering);

// The relations of content words, and of function words, as the shared task of 2018 lists them. Takes base labels.
bool is_content(std::string_view base);
bool is_functional(std::string_view base);

// FEATS reduced to the universal features, in order of their text.
std::string universal_features(std::string_view feats);

// Why two documents cannot be compared, or not in this way. The message is made in Python.
struct Refusal {
  enum class Kind : std::uint8_t {
    empty,         // no sentence
    roots,         // not exactly one root: `number` says how many
    unknown_head,  //
    cycle,         //
    no_form,       // a token without any character
    text,          // the characters differ
    word,          // the words differ
    length,        // one sentence goes on where the other ends
    sentences,     // one document goes on where the other ends
    span,          // a multiword span too long to be aligned
  };
  Kind kind;
  bool in_system = false;    // which document is at fault, or goes on
  std::size_t sentence = 0;  // number of the sentence in that document, or in the gold one, from 0
  std::uint64_t gold_line = 0, system_line = 0;
  std::size_t number = 0;
  std::string gold_text{}, system_text{};
};

}  // namespace dynarc::score
