#include "tag/edit_script.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/characters.hpp"

namespace dynarc {

namespace {

using Characters = std::u32string;

// Longer words are compared as a whole: nobody inflects them.
constexpr std::size_t kLongest = 100;

Characters characters(std::string_view text) {
  Characters out;
  while (!text.empty()) out += next_character(text);
  return out;
}

std::string text_of(const Characters& all, std::size_t from, std::size_t to) {
  std::string out;
  for (std::size_t i = from; i < to; ++i) append_character(out, all[i]);
  return out;
}

std::string in_case(std::string_view form, char kind) {
  if (kind == 'k') return std::string(form);
  if (kind == 'l') return lowercase(form);
  const std::string_view first = prefix(form, 1);
  return std::string(first) + lowercase(form.substr(first.size()));
}

// The longest run of characters that two words share: where it begins in each, and how long it is. Of equals the first.
struct Shared {
  std::size_t a = 0, b = 0, size = 0;
};
Shared longest_shared(const Characters& a, const Characters& b) {
  Shared best;
  std::vector<std::size_t> row(b.size() + 1), last(b.size() + 1);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = a[i - 1] == b[j - 1] ? last[j - 1] + 1 : 0;
      if (row[j] > best.size) best = {i - row[j], j - row[j], row[j]};
    }
    std::swap(row, last);
  }
  return best;
}

}  // namespace

std::string edit_script(std::string_view form, std::string_view lemma) {
  const Characters to = characters(lemma);
  std::string chosen;
  std::size_t most = 0;
  for (const char kind : {'l', 'k', 't'}) {
    const Characters from = characters(in_case(form, kind));
    if (from.size() > kLongest || to.size() > kLongest) {
      if (from == to) return std::string(1, kind) + "0//0/";
      continue;
    }
    const Shared shared = longest_shared(from, to);
    if (shared.size <= most) continue;
    most = shared.size;
    chosen = kind + std::to_string(shared.a) + '/' + text_of(to, 0, shared.b) + '/' +
             std::to_string(from.size() - shared.a - shared.size) + '/' +
             text_of(to, shared.b + shared.size, to.size());
  }
  // With a slash of its own a lemma could not be told from the signs of the script.
  const auto slashes = std::ranges::count(chosen, '/');
  return most == 0 || slashes != 3 ? "=" + std::string(lemma) : chosen;
}

std::optional<std::string> apply_script(std::string_view script, std::string_view form) {
  if (script.starts_with('=')) return std::string(script.substr(1));
  if (script.empty() || (script[0] != 'k' && script[0] != 'l' && script[0] != 't')) return std::nullopt;
  const std::string cased = in_case(form, script[0]);
  script.remove_prefix(1);
  std::size_t cut[2];
  std::string_view put[2];
  for (int side = 0; side < 2; ++side) {
    const auto [end, error] = std::from_chars(script.data(), script.data() + script.size(), cut[side]);
    script.remove_prefix(static_cast<std::size_t>(end - script.data()));
    if (error != std::errc{} || !script.starts_with('/')) return std::nullopt;
    script.remove_prefix(1);
    put[side] = script.substr(0, side == 0 ? script.find('/') : script.size());
    script.remove_prefix(std::min(script.size(), put[side].size() + 1));
  }
  if (cut[0] > cased.size() || cut[1] > cased.size()) return std::nullopt;
  std::string_view rest = cased;
  for (std::size_t i = 0; i < cut[0]; ++i) {
    if (rest.empty()) return std::nullopt;
    next_character(rest);
  }
  const std::string_view end = suffix(rest, static_cast<int>(cut[1]));
  if (cut[1] > 0 && prefix(end, static_cast<int>(cut[1]) - 1).size() == end.size()) return std::nullopt;  // too short
  rest.remove_suffix(end.size());
  std::string lemma = std::string(put[0]) + std::string(rest) + std::string(put[1]);
  if (lemma.empty()) return std::nullopt;
  return lemma;
}

}  // namespace dynarc
