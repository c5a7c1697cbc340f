// Learning where tokens and sentences end, and which tokens are several words.
#include <algorithm>
#include <map>
#include <set>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/rng.hpp"
#include "token/tokenizer.hpp"

namespace dynarc {

namespace {

// Sentences of a paragraph, where a treebank does not say.
constexpr std::size_t kParagraph = 10;
// Tokens seen so often, and never at the end of a sentence, are not thought to end one.
constexpr int kFixedEnds = 20;
// Different tokens that must end alike before others are split by it.
constexpr std::size_t kLeastTokens = 2;

bool says_no_space(std::string_view misc) {
  while (!misc.empty()) {
    const std::size_t bar = std::min(misc.find('|'), misc.size());
    if (misc.substr(0, bar) == "SpaceAfter=No") return true;
    misc.remove_prefix(std::min(bar + 1, misc.size()));
  }
  return false;
}

// Of scripts that are written without spaces.
bool is_unspaced(char32_t c) {
  return (c >= 0x3040 && c < 0x3100) || (c >= 0x3400 && c < 0xA000) || (c >= 0x20000 && c < 0x32000) ||
         (c >= 0x0E00 && c < 0x0EE0) || (c >= 0x1000 && c < 0x10A0) || (c >= 0x1780 && c < 0x1800);
}

// Whether a treebank that says nothing of spaces is in such a script.
bool is_unspaced(const Document& document) {
  std::uint64_t unspaced = 0, all = 0;
  for (std::size_t r = 0; r < document.rows(); ++r) {
    if (says_no_space(document.cell(r, Column::misc))) return false;
    std::string_view form = document.cell(r, Column::form);
    for (; !form.empty(); ++all) unspaced += is_unspaced(next_character(form));
  }
  for (std::size_t s = 0; s < document.sentences(); ++s)
    if (document.comment_value(s, "text").data() != nullptr) return false;
  return 2 * unspaced > all;
}

bool is_plain(std::string_view form) {  // letters and digits that would be read as one word
  return !form.empty() && std::ranges::all_of(form, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

bool has_comment(const Document& document, std::size_t sentence, std::string_view key) {
  const std::string_view comments = document.comments(sentence);
  for (std::size_t at = 0; at < comments.size();) {
    const std::size_t end = std::min(comments.find('\n', at), comments.size());
    std::string_view line = comments.substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
    if (line.starts_with(key)) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

TokenizerTraining::TokenizerTraining(const Document& document, std::uint64_t seed) : seed_(seed) {
  read(document);
  if (paragraphs_.empty()) throw ConfigError("there are no sentences to learn tokens from");
  make_scripts();
  make_chunks();
}

void TokenizerTraining::read(const Document& document) {
  const bool unspaced = is_unspaced(document);
  bool has_paragraphs = false;
  for (std::size_t s = 0; s < document.sentences(); ++s)
    has_paragraphs |= has_comment(document, s, "newpar") || has_comment(document, s, "newdoc");
  std::size_t in_paragraph = 0;
  for (std::size_t s = 0; s < document.sentences(); ++s) {
    const bool fresh = has_paragraphs ? has_comment(document, s, "newpar") || has_comment(document, s, "newdoc")
                                      : in_paragraph == kParagraph;
    if (fresh || s == 0) {
      paragraphs_.emplace_back();
      in_paragraph = 0;
    }
    ++in_paragraph;
    Paragraph& paragraph = paragraphs_.back();
    std::string_view text = document.comment_value(s, "text");
    std::size_t inside = 0;  // words that belong to the token before
    for (std::size_t r = document.first_row(s); r < document.last_row(s); ++r) {
      if (document.kind(r) == RowKind::empty) continue;
      const std::string_view form = document.cell(r, Column::form);
      if (document.kind(r) == RowKind::word && inside > 0) {
        paragraph.back().words.emplace_back(form);
        --inside;
        continue;
      }
      if (document.kind(r) == RowKind::range) {
        const std::string_view id = document.cell(r, Column::id);
        const std::size_t dash = id.find('-');
        inside = std::stoul(std::string(id.substr(dash + 1))) - std::stoul(std::string(id.substr(0, dash))) + 1;
      }
      bool space = !says_no_space(document.cell(r, Column::misc));
      if (text.starts_with(form)) {  // the text knows best
        text.remove_prefix(form.size());
        if (!text.empty()) {
          space = text[0] == ' ';
          while (text.starts_with(' ')) text.remove_prefix(1);
        }
      } else {
        text = {};
      }
      // A token with spaces in it cannot be found as one: it is learned in parts.
      std::string_view rest = form;
      while (!rest.empty()) {
        std::string_view ahead = rest;
        while (!ahead.empty()) {
          std::string_view after = ahead;
          if (is_space(next_character(after))) break;
          ahead = after;
        }
        const std::string_view part = rest.substr(0, rest.size() - ahead.size());
        rest = ahead;
        while (!rest.empty()) {
          std::string_view after = rest;
          if (!is_space(next_character(after))) break;
          rest = after;
        }
        if (!part.empty()) paragraph.push_back({std::string(part), rest.empty() ? space : true, false, {}});
      }
    }
    if (!paragraph.empty()) paragraph.back().ends = true;
  }
  if (unspaced)
    for (Paragraph& paragraph : paragraphs_)
      for (std::size_t i = 0; i < paragraph.size(); ++i)
        paragraph[i].space = i + 1 < paragraph.size() && is_plain(paragraph[i].form) && is_plain(paragraph[i + 1].form);
  std::erase_if(paragraphs_, [](const Paragraph& paragraph) { return paragraph.empty(); });
}

void TokenizerTraining::make_scripts() {
  std::map<std::string, std::set<std::string>> tokens_of;  // endings
  for (const Paragraph& paragraph : paragraphs_)
    for (const Token& token : paragraph)
      if (token.words.size() > 1)
        if (const auto script = ending_script(token.form, token.words))
          tokens_of[*script].insert(lowercase(token.form));
  std::set<std::string> used;
  const auto script_of = [&](const Token& token) -> std::string {
    const auto ending = ending_script(token.form, token.words);
    return ending && tokens_of[*ending].size() >= kLeastTokens ? *ending : whole_script(token.form, token.words);
  };
  const auto applies = [](const std::string& script, const Token& token) {
    const auto words = apply_split(script, token.form);
    return words && words->size() == token.words.size();
  };
  for (const Paragraph& paragraph : paragraphs_)
    for (const Token& token : paragraph)
      if (token.words.size() > 1 && applies(script_of(token), token)) used.insert(script_of(token));
  scripts_.assign(used.begin(), used.end());
  const Splits splits(scripts_);
  std::vector<TagSequence> of_ends, of_splits;
  std::vector<std::vector<int>> ends, split;
  for (const Paragraph& paragraph : paragraphs_) {
    TagSequence& words = of_ends.emplace_back();
    ends.emplace_back();
    split.emplace_back();
    std::vector<int> groups;
    for (const Token& token : paragraph) {
      words.forms.push_back(token.form);
      words.given.push_back(token.space ? Key{3} : Key{2});
      ends.back().push_back(token.ends);
      groups.push_back(splits.may_apply(token.form));
      int gold = groups.back();  // the class of one word: the first of either group
      if (token.words.size() > 1) {
        const auto found = std::ranges::lower_bound(scripts_, script_of(token));
        const bool known = found != scripts_.end() && *found == script_of(token);
        gold = known ? 2 + static_cast<int>(found - scripts_.begin()) : -1;
      }
      split.back().push_back(gold);
    }
    ends.back().back() = -1;  // a paragraph ends anyway
    of_splits.push_back(words);
    of_splits.back().groups = std::move(groups);
  }
  const TagOptions options{2, kFixedEnds, 1, seed_};
  ends_ = std::make_unique<TagTraining>(ends_shape(), options, std::move(of_ends), std::move(ends));
  splits_ =
      std::make_unique<TagTraining>(splits_shape(scripts_.size()), options, std::move(of_splits), std::move(split));
}

void TokenizerTraining::make_chunks() {
  for (const Paragraph& paragraph : paragraphs_) {
    bool open = false;
    for (const Token& token : paragraph) {
      if (!open) chunks_.emplace_back();
      chunks_.back().text += token.form;
      chunks_.back().ends.push_back(static_cast<std::uint32_t>(chunks_.back().text.size()));
      open = !token.space;
    }
  }
}

TokenizerReport TokenizerTraining::epoch() {
  TokenizerReport report;
  const std::uint64_t before = cutter_.wrong();
  std::vector<std::size_t> order(chunks_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Rng rng(seed_ * 1'000'003 + static_cast<std::uint64_t>(epochs_));
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(rng.below(static_cast<int>(i)))]);
  for (const std::size_t c : order) cutter_.learn(chunks_[c].text, chunks_[c].ends, epochs_ > 0);
  report.wrong_cuts = cutter_.wrong() - before;
  const TagReport ends = ends_->epoch();
  report.tokens = ends.words;
  report.wrong_ends = ends.wrong;
  report.wrong_splits = splits_->epoch().wrong;
  ++epochs_;
  return report;
}

std::shared_ptr<Tokenizer> TokenizerTraining::tokenizer() const {
  return std::make_shared<Tokenizer>(cutter_.cutter(), ends_->tagger(), scripts_, splits_->tagger());
}

}  // namespace dynarc
