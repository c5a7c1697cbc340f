// UTF-8: is it valid, and how many characters are there.
#pragma once

#include <cstddef>
#include <string_view>

namespace dynarc {

// The first byte that is not part of a valid character; the size if all is well.
std::size_t find_invalid_utf8(std::string_view text);

// Bytes that do not continue a character: for valid text, the number of characters.
std::size_t count_characters(std::string_view text);

namespace utf8 {  // for tests: the two ways to look for invalid bytes, which must agree

std::size_t find_invalid_portable(std::string_view text);

// Looks at all but the last bytes, many at once, if this machine can; then at the rest one by one.
std::size_t find_invalid_vector(std::string_view text);

}  // namespace utf8

}  // namespace dynarc
