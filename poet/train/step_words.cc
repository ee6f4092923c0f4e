#include "poet/train/step_words.h"

namespace poet {
namespace {

double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base)
    if ((exponent & 1) != 0) result *= base;
  return result;
}

}  // namespace

poet_step_words step_words(std::uint64_t seed, const StepPlace& place, float learning_rate,
                           const UpdateAttributes& constants) {
  return {.seed_low = static_cast<std::uint32_t>(seed),
          .seed_high = static_cast<std::uint32_t>(seed >> 32),
          .step = static_cast<std::uint32_t>(place.step),
          .micro_batch = static_cast<std::uint32_t>(place.micro_batch),
          .learning_rate = learning_rate,
          .first_correction = static_cast<float>(1 - power(constants.beta1, place.step)),
          .second_correction = static_cast<float>(1 - power(constants.beta2, place.step)),
          .loss_scale = 1};
}

}  // namespace poet
