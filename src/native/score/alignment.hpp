// Which word of a system is which word of the gold standard, when both cut the same text in their own way. The rules
// are those of the CoNLL 2018 shared task: https://universaldependencies.org/conll18/evaluation.html
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "score/words.hpp"

namespace dynarc::score {

// Part of the text, in bytes. Two documents of one text may compare them.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

// What Python's Unicode tables say of each distinct FORM.
struct FormTable {
  std::vector<std::string> bare;     // without the spaces (category Zs) in it
  std::vector<Number> lowered;       // equal numbers: the same but for upper and lower case
  std::vector<Number> bare_lowered;  // the same of `bare`
};

// A document as a text without spaces, cut into tokens: words, or the ranges of words that were written as one.
struct Tokens {
  // `forms` are the numbers of FORM by row. A token without characters is refused: `empty_row` is where.
  Tokens(const Words& words, std::span<const Number> forms, const FormTable& table);

  std::string text;
  std::vector<Span> token;
  std::vector<std::size_t> row;  // of each token
  std::vector<Span> sentence;
  std::vector<Span> word;            // the token that each word belongs to
  std::vector<std::uint8_t> inside;  // the word shares its token with others, or could
  std::vector<Number> folded;        // of each word: what LCS compares
  std::optional<std::size_t> empty_row;
};

struct Alignment {
  std::vector<Word> to_gold;    // of each word of the system, or kUnaligned
  std::vector<Word> to_system;  // of each gold word, or kUnaligned
  std::size_t pairs = 0;
  bool too_long = false;  // a multiword span was beyond what memory holds
};

Alignment align(const Tokens& gold, const Tokens& system);
// Of documents with the same words.
Alignment align_same(Word words);

// How many spans both have.
template <class Visit>  // called with (gold index, system index) of each
void each_common(std::span<const Span> gold, std::span<const Span> system, Visit&& visit) {
  for (std::size_t g = 0, s = 0; g < gold.size() && s < system.size();) {
    if (gold[g] == system[s]) visit(g, s);
    const std::uint64_t at = gold[g].begin;
    if (at <= system[s].begin) ++g;
    if (system[s].begin <= at) ++s;
  }
}

}  // namespace dynarc::score
