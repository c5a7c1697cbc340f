// Two documents compared: by the rules of the CoNLL 2018 shared task, or word by word.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "score/counts.hpp"

namespace dynarc::score {

using Outcome = std::variant<Evaluation, Refusal>;

// Which gold words are scored when the words are the same on both sides.
enum class Scored : std::uint8_t {
  all,
  not_punct_label,  // DEPREL is not punct or p
  not_punct_form,   // FORM is not all punctuation
  not_punct_tag     // the tag is none of `` '' , . :
};

// Gold and system, with the numbers of their FORMs, which Python is asked about.
class Pair {
 public:
  Pair(const Document& gold, const Document& system) : gold_(gold), system_(system) {}
  Pair(const Pair&) = delete;  // the numbering refers to texts of these documents

  // The distinct FORMs of words and multiword tokens.
  const Numbering& forms();

  // All metrics of the shared task, subtypes of labels cut off. The tables are in the order of forms().
  Outcome official(const FormTable& table);
  // Labels are compared whole. `punctuation`, in the order of forms(), is read by not_punct_form only.
  Outcome same_words(Scored scored, const std::vector<bool>& punctuation);

 private:
  Document gold_, system_;
  Numbering forms_;
  std::vector<Number> gold_forms_, system_forms_;  // by row
  bool numbered_ = false;
};

}  // namespace dynarc::score
