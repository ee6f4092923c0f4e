#include <algorithm>

#include "poet/data/counter_draws.h"
#include "poet/data/synthetic_parts.h"

namespace poet {
namespace {

constexpr std::uint32_t kRowStream = 3;
constexpr std::uint32_t kTokenStream = 4;
constexpr std::int64_t kCountedWords = 64;
constexpr std::int64_t kLongestStride = 8;
constexpr float kAstray = 0.05F;
constexpr float kOnTopic = 0.3F;
constexpr std::int64_t kTopicWords = 1000;

CounterDraws draws_of(std::uint64_t seed, std::uint64_t example, std::uint32_t stream) {
  return {.seed = seed, .example = example, .stream = stream};
}

}  // namespace

void draw_counting(const CountingRow& row, std::int64_t first, std::span<std::int64_t> into) {
  const CounterDraws rows = draws_of(row.seed, row.example, kRowStream);
  const CounterDraws tokens = draws_of(row.seed, row.example, kTokenStream);
  const std::int64_t words = std::min(row.words, kCountedWords);
  const std::int64_t start = rows.whole(0, words);
  const std::int64_t stride = 1 + rows.whole(1, kLongestStride);
  for (std::size_t i = 0; i < into.size(); ++i) {
    const std::int64_t position = first + static_cast<std::int64_t>(i);
    const auto draw = static_cast<std::uint32_t>(2 * position);
    into[i] = tokens.even(draw) < kAstray ? tokens.whole(draw + 1, words)
                                          : (start + stride * position) % words;
  }
}

std::int64_t label_of(const TopicRow& row) {
  return draws_of(row.seed, row.example, kRowStream).whole(0, row.topics);
}

// A word belongs to the topic that is its number modulo theirs.
void draw_topic(const TopicRow& row, std::span<std::int64_t> into) {
  const CounterDraws tokens = draws_of(row.seed, row.example, kTokenStream);
  const std::int64_t words = std::min(row.words, std::max(kTopicWords, 8 * row.topics));
  const std::int64_t topic = label_of(row);
  for (std::size_t i = 0; i < into.size(); ++i) {
    const auto draw = static_cast<std::uint32_t>(2 * i);
    const std::int64_t word = tokens.whole(draw + 1, words);
    const std::int64_t related = word - word % row.topics + topic;
    into[i] = tokens.even(draw) < kOnTopic && related < words ? related : word;
  }
}

}  // namespace poet
