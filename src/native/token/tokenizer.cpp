#include "token/tokenizer.hpp"

#include <algorithm>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/utf8.hpp"

namespace dynarc {

namespace {

// Sentences that would be longer are ended: a line of a file has a limit.
constexpr std::size_t kMostTokens = 5000;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
// Chunks that are longer are not worth keeping.
constexpr std::size_t kKeptChunk = 32;
constexpr std::size_t kMostChunks = std::size_t{1} << 17;

constexpr Key kNoSpace = 2, kSpace = 3;  // what the tagger of ends is given

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
  std::vector<Token> tokens;
};

// What one thread works with.
struct Tokenizer::Work {
  explicit Work(const Tokenizer& tokenizer)
      : ends(tokenizer.ends_->lease()), splits(tokenizer.split_tagger_->lease()) {}

  Tagger::Lease ends, splits;
  Cutter::Work cutter;
  struct Cuts {
    std::vector<std::uint32_t> ends;
    std::vector<bool> may_split;
  };
  std::unordered_map<Key, Cuts> known;
  Cuts now;
  TagSequence words;
  std::vector<int> last, split;  // classes of tokens
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

void Tokenizer::find_tokens(std::string_view text, Paragraph& paragraph, Work& work) const {
  std::size_t at = paragraph.first;
  std::uint32_t character = 0;
  while (at < paragraph.end) {
    std::size_t end = at;  // of the chunk
    std::string_view rest = text.substr(at, paragraph.end - at);
    while (!rest.empty()) {
      const auto byte = static_cast<unsigned char>(rest[0]);
      if (byte < 0x80) {
        if (is_space(byte)) break;
        rest.remove_prefix(1);
      } else {
        std::string_view ahead = rest;
        if (is_space(next_character(ahead))) break;
        rest = ahead;
      }
    }
    end = paragraph.end - rest.size();
    const std::string_view chunk = text.substr(at, end - at);
    const bool kept = chunk.size() <= kKeptChunk;
    const Work::Cuts* cuts = &work.now;
    const Key key = kept ? text_key(chunk) : 0;
    const auto found = kept ? work.known.find(key) : work.known.end();
    if (found != work.known.end()) {
      cuts = &found->second;
    } else {
      work.now.ends.clear();
      work.now.may_split.clear();
      cutter_.cut(chunk, work.cutter, work.now.ends);
      std::uint32_t begin = 0;
      for (const std::uint32_t stop : work.now.ends) {
        work.now.may_split.push_back(splits_.may_apply(chunk.substr(begin, stop - begin)));
        begin = stop;
      }
      if (kept) {
        if (work.known.size() >= kMostChunks) work.known.clear();
        work.known.emplace(key, work.now);
      }
    }
    std::size_t begin = at;
    for (std::size_t i = 0; i < cuts->ends.size(); ++i) {
      const std::size_t stop = at + cuts->ends[i];
      const auto length = static_cast<std::uint32_t>(count_characters(text.substr(begin, stop - begin)));
      paragraph.tokens.push_back({begin, stop, stop, character, length, cuts->may_split[i]});
      character += length;
      begin = stop;
    }
    std::size_t next = end;
    while (next < paragraph.end) {
      std::string_view ahead = text.substr(next, paragraph.end - next);
      const std::size_t before = ahead.size();
      if (!is_space(next_character(ahead))) break;
      next += before - ahead.size();
      ++character;
    }
    paragraph.tokens.back().next = next;
    at = next;
  }
}

void Tokenizer::write(std::string_view text, const Paragraph& paragraph, const TokenizerOutput& output, Work& work,
                      std::vector<std::string>& sentences) const {
  const std::vector<Token>& tokens = paragraph.tokens;
  work.words.clear();
  bool splits = false;
  for (const Token& token : tokens) {
    work.words.forms.push_back(text.substr(token.begin, token.end - token.begin));
    work.words.given.push_back(token.next == token.end ? kNoSpace : kSpace);
    splits |= token.may_split;
  }
  work.ends.tag(work.words, work.last);
  work.split.assign(tokens.size(), 0);
  if (splits) {
    for (const Token& token : tokens) work.words.groups.push_back(token.may_split);
    const auto context = std::pair(this, &work.words);
    work.splits.tag(work.words, work.split,
                    {[](const void* c, std::size_t word, int choice) {
                       const auto& [self, words] = *static_cast<const std::pair<const Tokenizer*, TagSequence*>*>(c);
                       return choice > 1 && !apply_split(self->splits_.scripts()[static_cast<std::size_t>(choice) - 2],
                                                         words->forms[word]);
                     },
                     &context});
  }
  std::size_t first = 0;
  while (first < tokens.size()) {
    std::size_t last = first;  // token of the sentence
    while (last + 1 < tokens.size() && work.last[last] != 1 && last - first + 1 < kMostTokens &&
           tokens[last + 1].end - tokens[first].begin < kMostBytes)
      ++last;
    std::string& out = sentences.emplace_back();
    out += "# text = ";
    for (std::size_t i = first; i <= last; ++i) {
      out += text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
      if (i < last && tokens[i].next > tokens[i].end) out += ' ';
    }
    out += '\n';
    std::size_t number = 0;
    for (std::size_t i = first; i <= last; ++i) {
      const Token& token = tokens[i];
      const std::string_view form = text.substr(token.begin, token.end - token.begin);
      std::optional<Words> words;
      if (work.split[i] > 1) words = apply_split(splits_.scripts()[static_cast<std::size_t>(work.split[i]) - 2], form);
      std::string misc;
      const auto say = [&](std::string_view what) { (misc += misc.empty() ? "" : "|") += what; };
      if (&token == tokens.data() && paragraph.begin < paragraph.first)
        say("SpacesBefore=" + escaped_spaces(text.substr(paragraph.begin, paragraph.first - paragraph.begin)));
      const std::string_view after = text.substr(token.end, token.next - token.end);
      if (after.empty())
        say("SpaceAfter=No");
      else if (after != " " || token.next == text.size())  // what ends the text is a new line, if nothing is said
        say("SpacesAfter=" + escaped_spaces(after));
      if (output.ranges) {
        const std::uint64_t from = output.first_character + paragraph.character + token.character;
        say("TokenRange=" + std::to_string(from) + ":" + std::to_string(from + token.characters));
      }
      if (misc.empty()) misc = "_";
      const auto row = [&](std::string_view name, std::string_view what, std::string_view last_column) {
        out += name;
        out += '\t';
        out += what;
        out += "\t_\t_\t_\t_\t_\t_\t_\t";
        out += last_column;
        out += '\n';
      };
      if (!words) {
        row(std::to_string(++number), form, misc);
        continue;
      }
      row(std::to_string(number + 1) + "-" + std::to_string(number + words->size()), form, misc);
      for (const std::string& word : *words) row(std::to_string(++number), word, "_");
    }
    out += '\n';
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
  paragraphs.push_back({0, text.size(), at, characters, {}});
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
    paragraphs.push_back({at, text.size(), at, characters, {}});
  }
  std::vector<std::vector<std::string>> sentences(paragraphs.size());
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
  in_parallel(0, paragraphs.size(), threads, [&] {
    return [&, work = take()](std::size_t p) {
      find_tokens(text, paragraphs[p], *work);
      write(text, paragraphs[p], output, *work, sentences[p]);
    };
  });
  std::string out;
  std::uint64_t number = output.first_sentence;
  for (std::size_t p = 0; p < sentences.size(); ++p)
    for (std::size_t s = 0; s < sentences[p].size(); ++s) {
      if (s == 0 && (p > 0 || output.starts_text)) out += "# newpar\n";
      out += "# sent_id = " + std::to_string(number++) + "\n";
      out += sentences[p][s];
    }
  return out;
}

}  // namespace dynarc
