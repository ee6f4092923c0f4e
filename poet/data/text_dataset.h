#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "poet/base/result.h"
#include "poet/data/dataset.h"
#include "poet/data/number_array.h"
#include "poet/data/text_tokens.h"

namespace poet {

// A file of nothing but numbers of tokens, least significant byte first. Refuses files that are not
// whole numbers of them.
Result<NumberArray> open_tokens(const std::string& path, StoredNumber number);

// A long text to learn what comes next from. Example k has `length` tokens from k * length on;
// parts: "tokens" int64 (length), "labels" int64 (length), the same one token later. Tokens at the
// end that make no whole example are left out. Refuses what is no row of whole numbers, and fewer
// than length + 1.
Result<std::unique_ptr<Dataset>> next_token_dataset(NumberArray tokens, std::int64_t length);

// What an example of texts is made of.
struct TextExamples {
  std::int64_t length = 0;
  SequenceForm form = SequenceForm::Packed;
  std::optional<std::int64_t> ignored_label = {};  // none: every token is learnt
  // Of padded sequences, where the network looks at it: 1 for tokens, 0 for what is filled up.
  std::optional<ElementType> attention_mask = {};
};

// Texts to learn what comes next from. Parts: "tokens" int64 (length), "labels" int64 (length), the
// same one token later, or the ignored label where that is not to be learnt; "attention_mask"
// (length). Where a sequence is filled up, tokens are 0. Packed, tokens at the end that make no
// whole example are left out. Refuses texts that make no example, and tokens that are not all to be
// learnt where there is no ignored label when they are read.
Result<std::unique_ptr<Dataset>> text_dataset(TextTokens tokens, const TextExamples& options);

}  // namespace poet
