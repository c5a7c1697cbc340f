// Tokenizers and taggers on a document of a few sentences and on texts that are none: nothing is read that is not
// there.
#include <cassert>
#include <memory>
#include <string>
#include <vector>

#include "tag/columns.hpp"
#include "token/tokenizer.hpp"

using namespace dynarc;

namespace {

Document read(std::string text) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  Document document = Document::read({owner, *owner});
  assert(document.problems().empty());
  return document;
}

std::string training_text() {
  std::string out;
  for (int i = 0; i < 12; ++i)
    out +=
        "# text = We don't sing.\n"
        "1\tWe\twe\tPRON\tPRP\tCase=Nom\t3\tnsubj\t_\t_\n"
        "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_\n"
        "3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_\n"
        "4\tsing\tsing\tVERB\tVB\tVerbForm=Inf\t0\troot\t_\tSpaceAfter=No\n"
        "5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_\n\n"
        "1\tBirds\tbird\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_\n"
        "2\tcan't\tcan\tVERB\tMD\t_\t0\troot\t_\tSpaceAfter=No\n"
        "3\t!\t!\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n";
  return out;
}

const std::vector<std::string> kTexts = {
    "",
    " \n\n ",
    "We don't sing. Birds can't!",
    std::string("a\0b\0\0c", 7),
    "\xEF\xBB\xBFWe\xC2\xA0sing\xE2\x80\xA8.",
    "\n\n\nWe\n\n\n\nsing\r\n\r\n.",
    std::string(100'000, 'x'),
    "'\xF0\x9F\x98\x80n't n't 's' don't don'tn't |\\ _",
};

}  // namespace

int main() {
  const Document gold = read(training_text());
  TokenizerTraining learning(gold, 1);
  for (int epoch = 0; epoch < 4; ++epoch) learning.epoch();
  const auto tokenizer = learning.tokenizer();

  std::vector<std::size_t> all;
  for (std::size_t s = 0; s < gold.sentences(); ++s) all.push_back(s);
  std::vector<ColumnTagger> taggers;
  const std::vector<Column> columns = {Column::upos, Column::xpos, Column::feats, Column::lemma};
  for (const int beam : {1, 3}) {
    taggers.clear();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::vector<Column> given(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(c));
      ColumnTraining training({columns[c], given, columns[c] == Column::lemma ? 1 : beam}, gold, all, {});
      for (int epoch = 0; epoch < 4; ++epoch) training.epoch();
      taggers.push_back(training.tagger());
    }
    const ColumnTaggers together(taggers);
    for (const int threads : {1, 2})
      for (const std::string& text : kTexts) {
        Document found = read(tokenizer->conllu(text, {true}, threads));
        together.tag(found, threads, false);
        for (std::size_t r = 0; r < found.rows(); ++r)
          if (found.kind(r) == RowKind::word) assert(found.cell(r, Column::upos) != "_");
      }
    Document again = gold;
    together.tag(again, 2, true);
    for (std::size_t r = 0; r < gold.rows(); ++r)
      for (const Column column : columns) assert(again.cell(r, column) == gold.cell(r, column));
  }

  const Document found = read(tokenizer->conllu(kTexts[2], {}, 1));
  assert(found.words() == 8);  // don't is two words, can't is one
  return 0;
}
