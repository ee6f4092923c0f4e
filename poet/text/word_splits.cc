#include "poet/text/word_splits.h"

#include <cstddef>
#include <span>
#include <string>

namespace poet {
namespace {

Failure split_by(std::span<const WordSplit> splits, std::string_view text, const TakeWord& take);

Failure split_by_pattern(const PatternSplit& split, std::span<const WordSplit> rest,
                         std::string_view text, const TakeWord& take) {
  std::size_t taken = 0;
  const auto give = [&](bool keeps, std::size_t begin, std::size_t end) -> Failure {
    if (!keeps || begin == end) return std::nullopt;
    return split_by(rest, text.substr(begin, end - begin), take);
  };
  const Failure failure =
      split.pattern.for_each_match(text, [&](std::size_t begin, std::size_t end) -> Failure {
        if (Failure refused = give(split.keeps_rest, taken, begin)) return refused;
        taken = end;
        return give(split.keeps_matches, begin, end);
      });
  if (failure) return failure;
  return give(split.keeps_rest, taken, text.size());
}

Failure split_by(std::span<const WordSplit> splits, std::string_view text, const TakeWord& take) {
  if (text.empty()) return std::nullopt;
  if (splits.empty()) return take(text);
  const std::span<const WordSplit> rest = splits.subspan(1);
  if (const auto* const pattern = std::get_if<PatternSplit>(&splits.front()))
    return split_by_pattern(*pattern, rest, text, take);
  if (text.front() == ' ') return split_by(rest, text, take);
  return split_by(rest, " " + std::string(text), take);
}

}  // namespace

Failure split_into_words(const std::vector<WordSplit>& splits, std::string_view text,
                         const TakeWord& take) {
  return split_by(splits, text, take);
}

}  // namespace poet
