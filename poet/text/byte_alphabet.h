#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace poet {

// Byte-level vocabularies write every byte as one printable character (GPT-2's table): those that
// are printable in Latin-1 as themselves, the other 68 in their order as U+0100 and on.

// Of a byte, in UTF-8.
std::string letter_of_byte(unsigned char byte);

// The bytes that such characters stand for; none where one of them stands for no byte.
std::optional<std::string> bytes_of_letters(std::string_view letters);

}  // namespace poet
