// From a multiword token to its words: by the end of the token, or as a whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynarc {

// A script is a sign and texts in lower case, with TABs between:
//   "~n't"        the token ends so, and this is its last word, or, with more texts, its last words;
//   "-cut t w ..." `cut` is taken from the end of the token and `t` put there, which is the first word; then others;
//   "=du de le"    the token is this, and its words are those.
using Words = std::vector<std::string>;

// The script for all tokens that end so, if there is one, and the script for this token alone.
std::optional<std::string> ending_script(std::string_view token, const Words& words);
std::string whole_script(std::string_view token, const Words& words);

// The words, in the letters of the token where they are those of the token; nothing if the script is not for it.
std::optional<Words> apply_split(std::string_view script, std::string_view token);

// What a token must end with, or, if `whole`, be, for the script to apply.
std::string split_ending(std::string_view script, bool& whole);

}  // namespace dynarc
