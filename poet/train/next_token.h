#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace poet {

// How the next token is chosen by its score.
struct Sampling {
  // None: the likeliest, the first of equal ones. Otherwise one is drawn, with the probabilities of
  // the softmax of scores / temperature.
  std::optional<float> temperature = {};
  std::int64_t most_tokens = 0;  // of the likeliest only so many; 0: of all
  // Of these the likeliest that together have so much of their probability, and at least one.
  double probability = 1;
  std::uint64_t seed = 1;
};

// Which token comes at a place of the text. The same scores, sampling and place give the same one,
// whatever was drawn before.
std::int64_t next_token(std::span<const float> scores, const Sampling& sampling,
                        std::int64_t place);

}  // namespace poet
