#include "poet/train/next_token.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "poet/base/check.h"
#include "poet/data/counter_draws.h"
#include "poet/runtime/float_math.h"

namespace poet {
namespace {

// Apart from those that data are made of.
constexpr std::uint32_t kStream = 0x746F6B;

}  // namespace

std::int64_t next_token(std::span<const float> scores, const Sampling& sampling,
                        std::int64_t place) {
  POET_CHECK(!scores.empty());
  if (!sampling.temperature) return std::max_element(scores.begin(), scores.end()) - scores.begin();
  std::vector<std::int64_t> tokens(scores.size());
  std::iota(tokens.begin(), tokens.end(), std::int64_t{0});
  const auto score = [&scores](std::int64_t token) {
    return scores[static_cast<std::size_t>(token)];
  };
  std::stable_sort(tokens.begin(), tokens.end(),
                   [&score](std::int64_t a, std::int64_t b) { return score(a) > score(b); });
  if (sampling.most_tokens > 0 && sampling.most_tokens < std::ssize(tokens))
    tokens.resize(static_cast<std::size_t>(sampling.most_tokens));
  std::vector<double> sums;  // of the probabilities so far, times a number
  double sum = 0;
  for (const std::int64_t token : tokens) {
    sum += static_cast<double>(
        poet_exp_f32((score(token) - score(tokens.front())) / *sampling.temperature));
    sums.push_back(sum);
  }
  const auto enough = std::lower_bound(sums.begin(), sums.end(), sampling.probability * sum);
  const auto kept = std::min<std::ptrdiff_t>(enough - sums.begin() + 1, std::ssize(sums));
  const CounterDraws draws{
      .seed = sampling.seed, .example = static_cast<std::uint64_t>(place), .stream = kStream};
  const double drawn =
      static_cast<double>(draws.even(0)) * sums[static_cast<std::size_t>(kept - 1)];
  const auto chosen = std::upper_bound(sums.begin(), sums.begin() + kept - 1, drawn);
  return tokens[static_cast<std::size_t>(chosen - sums.begin())];
}

}  // namespace poet
