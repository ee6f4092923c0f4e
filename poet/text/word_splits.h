#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "poet/base/result.h"
#include "poet/text/pattern.h"

namespace poet {

// Divides text where a pattern matches: matches are words, and so is what lies between; or one of
// the two is left out.
struct PatternSplit {
  Pattern pattern;
  bool keeps_matches = true;
  bool keeps_rest = true;
};

// Begins each word with a blank that does not have one.
struct BlankBefore {};

using WordSplit = std::variant<PatternSplit, BlankBefore>;

// Divides UTF-8 text into words, by one split after the other, each of every word of the one
// before; calls `take` for each, in the order of the text, and stops at its first failure. None is
// empty.
using TakeWord = std::function<Failure(std::string_view)>;
Failure split_into_words(const std::vector<WordSplit>& splits, std::string_view text,
                         const TakeWord& take);

}  // namespace poet
