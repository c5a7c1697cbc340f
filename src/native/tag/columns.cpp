#include "tag/columns.hpp"

#include <map>
#include <set>
#include <unordered_map>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "tag/edit_script.hpp"

namespace dynarc {

namespace {

template <class Visit>
void each_word(const Document& document, std::size_t sentence, Visit&& visit) {
  for (std::size_t r = document.first_row(sentence); r < document.last_row(sentence); ++r)
    if (document.kind(r) == RowKind::word) visit(r);
}

bool is_filled(const Document& document, std::size_t sentence, Column column) {
  bool filled = false;
  each_word(document, sentence, [&](std::size_t r) { filled |= document.cell(r, column) != "_"; });
  return filled;
}

// What is known of the words of a sentence before the column is.
void read_words(const Document& document, std::size_t sentence, const ColumnSpec& spec, const ColumnClasses& classes,
                TagSequence& out) {
  out.clear();
  each_word(document, sentence, [&](std::size_t r) {
    out.forms.push_back(document.cell(r, Column::form));
    if (spec.given.empty()) return;
    out.groups.push_back(classes.group(document.cell(r, spec.given[0])));
    Key given = 0;
    for (const Column column : spec.given) given = mix_key(given, text_key(document.cell(r, column)));
    out.given.push_back(given);
  });
}

std::string class_text(const Document& document, std::size_t row, Column target) {
  const std::string_view cell = document.cell(row, target);
  return target == Column::lemma ? edit_script(document.cell(row, Column::form), cell) : std::string(cell);
}

TaggerShape shape_of(const ColumnSpec& spec, const ColumnClasses& classes) {
  return {spec.look(), classes.begin, spec.beam};
}

}  // namespace

int ColumnClasses::group(std::string_view upos) const {
  const auto found = std::ranges::lower_bound(groups, upos);
  return found != groups.end() && *found == upos ? static_cast<int>(found - groups.begin()) : -1;
}

ColumnTagger::ColumnTagger(ColumnSpec spec, ColumnClasses classes, std::shared_ptr<const Tagger> tagger)
    : spec_(std::move(spec)), classes_(std::move(classes)), tagger_(std::move(tagger)) {
  if (classes_.begin.size() != classes_.groups.size() + 1 || tagger_->shape().groups != classes_.begin ||
      classes_.texts.size() != static_cast<std::size_t>(classes_.begin.back()) ||
      !std::ranges::is_sorted(classes_.groups))
    throw ModelFormatError("the classes of a tagger do not fit together");
}

void ColumnTagger::tag(Document& document, int threads, bool again) const {
  std::vector<std::vector<int>> found(document.sentences());
  std::vector<std::vector<std::string>> lemmas(spec_.target == Column::lemma ? document.sentences() : 0);
  in_parallel(0, document.sentences(), threads, [&] {
    return [&, lease = tagger_->lease(), words = TagSequence{}, classes = std::vector<int>{},
            known = std::unordered_map<Key, std::string>{}](std::size_t s) mutable {
      if (!again && is_filled(document, s, spec_.target)) return;
      read_words(document, s, spec_, classes_, words);
      if (spec_.target != Column::lemma) {
        lease.tag(words, found[s]);
        return;
      }
      // A lemma depends on nothing but the word and its tags: what was found once is kept.
      found[s].resize(words.forms.size());
      lemmas[s].resize(words.forms.size());
      TagSequence one;
      for (std::size_t i = 0; i < words.forms.size(); ++i) {
        const Key key = mix_key(text_key(words.forms[i]), words.given[i]);
        auto place = known.find(key);
        if (place == known.end()) {
          one.forms.assign(1, words.forms[i]);
          one.groups.assign(1, words.groups[i]);
          one.given.assign(1, words.given[i]);
          const auto context = std::pair(this, words.forms[i]);
          lease.tag(one, classes,
                    {[](const void* c, std::size_t, int choice) {
                       const auto& [self, form] =
                           *static_cast<const std::pair<const ColumnTagger*, std::string_view>*>(c);
                       return !apply_script(self->classes_.texts[static_cast<std::size_t>(choice)], form);
                     },
                     &context});
          if (known.size() > std::size_t{1} << 17) known.clear();
          const std::string_view form = words.forms[i];
          place = known
                      .emplace(key, classes[0] < 0
                                        ? std::string(form)
                                        : *apply_script(classes_.texts[static_cast<std::size_t>(classes[0])], form))
                      .first;
        }
        lemmas[s][i] = place->second;
      }
    };
  });
  std::vector<std::uint32_t> texts;  // by class
  for (const std::string& text : classes_.texts) texts.push_back(document.text_number(text));
  const std::uint32_t none = document.text_number("_");
  for (std::size_t s = 0; s < found.size(); ++s) {
    if (found[s].empty()) continue;
    std::size_t i = 0;
    each_word(document, s, [&](std::size_t r) {
      const int choice = found[s][i];
      document.set_text(s, r, spec_.target,
                        spec_.target == Column::lemma ? document.text_number(lemmas[s][i])
                        : choice < 0                  ? none
                                                      : texts[static_cast<std::size_t>(choice)]);
      ++i;
    });
  }
}

ColumnTraining::ColumnTraining(ColumnSpec spec, const Document& document, const std::vector<std::size_t>& sentences,
                               const TagOptions& options)
    : spec_(std::move(spec)) {
  if (spec_.target == Column::lemma && spec_.given.empty())
    throw ConfigError("lemmas are learned from words whose UPOS is known");
  std::map<std::string, std::set<std::string>> seen;
  std::vector<std::size_t> used;
  for (const std::size_t s : sentences) {
    if (s >= document.sentences()) throw ConfigError("there is no such sentence");
    if (!is_filled(document, s, spec_.target)) continue;
    used.push_back(s);
    each_word(document, s, [&](std::size_t r) {
      const std::string_view group = spec_.given.empty() ? std::string_view() : document.cell(r, spec_.given[0]);
      seen[std::string(group)].insert(class_text(document, r, spec_.target));
    });
  }
  if (used.empty())
    throw ConfigError("no sentence has " + std::string(kColumnNames[static_cast<int>(spec_.target)]) +
                      " to learn from");
  for (const auto& [group, texts] : seen) {
    classes_.groups.push_back(group);
    classes_.texts.insert(classes_.texts.end(), texts.begin(), texts.end());
    classes_.begin.push_back(static_cast<int>(classes_.texts.size()));
  }
  std::vector<TagSequence> words(used.size());
  std::vector<std::vector<int>> gold(used.size());
  for (std::size_t u = 0; u < used.size(); ++u) {
    read_words(document, used[u], spec_, classes_, words[u]);
    std::size_t i = 0;
    each_word(document, used[u], [&](std::size_t r) {
      const auto group = static_cast<std::size_t>(words[u].group(i++));
      const auto first = classes_.texts.begin() + classes_.begin[group];
      const auto last = classes_.texts.begin() + classes_.begin[group + 1];
      gold[u].push_back(static_cast<int>(std::lower_bound(first, last, class_text(document, r, spec_.target)) -
                                         classes_.texts.begin()));
    });
  }
  training_ = std::make_unique<TagTraining>(shape_of(spec_, classes_), options, std::move(words), std::move(gold));
}

}  // namespace dynarc
