#include "score/counts.hpp"

#include <algorithm>
#include <cstdlib>

namespace dynarc::score {

namespace {

template <std::size_t N>
std::vector<BinTally> bins(const std::array<std::int32_t, N>& from) {
  std::vector<BinTally> out(N);
  for (std::size_t i = 0; i < N; ++i) {
    out[i].from = from[i];
    out[i].to = i + 1 < N ? from[i + 1] - 1 : kNoLimit;
  }
  return out;
}

BinTally& bin_of(std::vector<BinTally>& bins, std::int32_t value) {
  const auto after = std::ranges::upper_bound(bins, value, {}, &BinTally::from);
  return *(after - 1);
}

}  // namespace

void count_trees(const TreeInput& in, Evaluation& out) {
  const auto system_words = static_cast<std::size_t>(in.system.size());
  out.distances = bins(kDistances);
  out.lengths = bins(kLengths);
  out.labels.resize(in.labels.size());
  std::vector<std::uint8_t> content(in.labels.size());
  for (std::size_t i = 0; i < in.labels.size(); ++i) {
    const std::string_view label = in.labels.text(static_cast<Number>(i));
    out.labels[i].label = label;
    content[i] = is_content(base_label(label));
  }

  std::vector<std::int32_t> in_system(in.gold.sentences());  // words of the system, by gold sentence
  for (std::size_t w = 0; w < system_words; ++w) {
    const Word gold = in.alignment.to_gold[w];
    if (gold != kUnaligned && !in.scored[static_cast<std::size_t>(gold)]) continue;
    const std::size_t s = in.home[w];
    const Number label = in.system_label[w];
    ++in_system[s];
    ++out.system_words;
    ++out.labels[label].system;
    out.table.at(s, Metric::clas).system += content[label];
  }

  for (std::size_t s = 0; s < in.gold.sentences(); ++s) {
    Tally tree;  // of the sentence: right heads, right heads with their labels, scored words
    std::int32_t both = 0, labels = 0;
    BinTally& length = bin_of(out.lengths, in.gold.first[s + 1] - in.gold.first[s]);
    for (auto w = static_cast<std::size_t>(in.gold.first[s]); w < static_cast<std::size_t>(in.gold.first[s + 1]); ++w) {
      if (!in.scored[w]) continue;
      const Number label = in.gold_label[w];
      const Word head = in.gold.head[w], twin = in.alignment.to_system[w];
      const bool aligned = twin != kUnaligned;
      const Word found = aligned ? head_in_gold(in.system, in.alignment, twin) : kUnaligned;
      const bool head_right = aligned && found == head;
      const bool label_right = aligned && in.system_label[static_cast<std::size_t>(twin)] == label;
      const bool right = head_right && label_right;
      ++tree.gold;
      tree.correct += head_right;
      labels += label_right;
      both += right;
      out.unattached += found == kUnknownHead;
      if (content[label]) {
        Tally& clas = out.table.at(s, Metric::clas);
        ++clas.gold;
        clas.correct += right;
        out.aligned_content += aligned;
      }
      out.aligned += aligned;
      LabelTally& of_label = out.labels[label];
      ++of_label.gold;
      of_label.heads += head_right;
      of_label.labels += label_right;
      of_label.correct += right;
      BinTally& distance = bin_of(out.distances, head == kRootWord ? 0 : std::abs(head - static_cast<std::int32_t>(w)));
      ++distance.words;
      distance.heads += head_right;
      distance.correct += right;
    }
    tree.system = in_system[s];
    out.words += tree.gold;
    out.table.at(s, Metric::uas) = tree;
    out.table.at(s, Metric::las) = {both, tree.gold, tree.system};
    out.table.at(s, Metric::label_accuracy) = {labels, tree.gold, tree.system};
    length.words += tree.gold;
    length.heads += tree.correct;
    length.correct += both;
    if (tree.gold == 0) continue;  // nothing of it is scored: neither right nor wrong
    const bool same_words = tree.gold == tree.system;
    const bool exact = same_words && both == tree.gold;
    out.table.at(s, Metric::exact_match_unlabelled) = {same_words && tree.correct == tree.gold, 1, 1};
    out.table.at(s, Metric::exact_match) = {exact, 1, 1};
    ++length.sentences;
    length.exact += exact;
  }
  std::erase_if(out.labels, [](const LabelTally& l) { return l.gold == 0 && l.system == 0; });
}

void count_columns(const Words& gold, const Words& system, const Alignment& alignment, Evaluation& out) {
  for (const Column column : {Column::lemma, Column::upos, Column::xpos, Column::feats}) {
    ColumnTally tally{column};
    for (std::size_t w = 0; w < alignment.to_gold.size(); ++w) {
      const Word twin = alignment.to_gold[w];
      if (twin == kUnaligned) continue;
      ++tally.words;
      tally.equal += system.document->cell(system.row[w], column) ==
                     gold.document->cell(gold.row[static_cast<std::size_t>(twin)], column);
    }
    out.columns.push_back(tally);
  }
}

}  // namespace dynarc::score
