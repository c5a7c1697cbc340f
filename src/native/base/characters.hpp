// The characters of valid UTF-8: lower case, first and last ones, shapes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dynarc {

// Takes the first character off a text that has one.
char32_t next_character(std::string_view& text);
void append_character(std::string& out, char32_t c);

// The small or capital letter of a character that has one of one character; else the character.
char32_t lower_character(char32_t c);
char32_t upper_character(char32_t c);

// White space as Unicode has it, the byte-order mark, and NUL, which is no part of any word.
bool is_space(char32_t c);

// Character by character: what has a lower case of several characters stays as it is.
std::string lowercase(std::string_view text);

// The last or first characters; the whole text if it has no more.
std::string_view suffix(std::string_view text, int characters);
std::string_view prefix(std::string_view text, int characters);

// X for capitals, x for other letters, 9 for digits, others as they are; of a run of equals only two: "Xx", "99-xx".
std::string shape(std::string_view text);

}  // namespace dynarc
