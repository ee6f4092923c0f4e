#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"

namespace re2 {
class RE2;
}

namespace poet {

// A regular expression in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax): no
// look-around and no back-references, so that searching takes time in proportion to the text and a
// bounded amount of memory, whatever the pattern and the text are; both may come from strangers.
// The one adapter of the library.
class RegularExpression {
 public:
  // Refuses what is not in the syntax, and patterns that would take too much memory: one sentence
  // that names the pattern and what is wrong with it.
  static Result<RegularExpression> parse(std::string_view pattern);

  // The same of a pattern that names are chosen by, which take so many bytes together: refuses one
  // that would take longer than about a second on them, too.
  static Result<RegularExpression> parse_for_names(std::string_view pattern,
                                                   std::size_t names_bytes);

  // Whether some part of the text matches.
  bool is_found_in(std::string_view text) const;

  struct Match {
    std::size_t begin = 0;  // [begin, end) of the text
    std::size_t end = 0;
    std::vector<std::string_view> groups = {};  // from 1 on, at [0]; empty where one took no part
  };
  // From left to right, without overlap. They point into the text.
  std::vector<Match> matches_in(std::string_view text) const;

 private:
  explicit RegularExpression(std::shared_ptr<const re2::RE2> compiled);

  std::shared_ptr<const re2::RE2> compiled_;  // never null
};

}  // namespace poet
