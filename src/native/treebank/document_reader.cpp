// Reading: one pass over the bytes. The layout follows https://universaldependencies.org/format.html and, for CoNLL-X,
// Buchholz & Marsi 2006, which has the same ten columns and neither comments nor rows other than words.
#include <algorithm>
#include <bit>
#include <optional>
#include <ranges>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/utf8.hpp"
#include "treebank/document.hpp"

namespace dynarc {

namespace {

// One line without its end, and where the first columns of it end, counted from its start.
struct Line {
  const char* begin;
  const char* end;      // of its text
  const char* next;     // the line after it, or the end of the bytes
  std::size_t columns;  // all of them, also beyond the tenth
  std::array<std::uint32_t, kColumns> column_end;

  std::string_view text() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  std::uint32_t column_begin(int c) const { return c == 0 ? 0 : column_end[c - 1] + 1; }
  std::string_view column(int c) const { return text().substr(column_begin(c), column_end[c] - column_begin(c)); }
};

// Finds the end of the line and its TABs in one pass.
Line scan(const char* p, const char* const end) {
  Line line{p, end, end, 1, {}};
  const auto note = [&](const char* at) {  // a TAB; true at the line's end
    if (*at == '\n') {
      line.end = at;
      line.next = at + 1;
      return true;
    }
    if (line.columns <= kColumns) line.column_end[line.columns - 1] = static_cast<std::uint32_t>(at - line.begin);
    ++line.columns;
    return false;
  };
  bool done = false;
#if defined(__SSE2__)
  const __m128i tab = _mm_set1_epi8('\t'), newline = _mm_set1_epi8('\n');
  while (!done && end - p >= 16) {
    const __m128i chunk = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    auto hits = static_cast<unsigned>(
        _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(chunk, tab), _mm_cmpeq_epi8(chunk, newline))));
    for (; hits != 0 && !done; hits &= hits - 1) done = note(p + std::countr_zero(hits));
    p += 16;
  }
#endif
  for (; !done && p != end; ++p)
    if (*p == '\t' || *p == '\n') done = note(p);
  if (line.end != line.begin && line.end[-1] == '\r') --line.end;
  if (line.columns <= kColumns) line.column_end[line.columns - 1] = static_cast<std::uint32_t>(line.end - line.begin);
  return line;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(' ') == text.npos && text.size() <= kMaxLine; }

// More digits than any sentence has words are no number for us.
std::optional<std::uint32_t> number(std::string_view text) {
  if (text.empty() || text.size() > 9) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return value;
}

// A number in an ID, which is written in one way only.
std::optional<std::uint32_t> plain_number(std::string_view text) {
  return text.size() > 1 && text[0] == '0' ? std::nullopt : number(text);
}

// The text as it may stand in a one-line message, however long or strange it is.
std::string quoted(std::string_view text) {
  std::string out = "'";
  std::size_t shown = 0;
  for (std::size_t i = 0; i < text.size(); ++i, ++shown) {
    if (shown == 40) {
      out += "...";
      break;
    }
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7F) {
      constexpr char kHex[] = "0123456789abcdef";
      out += c == '\t' ? std::string("\\t") : std::string("\\x") + kHex[c >> 4] + kHex[c & 15];
    } else {
      out += text[i];
      while (i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xC0) == 0x80) out += text[++i];
    }
  }
  return out + "'";
}

std::string count(std::size_t number, std::string noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

}  // namespace

class DocumentReader {
 public:
  DocumentReader(Bytes bytes, const ReadOptions& options)
      : options_(options), layout_(std::make_shared<Document::Layout>()) {
    layout_->bytes = std::move(bytes);
    text_ = layout_->bytes.view;
    // Nearly every file is clean: then no line need be looked at again.
    suspicious_ = text_.find('\0') != text_.npos || find_invalid_utf8(text_) != text_.size();
    line_number_ = options.first_line - 1;
    layout_->rows.reserve(text_.size() / 64);
    heads_.reserve(text_.size() / 64);
  }

  Document read() {
    const char* p = text_.data();
    const char* const end = p + text_.size();
    if (options_.starts_file && text_.starts_with("\xEF\xBB\xBF")) p += 3;
    while (p != end) {
      const Line line = scan(p, end);
      p = line.next;
      ++line_number_;
      take(line);
      if (stop_) break;
    }
    if (!stop_ && options_.ends_file) finish();
    layout_->lines = line_number_ + 1 - options_.first_line;
    Document document;
    document.layout_ = std::move(layout_);
    document.heads_ = std::move(heads_);
    return document;
  }

 private:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  std::uint64_t offset(const char* p) const { return static_cast<std::uint64_t>(p - text_.data()); }

  void take(const Line& line) {
    if (is_blank(line.text())) {
      finish();
      return;
    }
    if (begin_ == kNowhere) {
      begin_ = offset(line.begin);
      first_line_ = line_number_;
      first_row_ = layout_->rows.size();
    }
    if (line.text().size() > kMaxLine) {
      problem(line, 0,
              "the line has more than the " + std::to_string(kMaxLine >> 20) +
                  " MiB that any line may have (is this a treebank?)");
    } else if (!(suspicious_ && damaged(line)) && *line.begin != '#') {
      row(line);
    }
    end_ = offset(line.next);
    if (end_ - begin_ > kMaxSentence && offset(line.begin) - begin_ <= kMaxSentence)
      problem(line, 0,
              "the sentence has more than the " + std::to_string(kMaxSentence >> 20) +
                  " MiB that any may have (are the blank lines between sentences missing?)");
  }

  bool damaged(const Line& line) {
    const std::string_view text = line.text();
    if (const std::size_t nul = text.find('\0'); nul != text.npos) {
      problem(line, nul, "holds a NUL byte, so this is no text in UTF-8 (if it is UTF-16, convert it with iconv)");
      return true;
    }
    if (const std::size_t bad = find_invalid_utf8(text); bad != text.size()) {
      constexpr char kHex[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(text[bad]);
      problem(line, bad,
              std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15] +
                  " is not valid UTF-8 (convert the file, for example with iconv)");
      return true;
    }
    return false;
  }

  void row(const Line& line) {
    if (line.columns != kColumns) {
      std::string reason =
          "expected " + std::to_string(kColumns) + " columns separated by TAB, found " + std::to_string(line.columns);
      const bool spaces = line.columns == 1 && std::ranges::count(line.text(), ' ') >= kColumns - 1;
      if (spaces) reason += " (are they separated by spaces?)";
      problem(line, 0, reason + ": " + quoted(line.text()));
      return;
    }
    const auto kind = row_kind(line);
    if (!kind) return;
    Node head = kNone;
    if (*kind == RowKind::word) {
      const std::string_view text = line.column(static_cast<int>(Column::head));
      if (const auto found = number(text)) {
        head = static_cast<Node>(*found);
      } else if (text != "_") {
        problem(line, line.column_begin(static_cast<int>(Column::head)),
                "HEAD is " + quoted(text) + ", but must be the number of one word, 0 for the root, or _ if unknown");
        return;
      }
      ++words_;
    }
    layout_->rows.push_back({offset(line.begin), line.column_end, *kind});
    heads_.push_back(head);
  }

  // Reads ID, which must be the next in order; after a wrong one counts on from it, so that one gap is one problem.
  std::optional<RowKind> row_kind(const Line& line) {
    const std::string_view id = line.column(0);
    if (const auto word = number(id); word && id[0] != '0') {
      const std::uint32_t expected = next_word_;
      next_word_ = *word + 1;
      next_empty_ = 1;
      if (*word == expected) return RowKind::word;
      std::string reason = "ID is " + quoted(id) + ", but word " + std::to_string(expected) + " comes next";
      if (*word == 1) reason += " (is the blank line before this sentence missing?)";
      problem(line, 0, reason);
      return std::nullopt;
    }
    if (const std::size_t dash = id.find('-'); dash != id.npos) {
      const auto first = plain_number(id.substr(0, dash)), last = plain_number(id.substr(dash + 1));
      if (first && last) {
        if (*first != next_word_ || *last < *first || *first <= range_end_) {
          problem(line, 0,
                  "ID is " + quoted(id) + ", but the range of a multiword token stands before its first word, here " +
                      std::to_string(next_word_) + ", and overlaps with none");
          return std::nullopt;
        }
        range_end_ = *last;
        range_line_ = line_number_;
        return RowKind::range;
      }
    }
    if (const std::size_t dot = id.find('.'); dot != id.npos) {
      const auto word = plain_number(id.substr(0, dot)), minor = plain_number(id.substr(dot + 1));
      if (word && minor) {
        if (*word + 1 != next_word_ || *minor < next_empty_) {
          problem(line, 0,
                  "ID is " + quoted(id) + ", but the next empty node here would be " + std::to_string(next_word_ - 1) +
                      "." + std::to_string(next_empty_));
          return std::nullopt;
        }
        next_empty_ = *minor + 1;
        return RowKind::empty;
      }
    }
    problem(line, 0,
            "ID is " + quoted(id) + ", but must be the number of a word, a range like 3-4 or an empty node like 8.1");
    return std::nullopt;
  }

  void finish() {
    if (begin_ == kNowhere) return;
    if (layout_->rows.size() != first_row_ && !bad_) check_sentence();
    if (bad_) {
      layout_->whole = false;
      layout_->rows.resize(first_row_);
      heads_.resize(first_row_);
    } else if (words_ != 0) {
      layout_->sentences.push_back({begin_, end_, first_line_, first_row_, words_});
      layout_->words += words_;
    }  // else comments on their own: nobody's, and written only with everything
    begin_ = kNowhere;
    words_ = range_end_ = 0;
    next_word_ = next_empty_ = 1;
    bad_ = false;
  }

  // What can be told only when all words are there.
  void check_sentence() {
    const std::size_t problems = layout_->problems.size();
    if (words_ == 0) {
      problem_at(first_line_, 1, "the sentence has no word");
      return;
    }
    if (range_end_ > words_)
      problem_at(range_line_, 1,
                 "the range of the multiword token ends at " + std::to_string(range_end_) + ", but the sentence has " +
                     count(words_, "word"));
    for (std::size_t r = first_row_; r < layout_->rows.size(); ++r)
      if (heads_[r] > static_cast<Node>(words_))
        problem_in_head(r, "HEAD is " + std::to_string(heads_[r]) + ", but the sentence has " + count(words_, "word"));
    if (options_.check_trees && !bad_) check_cycles();
    // A sentence comes here without problems: all of `found` are its own.
    const auto found = std::ranges::subrange(layout_->problems.begin() + static_cast<std::ptrdiff_t>(problems),
                                             layout_->problems.end());
    std::ranges::stable_sort(found, {}, [](const Problem& p) { return std::pair(p.line, p.column); });
  }

  void check_cycles() {
    const std::size_t rows = layout_->rows.size() - first_row_;
    const bool plain = rows == words_;
    row_of_.clear();
    row_of_.push_back(0);
    for (std::size_t r = first_row_; r < layout_->rows.size(); ++r)
      if (plain || layout_->rows[r].kind == RowKind::word) row_of_.push_back(r);
    // Climb from every word, marking the way with the word's own number: meeting that number again is a cycle.
    seen_.assign(row_of_.size(), 0);
    for (Node d = 1; d < static_cast<Node>(row_of_.size()); ++d) {
      Node x = d;
      while (x > kRoot && seen_[x] == 0) {
        seen_[x] = d;
        x = heads_[row_of_[x]];
      }
      if (x <= kRoot || seen_[x] != d) continue;
      Node first = x;
      for (Node y = heads_[row_of_[x]]; y != x; y = heads_[row_of_[y]]) first = std::min(first, y);
      std::string way = std::to_string(first);
      int shown = 0;
      for (Node y = heads_[row_of_[first]]; y != first && shown < 8; y = heads_[row_of_[y]], ++shown)
        way += " <- " + std::to_string(y);
      problem_in_head(row_of_[first], heads_[row_of_[first]] == first
                                          ? "word " + std::to_string(first) + " is its own head"
                                          : "the heads form a cycle: " + way +
                                                (shown == 8 ? " <- ..." : " <- " + std::to_string(first)));
    }
  }

  void problem(const Line& line, std::size_t byte, std::string reason) {
    problem_at(line_number_, count_characters(line.text().substr(0, byte)) + 1, std::move(reason));
  }

  void problem_in_head(std::size_t r, std::string reason) {
    const Row& row = layout_->rows[r];
    const auto before = text_.substr(begin_, row.begin - begin_);
    const auto line = first_line_ + static_cast<std::uint64_t>(std::ranges::count(before, '\n'));
    const auto head = text_.substr(row.begin, row.end[static_cast<int>(Column::feats)] + 1);
    problem_at(line, count_characters(head) + 1, std::move(reason));
  }

  void problem_at(std::uint64_t line, std::uint64_t column, std::string reason) {
    bad_ = true;
    stop_ = !options_.skip_bad;
    layout_->problems.push_back({line, column, std::move(reason)});
  }

  ReadOptions options_;
  std::shared_ptr<Document::Layout> layout_;
  std::vector<Node> heads_;
  std::string_view text_;
  bool suspicious_ = false, stop_ = false;
  std::uint64_t line_number_ = 0;

  // The sentence that is being read.
  std::uint64_t begin_ = kNowhere, end_ = 0, first_line_ = 0, range_line_ = 0;
  std::size_t first_row_ = 0;
  std::uint32_t words_ = 0, next_word_ = 1, next_empty_ = 1, range_end_ = 0;
  bool bad_ = false;
  std::vector<std::size_t> row_of_;
  std::vector<Node> seen_;
};

Document Document::read(Bytes bytes, const ReadOptions& options) {
  return DocumentReader(std::move(bytes), options).read();
}

std::size_t last_boundary(std::string_view bytes) {
  // From the end: a line end with nothing but spaces between it and the line end before it.
  std::size_t newline = bytes.rfind('\n');
  while (newline != bytes.npos && newline != 0) {
    const std::size_t before = bytes.rfind('\n', newline - 1);
    const std::size_t from = before == bytes.npos ? 0 : before + 1;
    std::string_view line = bytes.substr(from, newline - from);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_blank(line)) return newline + 1;
    newline = before;
  }
  return newline == 0 ? 1 : 0;
}

}  // namespace dynarc
