#include "tag/word_view.hpp"

#include <string>

#include "base/characters.hpp"

namespace dynarc {

WordView view_word(std::string_view form) {
  WordView view;
  const std::string lower = lowercase(form);
  view.form = text_key(form);
  view.lower = text_key(lower);
  view.shape = text_key(shape(form));
  for (int k = 0; k < WordView::kPrefixes; ++k) view.prefix[k] = text_key(prefix(lower, k + 1));
  for (int k = 0; k < WordView::kSuffixes; ++k) view.suffix[k] = text_key(suffix(lower, k + 1));
  return view;
}

WordView view_nothing() {
  WordView view;
  view.form = view.lower = view.shape = 1;
  view.prefix.fill(1);
  view.suffix.fill(1);
  return view;
}

}  // namespace dynarc
