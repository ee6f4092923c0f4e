#pragma once

#include <cstdint>

#include "poet/runtime/counter_random.h"

namespace poet {

// Random numbers for one thing of one example: draws [0, ...) of a stream, each a pure function of
// seed, example, stream and its place, so that any of them can be drawn at any time.
struct CounterDraws {
  std::uint64_t seed = 0;
  std::uint64_t example = 0;
  std::uint32_t stream = 0;

  poet_philox_block block(std::uint32_t place) const {
    return poet_philox_4x32(
        {{static_cast<std::uint32_t>(example), static_cast<std::uint32_t>(example >> 32), stream,
          place}},
        {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}});
  }
  // In [0, 1), a multiple of 2^-24.
  float even(std::uint32_t place) const { return even_of(block(place).word[0]); }
  // In [low, high).
  float between(std::uint32_t place, float low, float high) const {
    return low + (high - low) * even(place);
  }
  // In [0, count).
  std::int64_t whole(std::uint32_t place, std::int64_t count) const {
    const poet_philox_block words = block(place);
    const std::uint64_t wide = static_cast<std::uint64_t>(words.word[0]) << 32 | words.word[1];
    return static_cast<std::int64_t>(wide % static_cast<std::uint64_t>(count));
  }
  // Of mean 0 and deviation 1, between -3.47 and 3.47: a sum of four even draws, which needs none
  // but sums, and so is the same on every machine.
  float bell(std::uint32_t place) const {
    const poet_philox_block words = block(place);
    float sum = -2;
    for (const std::uint32_t word : words.word) sum += even_of(word);
    return sum * 1.7320508F;
  }

 private:
  static float even_of(std::uint32_t word) {
    return static_cast<float>(word >> 8) * (1.0F / 16'777'216.0F);
  }
};

}  // namespace poet
