#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace poet {

// How pieces of a user's text and lists of names look inside a one-sentence message.

// 'text', cut when long, with control characters, and those that turn the direction of a line,
// shown as '?', so that a message stays one readable line; "nothing" when empty.
std::string in_quotes(std::string_view text);

// The text, cut when very long, with the same characters shown as '?': for sentences that a library
// wrote.
std::string one_line(std::string_view text);

// "2,465,832".
std::string grouped_digits(std::int64_t number);

// "1 operation", "2,465,832 operations".
std::string counted(std::int64_t count, const std::string& singular);

// counted() of bytes.
std::string bytes_text(std::int64_t bytes);

// "ns, us or ms".
std::string alternatives(const std::vector<std::string_view>& names);

}  // namespace poet
