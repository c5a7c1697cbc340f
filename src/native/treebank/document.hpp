// A CoNLL-U or CoNLL-X document: the bytes as they came, where in them each sentence, word and column lies, and what
// was changed since. What is not changed is written as it was read, byte for byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "treebank/lines.hpp"

namespace dynarc {

enum class Column : std::uint8_t { id, form, lemma, upos, xpos, feats, head, deprel, deps, misc };
inline constexpr int kColumns = 10;
inline constexpr std::string_view kColumnNames[kColumns] = {"ID",    "FORM", "LEMMA",  "UPOS", "XPOS",
                                                            "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"};

// Words have trees; the ranges of multiword tokens (3-4) and empty nodes (8.1) are kept, and are no words.
enum class RowKind : std::uint8_t { word, range, empty };

// One line with ten columns.
struct Row {
  std::uint64_t begin : 60;  // of the line, in the bytes
  std::uint64_t kind : 2;
  std::uint64_t is_long : 1;  // the ends of its columns must be looked for
  Places ends;                // of the ten columns, counted from `begin`, if it is not a long one
};

struct SentenceEntry {
  std::uint64_t begin;  // its first byte: of the first comment, or of the first row
  std::uint64_t end;    // after its last row, line end included; a blank line follows, if anything does
  std::uint64_t line;   // number of its first line, from 1
  std::size_t row;      // its first row; the next sentence's is where its rows end
  std::uint32_t words;
};

// Bytes and whatever keeps them alive: a string, a mapped file.
struct Bytes {
  std::shared_ptr<const void> owner;
  std::string_view view;
};

// Why a line cannot be read. The column counts characters, from 1.
struct Problem {
  std::uint64_t line;
  std::uint64_t column;
  std::string reason;
};

struct ReadOptions {
  std::uint64_t first_line = 1;  // number of the first line, where the bytes are a part of a file
  bool starts_file = true;       // a byte-order mark may come first
  bool ends_file = true;         // if not, the last sentence is examined as far as it goes
  bool check_trees = true;       // cycles are problems
  bool skip_bad = false;         // sentences with problems are left out; otherwise reading stops at the first
};

class Document {
 public:
  static Document read(Bytes bytes, const ReadOptions& options = {});

  std::size_t sentences() const { return layout_->sentences.size(); }
  std::size_t rows() const { return layout_->rows.size(); }
  std::size_t words() const { return layout_->words; }
  std::uint64_t lines() const { return layout_->lines; }  // read, also in sentences left out
  const std::vector<Problem>& problems() const { return layout_->problems; }

  const SentenceEntry& sentence(std::size_t i) const { return layout_->sentences[i]; }
  std::size_t first_row(std::size_t sentence) const { return layout_->sentences[sentence].row; }
  std::size_t last_row(std::size_t sentence) const {  // one past it
    return sentence + 1 < sentences() ? layout_->sentences[sentence + 1].row : rows();
  }

  RowKind kind(std::size_t row) const { return static_cast<RowKind>(layout_->rows[row].kind); }
  Node head(std::size_t row) const { return heads_[row]; }  // kNone where it is unknown, and in rows that are no words
  // What a column holds now. Valid until the next change.
  std::string_view cell(std::size_t row, Column column) const;
  // The same of the first columns, so many.
  using Cells = std::array<std::string_view, kColumns>;
  void cells(std::size_t row, int count, Cells& out) const;
  // Of the columns ID to FEATS the bits of those that hold nothing, which is written "_".
  unsigned blanks(std::size_t row) const;
  // The comments before the first row, with their line ends. Valid until the next change.
  std::string_view comments(std::size_t sentence) const;
  // The value of the first comment `# key = value`; no data if there is none.
  std::string_view comment_value(std::size_t sentence, std::string_view key) const;
  std::uint64_t line_of(std::size_t row) const;

  // Text may not hold what would change the layout (TAB, line ends): the caller sees to that.
  void set_cell(std::size_t row, Column column, std::string_view text);
  void set_head(std::size_t row, Node head);
  // The same for many cells with the same texts: a text gets a number, by which it is then put into cells.
  std::uint32_t text_number(std::string_view text) { return place_of(text); }
  void set_text(std::size_t sentence, std::size_t row, Column column, std::uint32_t number);
  // These numbers themselves, by row; 0: the cell is as it was read. Whoever changes one has to touch its sentence.
  std::span<std::uint32_t> text_numbers(Column column);
  void touch(std::size_t sentence);
  void fill(Column column, std::string_view text);  // in every row
  // Gives the words of a sentence these heads and labels, indexed 0..n; a label is a number in `texts`.
  void set_tree(std::size_t sentence, const std::vector<Node>& heads, const std::vector<Label>& labels,
                const std::vector<std::string>& texts);
  // The same where the texts of labels have numbers already.
  void set_tree(std::size_t sentence, const std::vector<Node>& heads, const std::vector<Label>& labels,
                std::span<const std::uint32_t> numbers);
  void set_comments(std::size_t sentence, std::string_view lines);

  bool changed() const { return !changed_.empty(); }
  bool changed(std::size_t sentence) const { return changed() && changed_[sentence]; }

  bool whole() const { return layout_->whole; }  // no sentence was left out for its problems
  // Appends sentences first..last-1. `faithful` with whatever stands between them, before the first and after the last:
  // all of a document, part by part, is then what was read, but for the changes. Else with one blank line after each.
  void write(std::size_t first, std::size_t last, bool faithful, std::string& out) const;
  // The words alone, without comments and with neither PHEAD nor PDEPREL.
  void write_conllx(std::size_t first, std::size_t last, std::string& out) const;

 private:
  friend class DocumentReader;

  // What reading found: never changed, so copies share it.
  struct Layout {
    Bytes bytes;
    std::vector<Row> rows;
    std::vector<SentenceEntry> sentences;
    std::vector<Problem> problems;
    std::size_t words = 0;
    std::uint64_t lines = 0;
    bool whole = true;
  };

  // Where a column begins and ends in the bytes.
  std::pair<std::uint64_t, std::uint64_t> place(const Row& row, int column) const;
  std::string_view raw_comments(std::size_t sentence) const;
  std::size_t sentence_of(std::size_t row) const;
  std::uint32_t place_of(std::string_view text);  // in `texts_`, counted from 1
  std::uint32_t place_of_head(Node head);
  template <class PlaceOf>
  void put_tree(std::size_t sentence, const std::vector<Node>& heads, const std::vector<Label>& labels,
                PlaceOf&& place_of_label);
  void write_changed(std::size_t sentence, std::uint64_t end, std::string& out) const;

  std::shared_ptr<const Layout> layout_;
  std::vector<Node> heads_;
  std::vector<bool> changed_;  // per sentence; empty if nothing was changed
  // Per column and row, 1 + the place of its new text in `texts_`, or 0; empty if the column was not changed.
  std::array<std::vector<std::uint32_t>, kColumns> edits_;
  std::vector<std::string> texts_;
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> text_place_;
  std::vector<std::uint32_t> head_place_;  // of heads as texts, by head; 0: not asked for yet
  std::map<std::size_t, std::string> new_comments_;
};

// Where the last complete sentence of `bytes` ends, its blank line included; 0 if none does. What follows belongs to
// the next part of the file.
std::size_t last_boundary(std::string_view bytes);

// Whether a text can stand in a column by itself.
inline bool is_cell(std::string_view text) {
  return !text.empty() && text.find_first_of(std::string_view("\t\n\r\0", 4)) == text.npos;
}

// The longest line that is read, and the longest sentence: far above any real one, so that a file which is no treebank
// is refused before it fills the memory.
inline constexpr std::size_t kMaxLine = std::size_t{16} << 20;
inline constexpr std::size_t kMaxSentence = std::size_t{256} << 20;

}  // namespace dynarc
