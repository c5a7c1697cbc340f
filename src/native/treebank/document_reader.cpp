// Reading: one pass over the bytes. The layout follows https://universaldependencies.org/format.html and, for CoNLL-X,
// Buchholz & Marsi 2006, which has the same ten columns and neither comments nor rows other than words.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <ranges>
#include <utility>

#include "base/utf8.hpp"
#include "treebank/document.hpp"
#include "treebank/lines.hpp"

namespace dynarc {

namespace {

// Where the columns of a row end, those of ID and HEAD apart; `nine` TABs are what a row has.
struct RowEnds {
  bool nine;
  std::size_t id, head_begin, head;
};

RowEnds row_ends(const Line& line) {
  RowEnds ends{};
  if (line.is_long) {
    std::size_t tabs = 0, begin = 0;
    for (std::size_t at = line.text().find('\t'); at != std::string_view::npos; at = line.text().find('\t', begin)) {
      if (tabs == 0) ends.id = at;
      if (tabs == static_cast<std::size_t>(Column::head)) ends.head_begin = begin, ends.head = at;
      begin = at + 1;
      ++tabs;
    }
    ends.nine = tabs == kColumns - 1;
    return ends;
  }
  Places tabs = line.tabs;
  ends.id = static_cast<std::size_t>(tabs.first());
  for (int c = 1; c < static_cast<int>(Column::head); ++c) tabs.drop_first();
  ends.head_begin = static_cast<std::size_t>(tabs.first()) + 1;
  tabs.drop_first();
  ends.head = static_cast<std::size_t>(tabs.first());
  tabs.drop_first();
  tabs.drop_first();
  const bool eight = tabs.any();
  tabs.drop_first();
  ends.nine = eight && !tabs.any();
  return ends;
}

bool is_blank(std::string_view text) {
  return text.empty() || (text[0] == ' ' && text.find_first_not_of(' ') == text.npos && text.size() <= kMaxLine);
}

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

// A number of up to eight digits that end at `end`, before which at least eight bytes can be read; -1 if it is none.
// The digits are read all at once, since how many there are cannot be foretold.
std::int64_t quick_number(const char* end, std::size_t length) {
  if (std::endian::native != std::endian::little || length - 1 >= 8) return -1;
  std::uint64_t word;
  std::memcpy(&word, end - 8, 8);
  const std::uint64_t wanted = ~std::uint64_t{0} << (64 - 8 * length);
  word = (word & wanted) | (0x3030303030303030u & ~wanted);
  if (((word & 0xF0F0F0F0F0F0F0F0u) | (((word + 0x0606060606060606u) & 0xF0F0F0F0F0F0F0F0u) >> 4)) !=
      0x3333333333333333u)
    return -1;
  word = (word & 0x0F0F0F0F0F0F0F0Fu) * 2561 >> 8;
  word = (word & 0x00FF00FF00FF00FFu) * 6553601 >> 16;
  return static_cast<std::int64_t>((word & 0x0000FFFF0000FFFFu) * 42949672960001u >> 32);
}

// The first bytes of the rows of words 0 to 255, up to the TAB: to compare is faster than to read a number.
struct IdText {
  std::uint64_t text, mask;
};
std::array<IdText, 256> id_texts() {
  std::array<IdText, 256> out{};
  for (std::size_t id = 0; id < out.size(); ++id) {
    const std::string text = std::to_string(id) + '\t';
    std::memcpy(&out[id].text, text.data(), text.size());
    std::memset(&out[id].mask, 0xFF, text.size());
  }
  return out;
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
    // Room for rows of the shortest kind that a whole file may have; what is not used costs nothing.
    layout_->rows.reserve(text_.size() / 24 + 1);
    heads_.reserve(text_.size() / 24 + 1);
  }

  Document read() {
    std::string_view text = text_;
    if (options_.starts_file && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    LineScanner lines(text);
    for (Line line; !stop_ && lines.next(line);) take(line);
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

  bool is_word(std::size_t r) const { return layout_->rows[r].kind == static_cast<std::uint64_t>(RowKind::word); }

  void take(const Line& line) {
    ++line_number_;
    if (is_blank(line.text())) {
      finish();
      return;
    }
    if (begin_ == kNowhere) {
      begin_ = offset(line.begin);
      first_line_ = line_number_;
      first_row_ = layout_->rows.size();
    }
    end_ = offset(line.next);
    if (too_long(line) || (suspicious_ && damaged(line))) return;
    if (*line.begin != '#') row(line);
  }

  bool too_long(const Line& line) {
    if (line.is_long && line.size() > kMaxLine) {
      problem(line, 0,
              "the line has more than the " + std::to_string(kMaxLine >> 20) +
                  " MiB that any line may have (is this a treebank?)");
      return true;
    }
    if (end_ - begin_ <= kMaxSentence || offset(line.begin) - begin_ > kMaxSentence) return false;
    problem(line, 0,
            "the sentence has more than the " + std::to_string(kMaxSentence >> 20) +
                " MiB that any may have (are the blank lines between sentences missing?)");
    return true;
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
    const RowEnds ends = row_ends(line);
    if (!ends.nine) {
      wrong_columns(line);
      return;
    }
    RowKind kind = RowKind::word;
    if (is_next_word(line)) {
      ++next_word_;
      next_empty_ = 1;
    } else if (const auto other = row_kind(line, line.text().substr(0, ends.id))) {
      kind = *other;
    } else {
      return;
    }
    Node head = kNone;
    if (kind == RowKind::word) {
      // Six columns come before, so there are eight bytes to read.
      const std::int64_t found = quick_number(line.begin + ends.head, ends.head - ends.head_begin);
      if (found >= 0) {
        head = static_cast<Node>(found);
      } else if (ends.head != ends.head_begin + 1 || line.begin[ends.head_begin] != '_') {
        wrong_head(line, ends);
        return;
      }
      ++words_;
    }
    Row& row = layout_->rows.emplace_back();
    row.begin = offset(line.begin);
    row.kind = static_cast<std::uint64_t>(kind);
    row.is_long = line.is_long;
    row.ends = line.tabs;
    if (!line.is_long) row.ends.add(line.size());
    heads_.push_back(head);
  }

  // Most words are told by the first bytes of their row, which has nine TABs, so there are eight bytes to compare.
  bool is_next_word(const Line& line) const {
    if (next_word_ >= kIdTexts.size()) return false;
    std::uint64_t start;
    std::memcpy(&start, line.begin, 8);
    return (start & kIdTexts[next_word_].mask) == kIdTexts[next_word_].text;
  }

  [[gnu::cold]] void wrong_columns(const Line& line) {
    const auto columns = std::ranges::count(line.text(), '\t') + 1;
    std::string reason =
        "expected " + std::to_string(kColumns) + " columns separated by TAB, found " + std::to_string(columns);
    const bool spaces = columns == 1 && std::ranges::count(line.text(), ' ') >= kColumns - 1;
    if (spaces) reason += " (are they separated by spaces?)";
    problem(line, 0, reason + ": " + quoted(line.text()));
  }

  [[gnu::cold]] void wrong_head(const Line& line, const RowEnds& ends) {
    const std::string_view text = line.text().substr(ends.head_begin, ends.head - ends.head_begin);
    problem(line, ends.head_begin,
            "HEAD is " + quoted(text) + ", but must be the number of one word, 0 for the root, or _ if unknown");
  }

  // Reads ID, which must be the next in order; after a wrong one counts on from it, so that one gap is one problem.
  std::optional<RowKind> row_kind(const Line& line, std::string_view id) {
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
    // heads[d] of every word d: as they lie in the document, or, if other rows come between, copied out.
    const Node* heads = heads_.data() + first_row_ - 1;
    if (layout_->rows.size() - first_row_ != words_) {
      copied_.assign(1, kNone);
      for (std::size_t r = first_row_; r < layout_->rows.size(); ++r)
        if (is_word(r)) copied_.push_back(heads_[r]);
      heads = copied_.data();
    }
    // Climb from every word, marking the way with the word's own number: meeting that number again is a cycle.
    seen_.assign(words_ + 1, 0);
    for (Node d = 1; d <= static_cast<Node>(words_); ++d) {
      Node x = d;
      while (x > kRoot && seen_[x] == 0) {
        seen_[x] = d;
        x = heads[x];
      }
      if (x <= kRoot || seen_[x] != d) continue;
      report_cycle(heads, x);
    }
  }

  void report_cycle(const Node* heads, Node x) {
    Node first = x;
    for (Node y = heads[x]; y != x; y = heads[y]) first = std::min(first, y);
    std::string reason = "word " + std::to_string(first) + " is its own head";
    if (heads[first] != first) {
      constexpr int kShown = 8;
      reason = "the heads form a cycle: " + std::to_string(first);
      int shown = 0;
      for (Node y = heads[first]; y != first && shown < kShown; y = heads[y], ++shown)
        reason += " <- " + std::to_string(y);
      reason += shown == kShown ? " <- ..." : " <- " + std::to_string(first);
    }
    std::size_t r = first_row_;
    for (Node left = first; !is_word(r) || --left != 0;) ++r;
    problem_in_head(r, std::move(reason));
  }

  void problem(const Line& line, std::size_t byte, std::string reason) {
    problem_at(line_number_, count_characters(line.text().substr(0, byte)) + 1, std::move(reason));
  }

  void problem_in_head(std::size_t r, std::string reason) {
    const std::uint64_t row = layout_->rows[r].begin;
    const auto before = text_.substr(begin_, row - begin_);
    const auto line = first_line_ + static_cast<std::uint64_t>(std::ranges::count(before, '\n'));
    std::size_t head = row;
    for (int c = 0; c < static_cast<int>(Column::head); ++c) head = text_.find('\t', head) + 1;
    problem_at(line, count_characters(text_.substr(row, head - row)) + 1, std::move(reason));
  }

  void problem_at(std::uint64_t line, std::uint64_t column, std::string reason) {
    bad_ = true;
    stop_ = !options_.skip_bad;
    layout_->problems.push_back({line, column, std::move(reason)});
  }

  static inline const std::array<IdText, 256> kIdTexts = id_texts();

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
  std::vector<Node> seen_, copied_;
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
