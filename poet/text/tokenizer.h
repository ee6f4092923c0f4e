#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/text/added_tokens.h"
#include "poet/text/byte_pairs.h"
#include "poet/text/unicode_text.h"
#include "poet/text/word_splits.h"

namespace poet {

// Text to tokens and back, by byte-level byte pair encoding: text is divided at added tokens,
// normalised, divided into words, and the bytes of each word are merged.
struct Tokenizer {
  AddedTokens as_written = {};  // looked for in the text as it is
  AddedTokens in_normal_form = {};
  std::vector<NormalForm> normal_forms = {};  // one after the other
  std::vector<WordSplit> splits = {};
  BytePairs pairs = {};
  std::vector<std::int32_t> before = {};  // tokens around every text
  std::vector<std::int32_t> behind = {};
  // What each token stands for, by its number: bytes; nothing where it is special or there is none.
  std::vector<std::string> texts = {};
  std::vector<AddedToken> added = {};
};

// Calls `take` for each token of the text, without those around it. Refuses what is not UTF-8, and
// text in which the tokenizer's patterns take too long.
using TakeTextToken = std::function<Failure(std::int32_t)>;
Failure encode(const Tokenizer& tokenizer, std::string_view text, const TakeTextToken& take);
Result<std::vector<std::int32_t>> encode(const Tokenizer& tokenizer, std::string_view text);

// The bytes that a token stands for; empty for what is no token.
std::string_view text_of(const Tokenizer& tokenizer, std::int32_t token);

// A token by its content, as vocabularies write it: that of an added one, or of bytes.
std::optional<std::int32_t> token_called(const Tokenizer& tokenizer, const std::string& content);

}  // namespace poet
