#include "poet/autodiff/learning_rate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "poet/base/check.h"
#include "poet/runtime/float_math.h"

namespace poet {
namespace {

constexpr float kHalfTurn = 3.1415927F;

bool is_amount(float value) {
  return std::isfinite(value) && value >= 0;
}

// How much of the way from the end of the warm-up to the last step is gone at a step.
float part_gone(const LearningRate& rate, std::int64_t step) {
  const std::int64_t falling = rate.steps - rate.warm_up_steps;
  if (falling <= 1) return 0;
  const std::int64_t gone = std::clamp<std::int64_t>(step - rate.warm_up_steps - 1, 0, falling - 1);
  return static_cast<float>(gone) / static_cast<float>(falling - 1);
}

}  // namespace

Failure check_rate(const LearningRate& rate) {
  if (!is_amount(rate.peak))
    return bad_input(fmt::format("the learning rate is {}: it must be at least 0", rate.peak));
  if (!is_amount(rate.last_ratio) || !is_amount(rate.factor))
    return bad_input("the factors of a learning rate must be at least 0");
  if (rate.shape == RateShape::Step && rate.every_steps < 1)
    return bad_input("a learning rate in steps needs at least 1 step between them");
  return std::nullopt;
}

float rate_at(const LearningRate& rate, std::int64_t step) {
  POET_CHECK(step >= 1);
  if (step <= rate.warm_up_steps)
    return rate.peak * static_cast<float>(step) / static_cast<float>(rate.warm_up_steps);
  const float last = rate.peak * rate.last_ratio;
  switch (rate.shape) {
    case RateShape::Constant:
      return rate.peak;
    case RateShape::Linear:
      return rate.peak - (rate.peak - last) * part_gone(rate, step);
    case RateShape::Cosine:
      return last +
             (rate.peak - last) * (0.5F + 0.5F * poet_cos_f32(kHalfTurn * part_gone(rate, step)));
    case RateShape::Step: {
      float value = rate.peak;
      // Beyond a few hundred nothing is left of any factor below 1.
      const std::int64_t times =
          std::min<std::int64_t>((step - rate.warm_up_steps - 1) / rate.every_steps, 1000);
      for (std::int64_t i = 0; i < times; ++i) value *= rate.factor;
      return value;
    }
  }
  check_failed("every shape has a rate", __FILE__, __LINE__);
}

}  // namespace poet
