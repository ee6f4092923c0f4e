#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "poet/base/result.h"

namespace poet {

// A regular expression of a tokenizer, over characters of Unicode: these look ahead, `\s+(?!\S)`,
// which those of poet/base/regular_expression.h cannot. `\s` is the property White_Space, and `^`
// and `$` are those of lines, as in the library that such expressions are written for. They come
// from strangers: what a match may cost is limited. The one adapter of PCRE2.
class Pattern {
 public:
  // Refuses what PCRE2 does not understand, and `\h`, which means something else there.
  static Result<Pattern> parse(std::string_view expression);
  // What matches this text alone.
  static Result<Pattern> literal(std::string_view text);

  // Calls `take` with the bounds [begin, end) of each match in UTF-8 text, from left to right,
  // without overlap and without those that are empty, and stops at its first failure. Refuses text
  // in which a match takes too long.
  using TakeMatch = std::function<Failure(std::size_t begin, std::size_t end)>;
  Failure for_each_match(std::string_view text, const TakeMatch& take) const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  static Result<Pattern> compile(std::string_view expression, const std::string& rewritten,
                                 unsigned options);

  std::shared_ptr<const Compiled> compiled_;  // never null
};

}  // namespace poet
