// Evaluation without Python, for the sanitizers: the same text cut at random on both sides, with multiword tokens that
// overlap, empty nodes and strange columns.
#include <cassert>
#include <memory>
#include <string>

#include "base/rng.hpp"
#include "score/bootstrap.hpp"
#include "score/protocols.hpp"

using namespace dynarc;
using namespace dynarc::score;

namespace {

Document read(std::string text) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  return Document::read({owner, *owner}, {.check_trees = false});
}

// `length` letters cut into tokens and sentences. Heads are random; if `tree`, the first word is the only root and
// every other word hangs on an earlier one.
std::string random_document(Rng& rng, int length, bool tree) {
  std::string out;
  const char* labels[] = {"nsubj", "nsubj:pass", "det", "punct", "", ":"};
  const char* feats[] = {"_", "", "|", "Case=Nom|X=1", "X=1|Case=Nom|"};
  const char* deps[] = {"_", "", "0:root", "1:a:b>c|1.1:x", "1:a|1:a", "9:x", "x"};
  const char* letters = "abab";
  int word = 0, at = 0;
  const auto add_word = [&](const std::string& form) {
    ++word;
    const int head = word == 1 ? 0 : 1 + rng.below(word - 1);
    out += std::to_string(word) + "\t" + form + "\t_\tX\t_\t" + feats[rng.below(5)] + "\t" +
           (!tree && rng.below(9) == 0 ? "_" : std::to_string(!tree && rng.below(5) == 0 ? 0 : head)) + "\t" +
           labels[rng.below(6)] + "\t" + deps[rng.below(7)] + "\t_\n";
  };
  while (at < length) {
    std::string form;
    for (int left = 1 + rng.below(3); left > 0 && at < length; --left) form += letters[at++ % 4];
    if (rng.below(2) == 0) {
      const int words = 1 + rng.below(3);
      out += std::to_string(word + 1) + "-" + std::to_string(word + words) + "\t" + form + "\t_\t_\t_\t_\t_\t_\t_\t_\n";
      for (int i = 0; i < words; ++i) add_word(rng.below(2) == 0 ? "a" : form.substr(0, 1));
    } else {
      add_word(form);
    }
    if (rng.below(8) == 0) out += std::to_string(word) + ".1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n";
    if (rng.below(4) == 0) out += "\n", word = 0;
  }
  return out;
}

FormTable plain_table(Pair& pair) {
  FormTable table;
  for (std::size_t i = 0; i < pair.forms().size(); ++i) {
    table.bare.emplace_back(pair.forms().text(static_cast<Number>(i)));
    table.lowered.push_back(static_cast<Number>(i));
    table.bare_lowered.push_back(static_cast<Number>(i));
  }
  return table;
}

void raw_text() {
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    const int length = 1 + rng.below(30);
    const Document gold = read(random_document(rng, length, true)), system = read(random_document(rng, length, true));
    assert(gold.problems().empty() && system.problems().empty());
    Pair pair(gold, system);
    const Outcome outcome = pair.official(plain_table(pair));
    const auto& e = std::get<Evaluation>(outcome);
    std::int64_t words = 0, in_system = 0;
    for (std::size_t s = 0; s < gold.sentences(); ++s) {
      const Tally& tally = e.table.tallies()[s * kMetrics + static_cast<std::size_t>(Metric::uas)];
      assert(0 <= tally.correct && tally.correct <= tally.gold && tally.correct <= tally.system);
      words += tally.gold;
      in_system += tally.system;
    }
    assert(words == static_cast<std::int64_t>(gold.words()));
    assert(in_system == static_cast<std::int64_t>(system.words()));

    const auto& t = e.table.tallies();
    const auto drawn = bootstrap({{t, t, t}, 1, kMetrics, {0, 17}, 20, 7, 95});
    assert(drawn.size() == 2 && drawn[0].difference == 0 && drawn[0].flips == 20);
  }
}

void same_words() {
  Rng rng(2);
  for (int i = 0; i < 500; ++i) {
    const Document gold = read(random_document(rng, 1 + rng.below(30), false));
    Document system = gold;
    for (std::size_t r = 0; r < system.rows(); ++r)
      if (system.kind(r) == RowKind::word && rng.below(3) == 0) system.set_cell(r, Column::deprel, "changed");
    Pair pair(gold, system);
    for (const Scored scored : {Scored::all, Scored::not_punct_label, Scored::not_punct_form, Scored::not_punct_tag}) {
      const Outcome outcome = pair.same_words(scored, std::vector<bool>(pair.forms().size(), rng.below(2) == 0));
      const auto& e = std::get<Evaluation>(outcome);
      assert(e.words == e.system_words);
      assert(e.words + e.punctuation + e.unknown_heads == static_cast<std::int64_t>(gold.words()));
    }
  }
}

void refusals() {
  const auto kind = [](const std::string& gold, const std::string& system, bool raw) {
    Pair pair(read(gold), read(system));
    const Outcome outcome = raw ? pair.official(plain_table(pair)) : pair.same_words(Scored::all, {});
    return std::get<Refusal>(outcome).kind;
  };
  const std::string a = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n", b = "1\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n";
  assert(kind("", a, true) == Refusal::Kind::empty);
  assert(kind(a, b, true) == Refusal::Kind::text);
  assert(kind(a, a + b, true) == Refusal::Kind::text);
  assert(kind(a, "1\ta\t_\t_\t_\t_\t1\troot\t_\t_\n", true) == Refusal::Kind::roots);
  assert(kind(a, "1\t\t_\t_\t_\t_\t0\troot\t_\t_\n", true) == Refusal::Kind::no_form);
  assert(kind(a, b, false) == Refusal::Kind::word);
  assert(kind(a, a + b, false) == Refusal::Kind::sentences);
}

}  // namespace

int main() {
  raw_text();
  same_words();
  refusals();
}
