#include "score/alignment.hpp"

#include <algorithm>
#include <charconv>

namespace dynarc::score {

namespace {

// Cells of the LCS table: 1 GiB. Real spans have a handful of words.
constexpr std::size_t kMaxCells = std::size_t{1} << 28;

Node last_of_range(std::string_view id) {
  Node last = 0;
  const std::size_t dash = id.find('-');
  std::from_chars(id.data() + dash + 1, id.data() + id.size(), last);
  return last;
}

// One side of the alignment: its words and the next one to be looked at.
struct Cursor {
  const Tokens& tokens;
  std::size_t at = 0;

  bool done() const { return at == tokens.word.size(); }
  bool inside() const { return tokens.inside[at] != 0; }
  const Span& span() const { return tokens.word[at]; }

  // The next word takes no part in a multiword span that ends at `end`. Words of ranges are in it if they begin in it,
  // since then it grows around them; other words must lie in it wholly.
  bool leaves(std::uint64_t end) const {
    if (done()) return true;
    return inside() ? span().begin >= end : span().end > end;
  }
  void take(std::uint64_t& end) {
    if (inside()) end = std::max(end, span().end);
    ++at;
  }
};

class Aligner {
 public:
  Aligner(const Tokens& gold, const Tokens& system) : gold_{gold}, system_{system} {
    result_.to_gold.assign(system.word.size(), kUnaligned);
    result_.to_system.assign(gold.word.size(), kUnaligned);
  }

  Alignment align() {
    while (!gold_.done() && !system_.done()) {
      if (gold_.inside() || system_.inside()) {
        multiword_span();
      } else if (gold_.span() == system_.span()) {
        pair(gold_.at++, system_.at++);
      } else {
        ++(gold_.span().begin <= system_.span().begin ? gold_ : system_).at;
      }
    }
    return std::move(result_);
  }

 private:
  void pair(std::size_t g, std::size_t s) {
    result_.to_gold[s] = static_cast<Word>(g);
    result_.to_system[g] = static_cast<Word>(s);
    ++result_.pairs;
  }

  bool same(std::size_t g, std::size_t s) const { return gold_.tokens.folded[g] == system_.tokens.folded[s]; }

  // Finds the smallest span around the next multiword token from which no multiword token of either side sticks out,
  // and aligns the words in it by form.
  void multiword_span() {
    Cursor& owner = gold_.inside() ? gold_ : system_;
    Cursor& other = gold_.inside() ? system_ : gold_;
    std::uint64_t end = owner.span().end;
    // A plain word that begins earlier lies before the span.
    if (!other.inside() && other.span().begin < owner.span().begin) ++other.at;
    const std::size_t g = gold_.at, s = system_.at;
    while (!gold_.leaves(end) || !system_.leaves(end)) {
      const bool gold_first = !gold_.done() && (system_.done() || gold_.span().begin <= system_.span().begin);
      (gold_first ? gold_ : system_).take(end);
    }
    align_forms(g, gold_.at, s, system_.at);
  }

  // Longest common subsequence of gold words g..g_end-1 and system words s..s_end-1. Of several, the one that pairs
  // equal words as soon as they meet, and otherwise leaves out gold words first.
  void align_forms(std::size_t g, std::size_t g_end, std::size_t s, std::size_t s_end) {
    while (g < g_end && s < s_end && same(g, s)) pair(g++, s++);
    const std::size_t height = g_end - g, width = s_end - s;
    if (height == 0 || width == 0) return;
    if ((height + 1) > kMaxCells / (width + 1)) {
      result_.too_long = true;
      return;
    }
    // Lengths for all pairs of rests, the empty ones included.
    lengths_.assign((height + 1) * (width + 1), 0);
    const auto length = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return lengths_[i * (width + 1) + j]; };
    for (std::size_t i = height; i-- > 0;)
      for (std::size_t j = width; j-- > 0;)
        length(i, j) = same(g + i, s + j) ? length(i + 1, j + 1) + 1 : std::max(length(i + 1, j), length(i, j + 1));
    for (std::size_t i = 0, j = 0; i < height && j < width;) {
      if (same(g + i, s + j))
        pair(g + i++, s + j++);
      else if (length(i, j) == length(i + 1, j))
        ++i;
      else
        ++j;
    }
  }

  Cursor gold_, system_;
  Alignment result_;
  std::vector<std::uint32_t> lengths_;
};

}  // namespace

Tokens::Tokens(const Words& words, std::span<const Number> forms, const FormTable& table) {
  const Document& d = *words.document;
  token.reserve(words.row.size());
  word.reserve(words.row.size());
  const auto add_token = [&](std::size_t r) {
    const std::string& bare = table.bare[forms[r]];
    if (bare.empty() && !empty_row) empty_row = r;
    token.push_back({text.size(), text.size() + bare.size()});
    row.push_back(r);
    text += bare;
  };
  for (std::size_t i = 0; i < d.sentences(); ++i) {
    const std::uint64_t begin = text.size();
    Node node = 0, range_end = 0;
    for (std::size_t r = d.first_row(i); r < d.last_row(i); ++r) {
      if (d.kind(r) == RowKind::range) {
        add_token(r);
        range_end = last_of_range(d.cell(r, Column::id));
      } else if (d.kind(r) == RowKind::word) {
        const bool in_range = ++node <= range_end;
        if (!in_range) add_token(r);
        word.push_back(token.back());
        inside.push_back(in_range);
        // Spaces count in the words of a range, and nowhere else.
        folded.push_back((in_range ? table.lowered : table.bare_lowered)[forms[r]]);
      }
    }
    sentence.push_back({begin, text.size()});
  }
}

Alignment align(const Tokens& gold, const Tokens& system) { return Aligner(gold, system).align(); }

Alignment align_same(Word words) {
  Alignment out;
  for (Word w = 0; w < words; ++w) out.to_gold.push_back(w);
  out.to_system = out.to_gold;
  out.pairs = static_cast<std::size_t>(words);
  return out;
}

}  // namespace dynarc::score
