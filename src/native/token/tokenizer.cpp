#include "token/tokenizer.hpp"

#include <algorithm>
#include <cstring>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/utf8.hpp"
#include "tag/key_table.hpp"

namespace dynarc {

namespace {

// Sentences that would be longer are ended: a line of a file has a limit.
constexpr std::size_t kMostTokens = 5000;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
// Chunks that are longer are not worth keeping.
constexpr std::size_t kKeptChunk = 64;
constexpr std::size_t kMostChunks = std::size_t{1} << 17;

// So much longer than the text is what is written, if it is ordinary text.
constexpr std::size_t kBytesPerByte = 8;

constexpr Key kNoSpace = 2, kSpace = 3;  // what the tagger of ends is given

// Writes over a text that is never made shorter, and so is filled with zeros only once.
class TextWriter {
 public:
  explicit TextWriter(std::string& text) : text_(text) {}
  std::size_t size() const { return size_; }
  void put(std::string_view part) {
    if (size_ + part.size() > text_.size()) text_.resize(2 * (size_ + part.size()) + 1024);
    std::memcpy(text_.data() + size_, part.data(), part.size());
    size_ += part.size();
  }
  void put(char c) { put(std::string_view(&c, 1)); }
  // A number as text, until the next one.
  std::string_view digits(unsigned number) {
    char* from = digits_ + sizeof(digits_);
    do *--from = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    return {from, static_cast<std::size_t>(digits_ + sizeof(digits_) - from)};
  }

 private:
  std::string& text_;
  std::size_t size_ = 0;
  char digits_[10];
};

}  // namespace

std::string escaped_spaces(std::string_view spaces) {
  std::string out;
  for (const char c : spaces) {
    switch (c) {
      case ' ': out += "\\s"; break;
      case '\t': out += "\\t"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '|': out += "\\p"; break;
      case '\0': out += "\\0"; break;
      case '\\': out += "\\\\"; break;
      default: out += c;
    }
  }
  return out;
}

Splits::Splits(std::vector<std::string> scripts) : scripts_(std::move(scripts)) {
  for (const std::string& script : scripts_) {
    if (script.empty() || std::string_view("~-=").find(script[0]) == std::string_view::npos)
      throw ModelFormatError("a tokenizer splits words by a rule that is none");
    for (const char c : script)
      if (c != '\t' && !is_cell({&c, 1})) throw ModelFormatError("a tokenizer makes words that are none");
    bool whole = false;
    const std::string ending = split_ending(script, whole);
    (whole ? wholes_ : endings_).emplace(ending, 0);
    if (!whole) longest_ = std::max(longest_, static_cast<int>(count_characters(ending)));
  }
}

bool Splits::may_apply(std::string_view token) const {
  if (scripts_.empty()) return false;
  const std::string lower = lowercase(token);
  if (wholes_.contains(lower)) return true;
  for (int k = 1; k <= longest_; ++k) {
    const std::string_view end = suffix(lower, k);
    if (end.size() == lower.size()) return false;
    if (endings_.contains(std::string(end))) return true;
  }
  return false;
}

struct Tokenizer::Token {
  std::size_t begin, end;   // in the bytes of the text
  std::size_t next;         // where the next token begins, or the text ends
  std::uint32_t character;  // number of its first character in the paragraph
  std::uint32_t characters;
  bool may_split;
};

struct Tokenizer::Paragraph {
  std::size_t begin, end;  // begins with its first token, but the first of all; ends where the next begins
  std::size_t first;       // of its first token
  std::uint64_t character = 0;
};

// A paragraph as CoNLL-U, without the numbers of its sentences.
struct Tokenizer::Written {
  std::string text;
  std::vector<std::size_t> ends;  // of sentences
};

// What one thread works with.
struct Tokenizer::Work {
  explicit Work(const Tokenizer& tokenizer)
      : ends(tokenizer.ends_->lease()), splits(tokenizer.split_tagger_->lease()) {}

  Tagger::Lease ends, splits;
  Cutter::Work cutter;
  std::vector<std::uint32_t> cuts;
  // A token of a chunk that is known.
  struct Piece {
    std::uint32_t end, characters;
    std::uint32_t number;  // of its text
    bool may_split, is_last;
  };
  KeyTable numbers;           // of texts of tokens
  KeyTable known;             // chunks, by the place of their first piece
  std::vector<Piece> pieces;  // of chunks that are known; then those of the last chunk, if it is not kept
  std::vector<Token> tokens;
  TagSequence words;
  std::vector<int> last, split;  // classes of tokens

  void forget() {
    numbers.clear();
    known.clear();
    pieces.clear();
    ends.forget();
    splits.forget();
  }
};

Tokenizer::Tokenizer(Cutter cutter, std::shared_ptr<const Tagger> ends, std::vector<std::string> scripts,
                     std::shared_ptr<const Tagger> splits)
    : cutter_(std::move(cutter)),
      ends_(std::move(ends)),
      splits_(std::move(scripts)),
      split_tagger_(std::move(splits)) {
  if (ends_->shape().groups != ends_shape().groups ||
      split_tagger_->shape().groups != splits_shape(splits_.scripts().size()).groups)
    throw ModelFormatError("the parts of a tokenizer do not fit together");
}

Tokenizer::~Tokenizer() = default;

TaggerShape ends_shape() { return {Look::ends, {0, 2}, 1}; }
TaggerShape splits_shape(std::size_t scripts) { return {Look::ends, {0, 1, 2 + static_cast<int>(scripts)}, 1}; }

// Where the pieces of a chunk are that is cut now.
std::size_t Tokenizer::cut(std::string_view chunk, Work& work) const {
  const std::size_t first = work.pieces.size();
  work.cuts.clear();
  cutter_.cut(chunk, work.cutter, work.cuts);
  std::uint32_t begin = 0;
  for (const std::uint32_t end : work.cuts) {
    const std::string_view token = chunk.substr(begin, end - begin);
    const Key key = text_key(token);
    std::uint32_t number = work.numbers.find(key);
    if (number == KeyTable::kNone) {
      number = static_cast<std::uint32_t>(work.numbers.size());
      work.numbers.add(key, number);
    }
    work.pieces.push_back({end, static_cast<std::uint32_t>(count_characters(token)), number, splits_.may_apply(token),
                           end == chunk.size()});
    begin = end;
  }
  return first;
}

void Tokenizer::find_tokens(std::string_view text, const Paragraph& paragraph, Work& work) const {
  if (work.known.size() > kMostChunks) work.forget();
  work.tokens.clear();
  work.words.clear();
  std::size_t at = paragraph.first;
  std::uint32_t character = 0;
  while (at < paragraph.end) {
    std::size_t end = at;  // of the chunk
    while (end < paragraph.end) {
      const auto byte = static_cast<unsigned char>(text[end]);
      if (byte > ' ' && byte < 0x7F) {
        ++end;
        continue;
      }
      std::string_view ahead = text.substr(end, paragraph.end - end);
      const std::size_t before = ahead.size();
      if (is_space(next_character(ahead))) break;
      end += before - ahead.size();
    }
    const std::string_view chunk = text.substr(at, end - at);
    const bool kept = chunk.size() <= kKeptChunk;
    const Key key = kept ? text_key(chunk) : 0;
    const std::uint32_t found = kept ? work.known.find(key) : KeyTable::kNone;
    const std::size_t first = found == KeyTable::kNone ? cut(chunk, work) : found;
    if (kept && found == KeyTable::kNone) work.known.add(key, static_cast<std::uint32_t>(first));
    std::size_t begin = at;
    for (std::size_t p = first;; ++p) {
      const Work::Piece& piece = work.pieces[p];
      const std::size_t stop = at + piece.end;
      work.tokens.push_back({begin, stop, stop, character, piece.characters, piece.may_split});
      work.words.forms.push_back(text.substr(begin, stop - begin));
      work.words.numbers.push_back(piece.number);
      character += piece.characters;
      begin = stop;
      if (piece.is_last) break;
    }
    if (!kept) work.pieces.resize(first);
    std::size_t next = end;
    while (next < paragraph.end) {
      const auto byte = static_cast<unsigned char>(text[next]);
      if (byte > ' ' && byte < 0x7F) break;
      std::string_view ahead = text.substr(next, paragraph.end - next);
      const std::size_t before = ahead.size();
      if (!is_space(next_character(ahead))) break;
      next += before - ahead.size();
      ++character;
    }
    work.tokens.back().next = next;
    at = next;
  }
}

void Tokenizer::find_sentences(Work& work) const {
  const std::vector<Token>& tokens = work.tokens;
  bool splits = false;
  for (const Token& token : tokens) {
    work.words.given.push_back(token.next == token.end ? kNoSpace : kSpace);
    splits |= token.may_split;
  }
  const Stretch all{0, tokens.size()};
  work.last.resize(tokens.size());
  work.ends.tag(work.words, {&all, 1}, work.last);
  work.split.assign(tokens.size(), 0);
  if (!splits) return;
  for (const Token& token : tokens) work.words.groups.push_back(token.may_split);
  const auto context = std::pair(this, &work.words);
  work.splits.tag(work.words, {&all, 1}, work.split,
                  {[](const void* c, std::size_t word, int choice) {
                     const auto& [self, words] = *static_cast<const std::pair<const Tokenizer*, TagSequence*>*>(c);
                     return choice > 1 && !apply_split(self->splits_.scripts()[static_cast<std::size_t>(choice) - 2],
                                                       words->forms[word]);
                   },
                   &context});
}

void Tokenizer::write(std::string_view text, const Paragraph& paragraph, const TokenizerOutput& output, Work& work,
                      Written& out) const {
  const std::vector<Token>& tokens = work.tokens;
  TextWriter to(out.text);
  out.ends.clear();
  const auto row = [&to](std::string_view name, std::string_view form, std::string_view misc) {
    to.put(name);
    to.put('\t');
    to.put(form);
    to.put("\t_\t_\t_\t_\t_\t_\t_\t");
    to.put(misc);
    to.put('\n');
  };
  std::string misc;
  std::size_t first = 0;
  while (first < tokens.size()) {
    std::size_t last = first;  // token of the sentence
    bool plain = true;         // single spaces only
    while (last + 1 < tokens.size() && work.last[last] != 1 && last - first + 1 < kMostTokens &&
           tokens[last + 1].end - tokens[first].begin < kMostBytes) {
      const Token& token = tokens[last];
      plain &= token.next == token.end || (token.next == token.end + 1 && text[token.end] == ' ');
      ++last;
    }
    to.put("# text = ");
    if (plain) {
      to.put(text.substr(tokens[first].begin, tokens[last].end - tokens[first].begin));
    } else {
      for (std::size_t i = first; i <= last; ++i) {
        to.put(text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin));
        if (i < last && tokens[i].next > tokens[i].end) to.put(' ');
      }
    }
    to.put('\n');
    unsigned number = 0;
    for (std::size_t i = first; i <= last; ++i) {
      const Token& token = tokens[i];
      const std::string_view form = text.substr(token.begin, token.end - token.begin);
      const std::string_view after = text.substr(token.end, token.next - token.end);
      misc.clear();
      const auto say = [&misc](std::string_view what) { (misc += misc.empty() ? "" : "|") += what; };
      if (i == 0 && paragraph.begin < paragraph.first)
        say("SpacesBefore=" + escaped_spaces(text.substr(paragraph.begin, paragraph.first - paragraph.begin)));
      if (after.empty())
        say("SpaceAfter=No");
      else if (after != " " || token.next == text.size())  // what ends the text is a new line, if nothing is said
        say("SpacesAfter=" + escaped_spaces(after));
      if (output.ranges) {
        const std::uint64_t from = output.first_character + paragraph.character + token.character;
        say("TokenRange=" + std::to_string(from) + ":" + std::to_string(from + token.characters));
      }
      const std::string_view last_column = misc.empty() ? "_" : std::string_view(misc);
      std::optional<Words> words;
      if (work.split[i] > 1) words = apply_split(splits_.scripts()[static_cast<std::size_t>(work.split[i]) - 2], form);
      if (!words) {
        row(to.digits(++number), form, last_column);
        continue;
      }
      row(std::to_string(number + 1) + "-" + std::to_string(number + words->size()), form, last_column);
      for (const std::string& word : *words) row(to.digits(++number), word, "_");
    }
    to.put('\n');
    out.ends.push_back(to.size());
    first = last + 1;
  }
}

std::string Tokenizer::conllu(std::string_view text, const TokenizerOutput& output, int threads) const {
  // Paragraphs end at white space with two ends of lines in it.
  std::vector<Paragraph> paragraphs;
  std::uint64_t characters = 0;
  std::size_t at = 0;
  const auto skip_spaces = [&](int& lines) {
    while (at < text.size()) {
      std::string_view rest = text.substr(at);
      const char32_t c = next_character(rest);
      if (!is_space(c)) return;
      lines += c == '\n';
      at = text.size() - rest.size();
      ++characters;
    }
  };
  int lines = 0;
  skip_spaces(lines);
  if (at == text.size()) return {};
  paragraphs.push_back({0, text.size(), at, characters});
  while (at < text.size()) {
    // Only white space can hold the end of a line, so it is enough to look for those.
    const std::size_t line = text.find('\n', at);
    if (line == text.npos) break;
    std::size_t from = line;
    const auto is_ascii_space = [](char c) { return c == ' ' || (c >= 9 && c <= 13); };
    while (from > at && is_ascii_space(text[from - 1])) --from;
    characters += count_characters(text.substr(at, from - at));
    at = from;
    lines = 0;
    skip_spaces(lines);
    if (at == text.size() || lines < 2) continue;
    paragraphs.back().end = at;
    paragraphs.push_back({at, text.size(), at, characters});
  }
  const auto give_back = [this](Work* work) {
    const std::lock_guard lock(mutex_);
    idle_.emplace_back(work);
  };
  const auto take = [&]() -> std::shared_ptr<Work> {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return {new Work(*this), give_back};
    auto work = std::move(idle_.back());
    idle_.pop_back();
    return {work.release(), give_back};
  };
  const auto make = [&](std::size_t p, Work& work, Written& written) {
    find_tokens(text, paragraphs[p], work);
    find_sentences(work);
    write(text, paragraphs[p], output, work, written);
  };
  std::string out;
  out.reserve(kBytesPerByte * text.size());
  std::uint64_t number = output.first_sentence;
  const auto append = [&](std::size_t p, const Written& written) {
    std::size_t from = 0;
    for (const std::size_t end : written.ends) {
      if (from == 0 && (p > 0 || output.starts_text)) out += "# newpar\n";
      out += "# sent_id = ";
      out += std::to_string(number++);
      out += '\n';
      out.append(written.text, from, end - from);
      from = end;
    }
  };
  if (threads == 1) {  // one paragraph is needed at a time, so its room is always the same
    const auto work = take();
    Written written;
    for (std::size_t p = 0; p < paragraphs.size(); ++p) {
      make(p, *work, written);
      append(p, written);
    }
    return out;
  }
  std::vector<Written> all(paragraphs.size());
  in_parallel(0, paragraphs.size(), threads,
              [&] { return [&, work = take()](std::size_t p) { make(p, *work, all[p]); }; });
  for (std::size_t p = 0; p < all.size(); ++p) append(p, all[p]);
  return out;
}

}  // namespace dynarc
