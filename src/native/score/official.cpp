// The metrics of the CoNLL 2018 shared task, and of the IWPT 2020 one for enhanced graphs.
// https://universaldependencies.org/conll18/evaluation.html, https://universaldependencies.org/iwpt20/Evaluation.html
#include <algorithm>
#include <charconv>
#include <deque>
#include <optional>

#include "base/utf8.hpp"
#include "score/protocols.hpp"

namespace dynarc::score {

namespace {

// The shared task scores trees only: one root, no cycle, every head known, no token without characters.
std::optional<Refusal> not_a_tree(const Words& words, bool in_system) {
  const Document& d = *words.document;
  const auto refuse = [&](Refusal::Kind kind, std::size_t sentence, std::uint64_t line, std::size_t number) {
    Refusal r{kind, in_system};
    r.sentence = sentence;
    (in_system ? r.system_line : r.gold_line) = line;
    r.number = number;
    return r;
  };
  std::vector<Word> seen(words.row.size(), kUnaligned);  // the word from which the climb came this way
  for (std::size_t s = 0; s < words.sentences(); ++s) {
    std::size_t roots = 0;
    for (Word w = words.first[s]; w < words.first[s + 1]; ++w) {
      const auto at = static_cast<std::size_t>(w);
      if (words.head[at] == kUnknownHead)
        return refuse(Refusal::Kind::unknown_head, s, d.line_of(words.row[at]),
                      static_cast<std::size_t>(w - words.first[s]) + 1);
      roots += words.head[at] == kRootWord;
    }
    if (roots != 1) return refuse(Refusal::Kind::roots, s, d.sentence(s).line, roots);
    for (Word w = words.first[s]; w < words.first[s + 1]; ++w) {
      Word x = w;
      while (x >= 0 && seen[static_cast<std::size_t>(x)] == kUnaligned) {
        seen[static_cast<std::size_t>(x)] = w;
        x = words.head[static_cast<std::size_t>(x)];
      }
      if (x >= 0 && seen[static_cast<std::size_t>(x)] == w)
        return refuse(Refusal::Kind::cycle, s, d.line_of(words.row[static_cast<std::size_t>(x)]),
                      static_cast<std::size_t>(x - words.first[s]) + 1);
    }
  }
  return std::nullopt;
}

// Some characters from `byte` on, for a message. `byte` may lie within a character, whose beginning is then shown.
std::string excerpt(const std::string& text, std::size_t byte) {
  const auto continues = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  while (byte > 0 && continues(byte)) --byte;
  std::size_t end = byte;
  for (int shown = 0; shown < 20 && end < text.size(); ++shown)
    for (++end; continues(end);) ++end;
  return text.substr(byte, end - byte);
}

Refusal different_text(const Words& gold, const Tokens& gold_tokens, const Words& system, const Tokens& system_tokens) {
  const auto [g, s] = std::ranges::mismatch(gold_tokens.text, system_tokens.text);
  const auto at = static_cast<std::size_t>(g - gold_tokens.text.begin());
  const auto line = [at](const Words& words, const Tokens& tokens) {
    const auto token = std::ranges::upper_bound(tokens.token, at, {}, &Span::end);
    const auto index = std::min(static_cast<std::size_t>(token - tokens.token.begin()), tokens.token.size() - 1);
    return words.document->line_of(tokens.row[index]);
  };
  Refusal r{Refusal::Kind::text};
  const auto sentence = std::ranges::upper_bound(gold_tokens.sentence, at, {}, &Span::end);
  r.sentence = std::min(static_cast<std::size_t>(sentence - gold_tokens.sentence.begin()), gold.sentences() - 1);
  r.gold_line = line(gold, gold_tokens);
  r.system_line = line(system, system_tokens);
  r.gold_text = excerpt(gold_tokens.text, at);
  r.system_text = excerpt(system_tokens.text, at);
  return r;
}

// FEATS of each word as numbers of their universal part.
class UniversalFeatures {
 public:
  std::vector<Number> numbers(const Words& words) {
    std::vector<Number> out = words.numbers(Column::feats, raw_);
    while (universal_.size() < raw_.size()) {
      texts_.push_back(universal_features(raw_.text(static_cast<Number>(universal_.size()))));
      universal_.push_back(numbering_.of(texts_.back()));
    }
    for (Number& n : out) n = universal_[n];
    return out;
  }

 private:
  Numbering raw_, numbering_;
  std::deque<std::string> texts_;  // where they stay
  std::vector<Number> universal_;  // of each raw one
};

// The function words below each word, in order.
struct FunctionWords {
  FunctionWords(const Words& words, const std::vector<Number>& label, const std::vector<std::uint8_t>& functional) {
    const auto counts = [&](auto&& visit) {
      for (std::size_t w = 0; w < words.row.size(); ++w)
        if (functional[label[w]] && words.head[w] >= 0) visit(static_cast<std::size_t>(words.head[w]), w);
    };
    first.assign(words.row.size() + 1, 0);
    counts([&](std::size_t head, std::size_t) { ++first[head + 1]; });
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    all.resize(first.back());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    counts([&](std::size_t head, std::size_t w) { all[next[head]++] = static_cast<Word>(w); });
  }
  std::span<const Word> of(Word head) const {
    const auto h = static_cast<std::size_t>(head);
    return std::span(all).subspan(first[h], first[h + 1] - first[h]);
  }

  std::vector<std::uint32_t> first;
  std::vector<Word> all;
};

// An arc of an enhanced graph. The path is a relation, or several where empty nodes between them were left out.
struct Edge {
  Word head;  // or kRootWord
  Number path;
  Number base;  // the path without subtypes
};

class EnhancedGraphs {
 public:
  struct Graph {
    std::vector<std::uint32_t> first;  // edge of each word
    std::vector<Edge> edges;
    std::optional<std::size_t> bad_row;

    std::span<const Edge> of(Word word) const {
      const auto w = static_cast<std::size_t>(word);
      return std::span(edges).subspan(first[w], first[w + 1] - first[w]);
    }
  };

  Graph read(const Words& words) {
    Graph out;
    for (std::size_t w = 0; w < words.row.size() && !out.bad_row; ++w) {
      out.first.push_back(static_cast<std::uint32_t>(out.edges.size()));
      const std::string_view deps = words.document->cell(words.row[w], Column::deps);
      if (deps.empty() || deps == "_") continue;
      const std::size_t s = words.sentence[w];
      for (std::size_t from = 0; from <= deps.size();) {
        const std::size_t to = std::min(deps.find('|', from), deps.size());
        if (!add(deps.substr(from, to - from), words.first[s], words.first[s + 1], out.edges)) {
          out.bad_row = words.row[w];
          break;
        }
        from = to + 1;
      }
    }
    out.first.push_back(static_cast<std::uint32_t>(out.edges.size()));
    return out;
  }

 private:
  bool add(std::string_view edge, Word first, Word end, std::vector<Edge>& edges) {
    const std::size_t colon = edge.find(':');
    if (colon == edge.npos) return false;
    const std::string_view head = edge.substr(0, colon);
    if (head.find('.') != head.npos) return true;  // an empty node: not scored
    Node node = 0;
    const auto [rest, error] = std::from_chars(head.data(), head.data() + head.size(), node);
    if (error != std::errc() || rest != head.data() + head.size() || node < 0 || node > end - first) return false;
    const Number path = paths_.of(edge.substr(colon + 1));
    if (path == base_.size()) base_.push_back(base_of(paths_.text(path)));
    edges.push_back({node == 0 ? kRootWord : first + node - 1, path, base_[path]});
    return true;
  }

  Number base_of(std::string_view path) {
    std::string base;
    for (std::size_t from = 0; from <= path.size();) {
      const std::size_t to = std::min(path.find('>', from), path.size());
      (base += base_label(path.substr(from, to - from))) += '>';
      from = to + 1;
    }
    texts_.push_back(std::move(base));
    return bases_.of(texts_.back());
  }

  Numbering paths_, bases_;
  std::deque<std::string> texts_;
  std::vector<Number> base_;  // of each path
};

// The sentence of the gold standard in which each span begins.
std::vector<std::uint32_t> homes(std::span<const Span> spans, std::span<const Span> sentences) {
  std::vector<std::uint32_t> out;
  out.reserve(spans.size());
  std::uint32_t s = 0;
  for (const Span& span : spans) {
    while (span.begin >= sentences[s].end) ++s;
    out.push_back(s);
  }
  return out;
}

void count_spans(std::span<const Span> gold, std::span<const Span> system, std::span<const Span> sentences,
                 Metric metric, Table& table) {
  const auto gold_home = homes(gold, sentences), system_home = homes(system, sentences);
  for (const std::uint32_t s : gold_home) ++table.at(s, metric).gold;
  for (const std::uint32_t s : system_home) ++table.at(s, metric).system;
  each_common(gold, system, [&](std::size_t g, std::size_t) { ++table.at(gold_home[g], metric).correct; });
}

struct Sides {
  const Words& gold;
  const Words& system;
  const Alignment& alignment;
  const std::vector<Number>& gold_label;
  const std::vector<Number>& system_label;
  const Numbering& labels;
  const std::vector<std::uint32_t>& home;
};

void count_tags(const Sides& in, Table& table) {
  Numbering upos, xpos, lemmas;
  UniversalFeatures features;
  const auto gold_upos = in.gold.numbers(Column::upos, upos), system_upos = in.system.numbers(Column::upos, upos);
  const auto gold_xpos = in.gold.numbers(Column::xpos, xpos), system_xpos = in.system.numbers(Column::xpos, xpos);
  const Number no_lemma = lemmas.of("_");
  const auto gold_lemma = in.gold.numbers(Column::lemma, lemmas);
  const auto system_lemma = in.system.numbers(Column::lemma, lemmas);
  const auto gold_feats = features.numbers(in.gold), system_feats = features.numbers(in.system);

  std::vector<std::uint8_t> content, functional;
  for (std::size_t i = 0; i < in.labels.size(); ++i) {
    const std::string_view label = in.labels.text(static_cast<Number>(i));
    content.push_back(is_content(label));
    functional.push_back(is_functional(label));
  }
  const FunctionWords gold_function(in.gold, in.gold_label, functional);
  const FunctionWords system_function(in.system, in.system_label, functional);
  const auto same_tags = [&](std::size_t g, std::size_t s) {
    return gold_upos[g] == system_upos[s] && gold_feats[g] == system_feats[s];
  };
  const auto same_function_words = [&](std::size_t g, std::size_t s) {
    return std::ranges::equal(
        gold_function.of(static_cast<Word>(g)), system_function.of(static_cast<Word>(s)), [&](Word a, Word b) {
          const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
          return in.alignment.to_gold[y] == a && in.gold_label[x] == in.system_label[y] && same_tags(x, y);
        });
  };

  constexpr Metric kOfAllWords[] = {Metric::words,  Metric::upos,     Metric::xpos,
                                    Metric::ufeats, Metric::all_tags, Metric::lemmas};
  constexpr Metric kOfContent[] = {Metric::mlas, Metric::blex};
  for (std::size_t g = 0; g < in.gold.row.size(); ++g) {
    const std::uint32_t at = in.gold.sentence[g];
    for (const Metric m : kOfAllWords) ++table.at(at, m).gold;
    if (content[in.gold_label[g]])
      for (const Metric m : kOfContent) ++table.at(at, m).gold;
  }
  for (std::size_t s = 0; s < in.system.row.size(); ++s) {
    const std::uint32_t at = in.home[s];
    for (const Metric m : kOfAllWords) ++table.at(at, m).system;
    if (content[in.system_label[s]])
      for (const Metric m : kOfContent) ++table.at(at, m).system;
  }
  for (std::size_t g = 0; g < in.gold.row.size(); ++g) {
    if (in.alignment.to_system[g] == kUnaligned) continue;
    const auto s = static_cast<std::size_t>(in.alignment.to_system[g]);
    const std::uint32_t at = in.gold.sentence[g];
    const bool tags = same_tags(g, s);
    const bool lemma = gold_lemma[g] == no_lemma || gold_lemma[g] == system_lemma[s];  // without one, any will do
    ++table.at(at, Metric::words).correct;
    table.at(at, Metric::upos).correct += gold_upos[g] == system_upos[s];
    table.at(at, Metric::xpos).correct += gold_xpos[g] == system_xpos[s];
    table.at(at, Metric::ufeats).correct += gold_feats[g] == system_feats[s];
    table.at(at, Metric::all_tags).correct += tags && gold_xpos[g] == system_xpos[s];
    table.at(at, Metric::lemmas).correct += lemma;
    const bool attached = content[in.gold_label[g]] && in.gold_label[g] == in.system_label[s] &&
                          head_in_gold(in.system, in.alignment, static_cast<Word>(s)) == in.gold.head[g];
    if (!attached) continue;
    table.at(at, Metric::mlas).correct += tags && same_function_words(g, s);
    table.at(at, Metric::blex).correct += lemma;
  }
}

void count_enhanced(const Sides& in, Evaluation& out) {
  EnhancedGraphs graphs;
  const auto gold = graphs.read(in.gold), system = graphs.read(in.system);
  if (gold.bad_row || system.bad_row) {
    out.bad_deps_in_system = !gold.bad_row;
    out.bad_deps_line = (gold.bad_row ? in.gold : in.system).document->line_of(*(gold.bad_row ? gold : system).bad_row);
    return;
  }
  for (Word g = 0; g < in.gold.size(); ++g) {
    const std::uint32_t at = in.gold.sentence[static_cast<std::size_t>(g)];
    const auto edges = static_cast<std::int32_t>(gold.of(g).size());
    out.table.at(at, Metric::elas).gold += edges;
    out.table.at(at, Metric::eulas).gold += edges;
    const Word s = in.alignment.to_system[static_cast<std::size_t>(g)];
    if (s == kUnaligned) continue;
    for (const Edge& a : gold.of(g)) {
      for (const Edge& b : system.of(s)) {  // an arc named twice counts twice
        if ((b.head < 0 ? b.head : in.alignment.to_gold[static_cast<std::size_t>(b.head)]) != a.head) continue;
        out.table.at(at, Metric::elas).correct += a.path == b.path;
        out.table.at(at, Metric::eulas).correct += a.base == b.base;
      }
    }
  }
  for (Word s = 0; s < in.system.size(); ++s) {
    const std::uint32_t at = in.home[static_cast<std::size_t>(s)];
    const auto edges = static_cast<std::int32_t>(system.of(s).size());
    out.table.at(at, Metric::elas).system += edges;
    out.table.at(at, Metric::eulas).system += edges;
  }
}

}  // namespace

Outcome Pair::official(const FormTable& table) {
  const Words gold(gold_), system(system_);
  if (gold.size() == 0 || system.size() == 0) return Refusal{Refusal::Kind::empty, gold.size() != 0};
  if (auto refusal = not_a_tree(gold, false)) return *std::move(refusal);
  if (auto refusal = not_a_tree(system, true)) return *std::move(refusal);
  forms();
  const Tokens gold_tokens(gold, gold_forms_, table), system_tokens(system, system_forms_, table);
  for (const bool in_system : {false, true}) {
    const auto& row = (in_system ? system_tokens : gold_tokens).empty_row;
    if (!row) continue;
    Refusal r{Refusal::Kind::no_form, in_system};
    (in_system ? r.system_line : r.gold_line) = (in_system ? system_ : gold_).line_of(*row);
    return r;
  }
  if (gold_tokens.text != system_tokens.text) return different_text(gold, gold_tokens, system, system_tokens);
  const Alignment alignment = align(gold_tokens, system_tokens);
  if (alignment.too_long) return Refusal{Refusal::Kind::span};

  Evaluation out;
  out.metrics.assign(kMetricNames, kMetricNames + kMetrics);
  out.table = Table(gold.sentences(), kMetrics);
  Numbering labels;
  const std::vector<Number> gold_label = label_numbers(gold, false, labels);
  const std::vector<Number> system_label = label_numbers(system, false, labels);
  out.scored.assign(gold.row.size(), 1);
  auto home = homes(system_tokens.word, gold_tokens.sentence);
  // A multiword token may begin in one sentence and have words that are aligned with the next.
  for (std::size_t w = 0; w < home.size(); ++w)
    if (const Word twin = alignment.to_gold[w]; twin != kUnaligned)
      home[w] = gold.sentence[static_cast<std::size_t>(twin)];
  count_trees({gold, system, alignment, gold_label, system_label, labels, out.scored, home}, out);
  count_spans(gold_tokens.token, system_tokens.token, gold_tokens.sentence, Metric::tokens, out.table);
  count_spans(gold_tokens.sentence, system_tokens.sentence, gold_tokens.sentence, Metric::sentences, out.table);
  const Sides sides{gold, system, alignment, gold_label, system_label, labels, home};
  count_tags(sides, out.table);
  count_enhanced(sides, out);
  count_columns(gold, system, alignment, out);
  return out;
}

}  // namespace dynarc::score
