// From a form to its lemma: which letters become small, and what is taken from and put to its beginning and end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dynarc {

// A script is one line of text: `k`, `l` or `t` (letters stay, become small, do so but for the first), then how many
// characters are cut from the beginning and what is put there, and the same of the end, with `/` between:
// "l0//3/y" makes "city" of "Cities". "=be" is the lemma itself.
std::string edit_script(std::string_view form, std::string_view lemma);

// The lemma; nothing if the script is not for such a form, or is none.
std::optional<std::string> apply_script(std::string_view script, std::string_view form);

}  // namespace dynarc
