// The reader of CoNLL-U: whatever the bytes are, it finds sentences and problems, and what it does not change it writes
// as it came.
#include "input.hpp"
#include "treebank/projectivity.hpp"

using namespace dynarc;
using namespace dynarc::fuzz;

namespace {

void visit(const Document& document) {
  for (std::size_t s = 0; s < document.sentences(); ++s) {
    must(document.first_row(s) <= document.last_row(s), "rows are in order");
    document.comments(s);
    document.comment_value(s, "sent_id");
    std::uint32_t words = 0;
    for (std::size_t r = document.first_row(s); r < document.last_row(s); ++r) {
      for (int c = 0; c < kColumns; ++c)
        must(document.cell(r, static_cast<Column>(c)).find_first_of("\t\n") == std::string_view::npos,
             "a column is one column");
      words += document.kind(r) == RowKind::word;
      document.line_of(r);
    }
    must(words == document.sentence(s).words, "words are counted");
    for (std::size_t r = document.first_row(s); r < document.last_row(s); ++r)
      must(document.head(r) <= static_cast<Node>(words), "heads are words");
  }
  std::string out;
  document.write_conllx(0, document.sentences(), out);
}

// Each sentence by itself, as they come from a stream.
void read_in_parts(std::string_view text, const Document& whole) {
  const std::size_t cut = last_boundary(text.substr(0, text.size() / 2));
  const Document first = read(text.substr(0, cut));
  const Document second = read(text.substr(cut), {first.lines() + 1, cut == 0});
  must(first.problems().empty() && second.problems().empty(), "parts of a clean file are clean");
  must(first.sentences() + second.sentences() == whole.sentences(), "parts have the sentences of the whole");
  must(written(first) + written(second) == text, "parts are the whole again");
}

void change(Document document) {
  for (std::size_t s = 0; s < document.sentences(); ++s) {
    const std::uint32_t words = document.sentence(s).words;
    std::vector<Node> heads(words + 1, kNone);
    for (std::uint32_t d = 1; d <= words; ++d) heads[d] = static_cast<Node>(d - 1);
    document.set_tree(s, heads, std::vector<Label>(words + 1, 0), {"dep"});
    if (s % 2) document.set_comments(s, "# changed\n");
  }
  document.fill(Column::misc, "_");
  const Document again = read(written(document));
  must(again.problems().empty(), "what was changed can be read");
  must(again.sentences() == document.sentences() && again.words() == document.words(), "and is as large as it was");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Document strict = read(text);
  if (strict.problems().empty()) {
    visit(strict);
    must(strict.whole() && written(strict) == text, "what is not changed is written as it was read");
    read_in_parts(text, strict);
    change(strict);
  }
  ReadOptions options;
  options.skip_bad = true;
  const Document lenient = read(text, options);
  visit(lenient);
  must(read(written(lenient, false)).problems().empty(), "without its bad sentences a file is clean");
  options = {7, false, false, false,
             true};  // the beginning of a sentence that may be too long: only its problems count
  read(text, options);
  return 0;
}
