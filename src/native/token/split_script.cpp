#include "token/split_script.hpp"

#include "base/characters.hpp"

namespace dynarc {

namespace {

constexpr std::size_t kLeastStem = 3;  // bytes of a stem that an ending is cut from

std::vector<std::string_view> parts(std::string_view script) {
  std::vector<std::string_view> out;
  script.remove_prefix(1);
  for (;;) {
    const std::size_t tab = script.find('\t');
    out.push_back(script.substr(0, tab));
    if (tab == script.npos) return out;
    script.remove_prefix(tab + 1);
  }
}

template <class Texts>
std::string joined(const Texts& texts, std::size_t from = 0) {
  std::string out;
  for (std::size_t i = from; i < texts.size(); ++i) out += texts[i];
  return out;
}

Words lowered(const Words& words) {
  Words out;
  for (const std::string& word : words) out.push_back(lowercase(word));
  return out;
}

int characters_in(std::string_view text) {
  int count = 0;
  for (; !text.empty(); ++count) next_character(text);
  return count;
}

// A text cut into as many characters as each of the others has.
template <class Texts>
void cut_like(std::string_view text, const Texts& like, std::size_t from, Words& out) {
  for (std::size_t i = from; i < like.size(); ++i) {
    const std::string_view piece = prefix(text, characters_in(like[i]));
    out.emplace_back(piece);
    text.remove_prefix(piece.size());
  }
}

bool is_capital(std::string_view text) {
  if (text.empty()) return false;
  const char32_t c = next_character(text);
  return lower_character(c) != c;
}

std::string capitalised(std::string_view text) {
  std::string out;
  if (text.empty()) return out;
  append_character(out, upper_character(next_character(text)));
  return out + std::string(text);
}

}  // namespace

std::optional<std::string> ending_script(std::string_view token, const Words& words) {
  const std::string lower = lowercase(token);
  const Words small = lowered(words);
  std::string script;
  if (joined(small) == lower) {
    script = "~";
    for (std::size_t i = 1; i < small.size(); ++i) script += (i > 1 ? "\t" : "") + small[i];
    return script;
  }
  std::string_view stem = lower;
  for (; !stem.empty() && !small[0].starts_with(stem); stem.remove_suffix(suffix(stem, 1).size())) {
  }
  if (stem.size() < kLeastStem || stem.size() == lower.size()) return std::nullopt;
  script = "-" + lower.substr(stem.size()) + "\t" + small[0].substr(stem.size());
  for (std::size_t i = 1; i < small.size(); ++i) script += "\t" + small[i];
  return script;
}

std::string whole_script(std::string_view token, const Words& words) {
  std::string script = "=" + lowercase(token);
  for (const std::string& word : lowered(words)) script += "\t" + word;
  return script;
}

std::string split_ending(std::string_view script, bool& whole) {
  whole = script.starts_with('=');
  const auto texts = parts(script);
  return script.starts_with('~') ? joined(texts) : std::string(texts[0]);
}

std::optional<Words> apply_split(std::string_view script, std::string_view token) {
  if (script.empty()) return std::nullopt;
  const auto texts = parts(script);
  const std::string lower = lowercase(token);
  bool whole = false;
  const std::string ending = split_ending(script, whole);
  if (whole ? lower != ending : !lower.ends_with(ending) || lower.size() == ending.size()) return std::nullopt;
  Words words;
  if (whole) {
    const std::vector<std::string_view> found(texts.begin() + 1, texts.end());
    if (joined(found) == lower) {
      cut_like(token, found, 0, words);
    } else {
      for (const std::string_view text : found) words.emplace_back(text);
      if (is_capital(token) && !words.empty()) words[0] = capitalised(words[0]);
    }
  } else {
    const std::string_view end = suffix(token, characters_in(ending));
    std::string first(token.substr(0, token.size() - end.size()));
    if (script.starts_with('~')) {
      words.push_back(std::move(first));
      cut_like(end, texts, 0, words);
    } else {
      if (texts.size() < 3) return std::nullopt;
      words.push_back(first + std::string(texts[1]));
      for (std::size_t i = 2; i < texts.size(); ++i) words.emplace_back(texts[i]);
    }
  }
  if (words.size() < 2) return std::nullopt;
  for (const std::string& word : words)
    if (word.empty()) return std::nullopt;
  return words;
}

}  // namespace dynarc
