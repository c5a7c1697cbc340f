// What was read, looked up, changed and written.
#include "treebank/document.hpp"

#include <algorithm>

namespace dynarc {

namespace {

constexpr int index(Column column) { return static_cast<int>(column); }

// One line and the rest after it.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end == rest.npos ? rest.size() : end + 1);
  rest.remove_prefix(line.size());
  return line;
}

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t from = text.find_first_not_of(blanks);
  if (from == text.npos) return text.substr(0, 0);
  return text.substr(from, text.find_last_not_of(blanks) + 1 - from);
}

// How the first line ends: that of one sentence, so that it is written alike wherever it stands.
std::string_view line_end(std::string_view text) {
  const std::size_t newline = text.find('\n');
  return newline != text.npos && newline != 0 && text[newline - 1] == '\r' ? "\r\n" : "\n";
}

}  // namespace

std::pair<std::uint64_t, std::uint64_t> Document::place(const Row& row, int column) const {
  if (!row.is_long) {
    Places ends = row.ends;
    std::uint64_t from = row.begin;
    for (int c = 0; c < column; ++c) {
      from = row.begin + static_cast<std::uint64_t>(ends.first()) + 1;
      ends.drop_first();
    }
    return {from, row.begin + static_cast<std::uint64_t>(ends.first())};
  }
  const std::string_view bytes = layout_->bytes.view;
  std::uint64_t begin = row.begin;
  for (int c = 0; c < column; ++c) begin = bytes.find('\t', begin) + 1;
  if (column + 1 < kColumns) return {begin, bytes.find('\t', begin)};
  const std::size_t newline = std::min(bytes.find('\n', begin), bytes.size());
  return {begin, begin + without_end(bytes.substr(begin, newline - begin)).size()};
}

std::string_view Document::cell(std::size_t row, Column column) const {
  const auto& edits = edits_[index(column)];
  if (!edits.empty() && edits[row] != 0) return texts_[edits[row] - 1];
  const auto [begin, end] = place(layout_->rows[row], index(column));
  return layout_->bytes.view.substr(begin, end - begin);
}

void Document::cells(std::size_t row, int count, Cells& out) const {
  const Row& at = layout_->rows[row];
  if (at.is_long) {
    for (int c = 0; c < count; ++c) out[c] = cell(row, static_cast<Column>(c));
    return;
  }
  const char* const text = layout_->bytes.view.data() + at.begin;
  Places ends = at.ends;
  std::size_t from = 0;
  for (int c = 0; c < count; ++c) {
    const auto end = static_cast<std::size_t>(ends.first());
    ends.drop_first();
    out[c] = {text + from, end - from};
    from = end + 1;
    if (!edits_[c].empty() && edits_[c][row] != 0) out[c] = texts_[edits_[c][row] - 1];
  }
}

unsigned Document::blanks(std::size_t row) const {
  unsigned found = 0;
  const Row& at = layout_->rows[row];
  if (!at.is_long) {
    Places ends = at.ends;
    const char* const text = layout_->bytes.view.data() + at.begin;
    int from = 0;
    for (int c = 0; c <= index(Column::feats); ++c) {
      const int end = ends.first();
      found |= static_cast<unsigned>(end == from + 1 && text[from] == '_') << c;
      from = end + 1;
      ends.drop_first();
    }
  }
  for (int c = 0; c <= index(Column::feats); ++c)
    if (at.is_long || (!edits_[c].empty() && edits_[c][row] != 0))
      found = (found & ~(1u << c)) | static_cast<unsigned>(cell(row, static_cast<Column>(c)) == "_") << c;
  return found;
}

std::string_view Document::raw_comments(std::size_t sentence) const {
  const SentenceEntry& s = layout_->sentences[sentence];
  return layout_->bytes.view.substr(s.begin, layout_->rows[s.row].begin - s.begin);
}

std::string_view Document::comments(std::size_t sentence) const {
  const auto found = new_comments_.find(sentence);
  return found == new_comments_.end() ? raw_comments(sentence) : std::string_view(found->second);
}

std::string_view Document::comment_value(std::size_t sentence, std::string_view key) const {
  std::string_view rest = comments(sentence);
  while (!rest.empty()) {
    const std::string_view line = without_end(next_line(rest)).substr(1);
    const std::size_t equals = line.find('=');
    if (equals == line.npos || trimmed(line.substr(0, equals), " \t") != key) continue;
    // Spaces only: a no-break space at the end of a text belongs to the text.
    return trimmed(line.substr(equals + 1), " ");
  }
  return {};
}

std::size_t Document::sentence_of(std::size_t row) const {
  const auto after = std::ranges::upper_bound(layout_->sentences, row, {}, &SentenceEntry::row);
  return static_cast<std::size_t>(after - layout_->sentences.begin()) - 1;
}

std::uint64_t Document::line_of(std::size_t row) const {
  const SentenceEntry& s = layout_->sentences[sentence_of(row)];
  const auto before = layout_->bytes.view.substr(s.begin, layout_->rows[row].begin - s.begin);
  return s.line + static_cast<std::uint64_t>(std::ranges::count(before, '\n'));
}

void Document::touch(std::size_t sentence) {
  if (changed_.empty()) changed_.resize(sentences());
  changed_[sentence] = true;
}

std::uint32_t Document::place_of(std::string_view text) {
  auto place = text_place_.find(text);
  if (place == text_place_.end()) {
    texts_.emplace_back(text);
    place = text_place_.emplace(text, static_cast<std::uint32_t>(texts_.size())).first;
  }
  return place->second;
}

void Document::set_cell(std::size_t row, Column column, std::string_view text) {
  if (text == cell(row, column)) return;
  touch(sentence_of(row));
  auto& edits = edits_[index(column)];
  if (edits.empty()) edits.resize(rows());
  edits[row] = place_of(text);
}

void Document::set_text(std::size_t sentence, std::size_t row, Column column, std::uint32_t number) {
  touch(sentence);
  text_numbers(column)[row] = number;
}

std::span<std::uint32_t> Document::text_numbers(Column column) {
  auto& edits = edits_[index(column)];
  if (edits.empty()) edits.resize(rows());
  return edits;
}

void Document::fill(Column column, std::string_view text) {
  changed_.assign(sentences(), true);
  edits_[index(column)].assign(rows(), place_of(text));
}

void Document::set_head(std::size_t row, Node head) {
  set_cell(row, Column::head, head == kNone ? std::string("_") : std::to_string(head));
  heads_[row] = head;
}

std::uint32_t Document::place_of_head(Node head) {
  if (head == kNone) return place_of("_");
  const auto number = static_cast<std::size_t>(head);
  if (head_place_.size() <= number) head_place_.resize(2 * number + 1);
  if (head_place_[number] == 0) head_place_[number] = place_of(std::to_string(head));
  return head_place_[number];
}

template <class PlaceOf>
void Document::put_tree(std::size_t sentence, const std::vector<Node>& heads, const std::vector<Label>& labels,
                        PlaceOf&& place_of_label) {
  const std::span<std::uint32_t> new_heads = text_numbers(Column::head), new_labels = text_numbers(Column::deprel);
  std::size_t node = 0;
  for (std::size_t r = first_row(sentence); r < last_row(sentence); ++r) {
    if (kind(r) != RowKind::word) continue;
    ++node;
    const std::uint32_t label = place_of_label(labels[node]);
    if (heads_[r] == heads[node] && texts_[label - 1] == cell(r, Column::deprel)) continue;
    touch(sentence);
    if (heads_[r] != heads[node]) new_heads[r] = place_of_head(heads[node]);
    new_labels[r] = label;
    heads_[r] = heads[node];
  }
}

void Document::set_tree(std::size_t sentence, const std::vector<Node>& heads, const std::vector<Label>& labels,
                        const std::vector<std::string>& texts) {
  put_tree(sentence, heads, labels, [&](Label label) {
    return place_of(label == kNoLabel ? std::string_view("_") : texts[static_cast<std::size_t>(label)]);
  });
}

void Document::set_tree(std::size_t sentence, const std::vector<Node>& heads, const std::vector<Label>& labels,
                        std::span<const std::uint32_t> numbers) {
  put_tree(sentence, heads, labels,
           [&](Label label) { return label == kNoLabel ? place_of("_") : numbers[static_cast<std::size_t>(label)]; });
}

void Document::set_comments(std::size_t sentence, std::string_view lines) {
  if (lines == comments(sentence)) return;
  touch(sentence);
  new_comments_[sentence] = lines;
}

// The bytes of one sentence and what follows it up to `end`, with the changes in it.
void Document::write_changed(std::size_t sentence, std::uint64_t end, std::string& out) const {
  const std::string_view bytes = layout_->bytes.view;
  std::uint64_t written = layout_->sentences[sentence].begin;
  const auto replace = [&](std::uint64_t from, std::uint64_t to, std::string_view text) {
    out += bytes.substr(written, from - written);
    out += text;
    written = to;
  };
  if (const auto found = new_comments_.find(sentence); found != new_comments_.end())
    replace(written, layout_->rows[first_row(sentence)].begin, found->second);
  for (std::size_t r = first_row(sentence); r < last_row(sentence); ++r) {
    const Row& row = layout_->rows[r];
    for (int c = 0; c < kColumns; ++c) {
      if (edits_[c].empty() || edits_[c][r] == 0) continue;
      const auto [begin, stop] = place(row, c);
      replace(begin, stop, texts_[edits_[c][r] - 1]);
    }
  }
  out += bytes.substr(written, end - written);
}

void Document::write(std::size_t first, std::size_t last, bool faithful, std::string& out) const {
  const std::string_view bytes = layout_->bytes.view;
  const auto& all = layout_->sentences;
  const auto begin = [&](std::size_t i) { return i < all.size() ? all[i].begin : bytes.size(); };
  if (faithful && first == 0) out += bytes.substr(0, begin(0));
  if (faithful && !changed()) {
    if (first < last) out += bytes.substr(begin(first), begin(last) - begin(first));
    return;
  }
  for (std::size_t i = first; i < last; ++i) {
    const std::uint64_t end = faithful ? begin(i + 1) : all[i].end;
    const std::size_t start = out.size();
    if (changed(i))
      write_changed(i, end, out);
    else
      out += bytes.substr(all[i].begin, end - all[i].begin);
    if (faithful) continue;
    const auto newline = [&] { return line_end(std::string_view(out).substr(start)); };
    if (!out.ends_with('\n')) out += out.ends_with('\r') ? "\n" : newline();  // half a line end is completed
    out += newline();
  }
}

void Document::write_conllx(std::size_t first, std::size_t last, std::string& out) const {
  for (std::size_t i = first; i < last; ++i) {
    for (std::size_t r = first_row(i); r < last_row(i); ++r) {
      if (kind(r) != RowKind::word) continue;
      for (int c = 0; c < index(Column::deps); ++c) {
        out += cell(r, static_cast<Column>(c));
        out += '\t';
      }
      out += "_\t_\n";
    }
    out += '\n';
  }
}

}  // namespace dynarc
