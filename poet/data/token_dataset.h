#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "poet/base/result.h"
#include "poet/data/dataset.h"
#include "poet/data/number_array.h"

namespace poet {

// A file of nothing but numbers of tokens, least significant byte first. Refuses files that are not
// whole numbers of them.
Result<NumberArray> open_tokens(const std::string& path, StoredNumber number);

// A long text to learn what comes next from. Example k has `length` tokens from k * length on;
// parts: "tokens" int64 (length), "labels" int64 (length), the same one token later. Tokens at the
// end that make no whole example are left out. Refuses what is no row of whole numbers, and fewer
// than length + 1.
Result<std::unique_ptr<Dataset>> next_token_dataset(NumberArray tokens, std::int64_t length);

}  // namespace poet
