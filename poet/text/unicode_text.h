#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "poet/base/named.h"
#include "poet/base/result.h"

namespace poet {

// Facts of Unicode. The one adapter of utf8proc.

// Where bytes stop being UTF-8; none in text.
std::optional<std::size_t> first_not_utf8(std::string_view bytes);

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };

inline constexpr Named<NormalForm> kNormalForms[] = {{"NFC", NormalForm::Nfc},
                                                     {"NFD", NormalForm::Nfd},
                                                     {"NFKC", NormalForm::Nfkc},
                                                     {"NFKD", NormalForm::Nfkd}};

// Text in a normal form (unicode.org/reports/tr15).
Result<std::string> normalised(std::string_view text, NormalForm form);

// Of UTF-8 text: the white space that it begins with and ends with, in bytes; and whether it begins
// or ends with a letter, mark, number or connecting punctuation.
std::size_t leading_space_bytes(std::string_view text);
std::size_t trailing_space_bytes(std::string_view text);
bool begins_with_word(std::string_view text);
bool ends_with_word(std::string_view text);

// How many bytes at the end are the beginning of a character of which more is to come.
std::size_t unfinished_bytes(std::string_view bytes);

}  // namespace poet
