// The protocols for documents with the same words.
#include <algorithm>
#include <optional>
#include <utility>

#include "score/protocols.hpp"

namespace dynarc::score {

namespace {

std::uint64_t line(const Words& words, Word word) {
  return words.document->line_of(words.row[static_cast<std::size_t>(word)]);
}
std::string form(const Words& words, Word word) {
  return std::string(words.document->cell(words.row[static_cast<std::size_t>(word)], Column::form));
}

std::optional<Refusal> first_difference(const Words& gold, const Words& system) {
  const std::size_t common = std::min(gold.sentences(), system.sentences());
  for (std::size_t s = 0; s < common; ++s) {
    Word g = gold.first[s], t = system.first[s];
    const Word g_end = gold.first[s + 1], t_end = system.first[s + 1];
    for (; g < g_end && t < t_end; ++g, ++t) {
      if (gold.document->cell(gold.row[static_cast<std::size_t>(g)], Column::form) ==
          system.document->cell(system.row[static_cast<std::size_t>(t)], Column::form))
        continue;
      Refusal r{Refusal::Kind::word};
      r.sentence = s;
      r.gold_line = line(gold, g);
      r.system_line = line(system, t);
      r.number = static_cast<std::size_t>(g - gold.first[s]) + 1;
      r.gold_text = form(gold, g);
      r.system_text = form(system, t);
      return r;
    }
    if (g == g_end && t == t_end) continue;
    Refusal r{Refusal::Kind::length};
    r.in_system = t != t_end;
    r.sentence = s;
    r.gold_line = gold.document->sentence(s).line;
    r.system_line = system.document->sentence(s).line;
    r.number = static_cast<std::size_t>(std::min(g_end - gold.first[s], t_end - system.first[s]));
    (r.in_system ? r.system_text : r.gold_text) = r.in_system ? form(system, t) : form(gold, g);
    return r;
  }
  if (gold.sentences() == system.sentences()) return std::nullopt;
  Refusal r{Refusal::Kind::sentences};
  r.in_system = system.sentences() > common;
  r.sentence = common;
  (r.in_system ? r.system_line : r.gold_line) = (r.in_system ? system : gold).document->sentence(common).line;
  r.number = std::max(gold.sentences(), system.sentences()) - common;
  return r;
}

bool is_punctuation_tag(std::string_view tag) {
  return tag == "``" || tag == "''" || tag == "," || tag == "." || tag == ":";
}

bool filled(const Words& words, Column column) {
  return std::ranges::any_of(words.row, [&](std::size_t r) {
    const std::string_view cell = words.document->cell(r, column);
    return cell != "_" && !cell.empty();
  });
}

}  // namespace

const Numbering& Pair::forms() {
  if (numbered_) return forms_;
  const auto number = [this](const Document& d, std::vector<Number>& out) {
    out.reserve(d.rows());
    for (std::size_t r = 0; r < d.rows(); ++r)
      out.push_back(d.kind(r) == RowKind::empty ? 0 : forms_.of(d.cell(r, Column::form)));
  };
  number(gold_, gold_forms_);
  number(system_, system_forms_);
  numbered_ = true;
  return forms_;
}

Outcome Pair::same_words(Scored scored, const std::vector<bool>& punctuation) {
  const Words gold(gold_), system(system_);
  if (gold.size() == 0 || system.size() == 0) return Refusal{Refusal::Kind::empty, gold.size() != 0};
  if (auto refusal = first_difference(gold, system)) return *std::move(refusal);

  Evaluation out;
  out.metrics.assign(kMetricNames, kMetricNames + kTreeMetrics);
  out.table = Table(gold.sentences(), kTreeMetrics);
  const bool xpos = scored == Scored::not_punct_tag && filled(gold, Column::xpos);
  out.tags_from_xpos = xpos;
  const auto left_out = [&](std::size_t w) -> bool {
    const std::size_t r = gold.row[w];
    switch (scored) {
      case Scored::all: return false;
      case Scored::not_punct_label: {
        const std::string_view base = base_label(gold_.cell(r, Column::deprel));
        return base == "punct" || base == "p";
      }
      case Scored::not_punct_form: return punctuation[gold_forms_[r]];
      case Scored::not_punct_tag: return is_punctuation_tag(gold_.cell(r, xpos ? Column::xpos : Column::upos));
    }
    return false;
  };
  if (scored == Scored::not_punct_form) forms();
  std::vector<std::uint8_t> counted(gold.row.size());
  for (std::size_t w = 0; w < counted.size(); ++w) {
    const bool punctuation_mark = left_out(w);
    const bool unknown = gold.head[w] == kUnknownHead;
    counted[w] = !punctuation_mark && !unknown;
    out.punctuation += punctuation_mark;
    out.unknown_heads += unknown && !punctuation_mark;
  }

  Numbering labels;
  const std::vector<Number> gold_label = label_numbers(gold, true, labels);
  const std::vector<Number> system_label = label_numbers(system, true, labels);
  const Alignment alignment = align_same(gold.size());
  count_trees({gold, system, alignment, gold_label, system_label, labels, counted, gold.sentence}, out);
  count_columns(gold, system, alignment, out);
  out.scored = std::move(counted);
  return out;
}

}  // namespace dynarc::score
