// Documents against naive readers: every place of a TAB or a line end around the blocks in which lines are scanned, the
// ends of the bytes, boundaries between parts, changes and what is written.
#include "treebank/document.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.hpp"
#include "base/utf8.hpp"

using namespace dynarc;

namespace {

// The bytes in memory of exactly their size: a read beyond them is an error that the sanitizers see.
Document read(const std::string& text, ReadOptions options = {}) {
  const auto exact = std::make_shared<std::vector<char>>(text.begin(), text.end());
  exact->shrink_to_fit();
  return Document::read({exact, std::string_view(exact->data(), exact->size())}, options);
}

std::string written(const Document& document, bool faithful = true) {
  std::string out;
  document.write(0, document.sentences(), faithful, out);
  return out;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string row(const std::string& id, const std::string& head, const std::string& form = "w") {
  return id + "\t" + form + "\t_\t_\t_\t_\t" + head + "\tdep\t_\t_";
}

std::string complaint(const std::string& text) {
  const Document document = read(text);
  assert(document.problems().size() <= 1 || document.problems()[0].line <= document.problems()[1].line);
  return document.problems().empty() ? "" : document.problems()[0].reason;
}

void nothing_at_all() {
  for (const std::string text :
       {"", "\n", "\r\n", "  ", "  \n\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n", "#", "# a\n", "\r"}) {
    const Document document = read(text);
    assert(document.sentences() == 0 && document.rows() == 0 && document.words() == 0 && document.problems().empty());
    assert(written(document) == text);
    assert(written(document, false).empty());
  }
  const Document none = Document::read({nullptr, {}});
  assert(none.sentences() == 0 && none.lines() == 0 && written(none).empty());
  assert(last_boundary({}) == 0 && find_invalid_utf8({}) == 0 && count_characters({}) == 0);
}

// A row whose columns have lengths that put every TAB and the line end at every place of the 16 bytes looked at at
// once.
void columns_of_every_length() {
  for (int column = 1; column < kColumns; ++column) {
    if (column == static_cast<int>(Column::head)) continue;
    for (std::size_t length = 0; length <= 70; ++length)
      for (const std::string end : {"", "\n", "\r\n", "\n\n", "\r"}) {
        std::vector<std::string> cells = {"1", "f", "_", "", "x", "_", "0", "", "", "m"};
        cells[column] = std::string(length, 'y');
        std::string line = cells[0];
        for (int c = 1; c < kColumns; ++c) line += "\t" + cells[c];
        const Document document = read("# c\n" + line + end);
        assert(document.problems().empty() && document.sentences() == 1 && document.rows() == 1);
        for (int c = 0; c < kColumns; ++c) assert(document.cell(0, static_cast<Column>(c)) == cells[c]);
        Document::Cells at_once;
        document.cells(0, kColumns, at_once);
        assert(std::ranges::equal(at_once, cells));
        for (int c = 0; c <= static_cast<int>(Column::feats); ++c)
          assert((document.blanks(0) >> c & 1) == (cells[c] == "_"));
        assert(written(document) == "# c\n" + line + end);
        assert(document.comments(0) == "# c\n" && document.line_of(0) == 2 && document.head(0) == 0);
      }
  }
}

// Bytes of every length with a TAB, a line end or both at every place: the lines and columns that the first complaint
// counts are those that a naive reader counts.
void separators_at_every_place() {
  for (std::size_t size = 0; size <= 70; ++size)
    for (std::size_t first = 0; first <= size; ++first)
      for (const std::size_t second : {first + 1, first + 7, first + 15, first + 16, first + 17, size - 1})
        for (const char* pair : {"\t\t", "\n\n", "\t\n", "\n\t", "\r\n"}) {
          std::string text(size, 'x');
          if (first < size) text[first] = pair[0];
          if (second < size) text[second] = pair[1];
          const Document document = read(text, {.skip_bad = true});
          std::vector<std::string> expected;
          std::vector<std::string> lines = split(text, '\n');
          if (lines.back().empty()) lines.pop_back();
          for (std::string line : lines) {
            if (line.ends_with('\r')) line.pop_back();
            if (line.empty()) continue;
            expected.push_back("found " + std::to_string(split(line, '\t').size()) + ":");
          }
          assert(document.lines() == lines.size());
          assert(document.problems().size() == expected.size());
          for (std::size_t i = 0; i < expected.size(); ++i)
            assert(document.problems()[i].reason.find(expected[i]) != std::string::npos);
        }
}

bool naive_blank(std::string line) {
  if (line.ends_with('\r')) line.pop_back();
  return line.find_first_not_of(' ') == std::string::npos;
}

std::size_t naive_boundary(const std::string& text) {
  std::size_t at = 0, found = 0;
  while (true) {
    const std::size_t newline = text.find('\n', at);
    if (newline == std::string::npos) return found;
    if (naive_blank(text.substr(at, newline - at))) found = newline + 1;
    at = newline + 1;
  }
}

void boundaries() {
  Rng rng(7);
  constexpr std::string_view kLetters = "\n\n\r \tx";
  for (int i = 0; i < 200000; ++i) {
    std::string text(static_cast<std::size_t>(rng.below(24)), ' ');
    for (char& c : text) c = kLetters[static_cast<std::size_t>(rng.below(static_cast<int>(kLetters.size())))];
    const std::vector<char> exact(text.begin(), text.end());
    assert(last_boundary({exact.data(), exact.size()}) == naive_boundary(text));
  }
}

// Cut at any boundary, the parts have the sentences and the problems of the whole, on the same lines.
void parts() {
  Rng rng(8);
  const std::vector<std::string> pieces = {
      row("1", "0") + "\n", row("2", "1") + "\r\n", row("3", "9") + "\n",   "\n", " \r\n",
      "# a = b\n",          row("1-2", "_") + "\n", row("1.1", "_") + "\n", "\n"};
  for (int i = 0; i < 5000; ++i) {
    std::string text = rng.below(4) == 0 ? "\xEF\xBB\xBF" : "";
    for (int n = rng.below(30); n > 0; --n)
      text += pieces[static_cast<std::size_t>(rng.below(static_cast<int>(pieces.size())))];
    const Document whole = read(text, {.skip_bad = true});
    const std::size_t cut = last_boundary(
        std::string_view(text).substr(0, static_cast<std::size_t>(rng.below(static_cast<int>(text.size()) + 1))));
    const Document first = read(text.substr(0, cut), {.skip_bad = true});
    const Document second =
        read(text.substr(cut), {.first_line = 1 + first.lines(), .starts_file = cut == 0, .skip_bad = true});
    assert(first.sentences() + second.sentences() == whole.sentences());
    assert(first.lines() + second.lines() == whole.lines());
    for (std::size_t s = 0; s < whole.sentences(); ++s) {
      const bool in_first = s < first.sentences();
      const auto& part = in_first ? first.sentence(s) : second.sentence(s - first.sentences());
      assert(part.line == whole.sentence(s).line && part.words == whole.sentence(s).words);
    }
    assert(first.problems().size() + second.problems().size() == whole.problems().size());
    for (std::size_t p = 0; p < whole.problems().size(); ++p) {
      const Problem& part =
          p < first.problems().size() ? first.problems()[p] : second.problems()[p - first.problems().size()];
      assert(part.line == whole.problems()[p].line && part.column == whole.problems()[p].column);
      assert(p == 0 || whole.problems()[p - 1].line <= whole.problems()[p].line);
    }
    if (whole.whole()) assert(written(first) + written(second) == text);
    std::string one_by_one;
    for (std::size_t s = 0; s < whole.sentences(); ++s) whole.write(s, s + 1, true, one_by_one);
    if (whole.sentences() != 0) assert(one_by_one == written(whole));
  }
}

void problems() {
  assert(complaint(row("1", "0") + "\n" + row("2", "2|3")).starts_with("HEAD is '2|3'"));
  assert(complaint(row("1", "2") + "\n" + row("2", "3") + "\n" + row("3", "1")) ==
         "the heads form a cycle: 1 <- 2 <- 3 <- 1");
  assert(complaint(row("1.1", "_")).starts_with("ID is '1.1', but the next empty node here would be 0.1"));
  assert(complaint("# c\n" + row("0.1", "_")) == "the sentence has no word");
  assert(complaint(row("1-2", "_") + "\n" + row("1", "0")).starts_with("the range of the multiword token ends at 2"));
  assert(complaint(row("1", "0") + "\n" + row("02-3", "_")).find("but must be the number") != std::string::npos);
  assert(complaint(row("1", "0", "\xC0\x80")).starts_with("byte 0xc0"));
  assert(complaint(row("1", "0", "\xED\xA0\x80")).starts_with("byte 0xed"));
  assert(complaint(row("1", "0") + "\xE2\x82").starts_with("byte 0xe2"));
  assert(complaint(std::string("a\0b", 3)).starts_with("holds a NUL byte"));
  assert(complaint(row("1", "0") + "\t").find("found 11") != std::string::npos);
  assert(complaint("\xEF\xBB\xBF" + row("1", "0")).empty() && !complaint("\n\xEF\xBB\xBF" + row("1", "0")).empty());
  assert(read("\xEF\xBB\xBF" + row("1", "0"), {.starts_file = false}).problems().size() == 1);

  // In a sentence with several, that of the first line comes first, also where another was found before it.
  const Document document = read(
      row("1", "3") + "\n" + row("2", "2") + "\n" + row("3", "4") + "\n" + row("4", "3") + "\n", {.skip_bad = true});
  assert(document.sentences() == 0 && document.rows() == 0 && !document.whole() && document.problems().size() == 2);
  assert(document.problems()[0].line == 2 && document.problems()[1].line == 3 && document.problems()[0].column == 13);

  const std::string spaces(kMaxLine + 1, ' ');
  assert(complaint(spaces).starts_with("the line has more than the 16 MiB"));
  assert(complaint("#" + spaces).starts_with("the line has more than the 16 MiB"));
  assert(complaint(spaces.substr(1)).empty() && last_boundary(spaces + "\n") == 0 &&
         last_boundary(spaces.substr(1) + "\n") != 0);
}

void changes() {
  const std::string text = "# sent_id = a\r\n" + row("1-2", "_") + "\r\n" + row("1", "0") + "\r\n" + row("2", "1") +
                           "\r\n\r\n# b\n" + row("1", "_");
  const Document original = read(text);
  Document document = original;
  assert(document.comment_value(0, "sent_id") == "a" && document.comment_value(1, "sent_id").data() == nullptr);
  document.set_cell(1, Column::form, "w");  // as it is
  document.set_head(2, 1);
  document.set_comments(1, "# b\n");
  assert(!document.changed() && written(document) == text);
  for (int i = 0; i < 1000; ++i) document.set_cell(1, Column::form, std::to_string(i));
  document.set_cell(1, Column::misc, "");
  constexpr unsigned kForm = 1u << static_cast<int>(Column::form), kUpos = 1u << static_cast<int>(Column::upos);
  const unsigned before = document.blanks(1);
  document.text_numbers(Column::upos)[1] = document.text_number("_");
  document.text_numbers(Column::form)[1] = document.text_number("_");
  assert(document.blanks(1) == (before | kForm | kUpos));
  document.set_text(0, 1, Column::upos, document.text_number("X"));
  document.set_cell(1, Column::form, "999");
  assert((document.blanks(1) & (kForm | kUpos)) == 0);
  document.set_cell(1, Column::upos, "_");
  document.set_head(3, 1);
  document.set_comments(1, "");
  Document::Cells changed;
  document.cells(1, 2, changed);
  assert(changed[1] == "999");
  assert(document.cell(1, Column::form) == "999" && document.cell(3, Column::head) == "1" && document.head(3) == 1);
  assert(document.changed(0) && document.changed(1) && !original.changed() && written(original) == text);
  const std::string one = "1\t999\t_\t_\t_\t_\t0\tdep\t_\t";
  const std::string first = "# sent_id = a\r\n" + row("1-2", "_") + "\r\n" + one + "\r\n" + row("2", "1") + "\r\n\r\n";
  assert(written(document) == first + row("1", "1"));
  assert(written(document, false) == first + row("1", "1") + "\n\n");
  assert(written(original, false) == text + "\n\n");
  assert(written(read(row("1", "0") + "\r"), false) == row("1", "0") + "\r\n\r\n");
  assert(written(read("#\r\n" + row("1", "0") + "\r"), false) == "#\r\n" + row("1", "0") + "\r\n\r\n");
  assert(written(read("#\r\n" + row("1", "0")), false) == "#\r\n" + row("1", "0") + "\r\n\r\n");
  assert(written(read("#\n" + row("1", "0") + "\r"), false) == "#\n" + row("1", "0") + "\r\n\n");
  std::string part;
  document.write(1, 1, true, part);
  document.write(1, 1, false, part);
  assert(part.empty());
}

void invalid_utf8() {
  // Every code point, and that nothing shorter, longer or outside is taken for one.
  for (std::uint32_t c = 0; c <= 0x110100; c += c < 0x3000 ? 1 : 37) {
    std::string s;
    const auto more = [&](int shift) { s += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
    if (c < 0x80) {
      s += static_cast<char>(c);
    } else if (c < 0x800) {
      s += static_cast<char>(0xC0 | c >> 6), more(0);
    } else if (c < 0x10000) {
      s += static_cast<char>(0xE0 | c >> 12), more(6), more(0);
    } else {
      s += static_cast<char>(0xF0 | c >> 18), more(12), more(6), more(0);
    }
    const bool valid = c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF);
    for (std::size_t before = 0; before < 18; before += c < 0x100 ? 1 : 17) {
      const std::string padding(before, 'a');
      assert(find_invalid_utf8(padding + s + "b") == (valid ? before + s.size() + 1 : before));
      if (!valid) continue;
      assert(count_characters(padding + s) == before + 1);
      if (s.size() > 1) assert(find_invalid_utf8(padding + s.substr(0, s.size() - 1)) == before);
      if (s.size() > 1) assert(find_invalid_utf8(padding + s.substr(1)) == before);
    }
  }
  for (const char* overlong :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xF8\x88\x80\x80\x80", "\xFE", "\xFF"})
    assert(find_invalid_utf8(overlong) == 0);
}

}  // namespace

int main() {
  nothing_at_all();
  columns_of_every_length();
  separators_at_every_place();
  boundaries();
  parts();
  problems();
  changes();
  invalid_utf8();
}
