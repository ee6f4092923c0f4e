#include "poet/emit/learning_rate_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "poet/emit/c_text.h"

namespace poet {
namespace {

// How much of the way from the end of the warm-up to the last step is gone, as in rate_at().
std::string part_gone_text(const LearningRate& rate) {
  const std::int64_t falling = rate.steps - rate.warm_up_steps;
  if (falling <= 1) return "  const float gone = 0.0f;\n  (void)step;\n";
  return fmt::format(
      "  const uint32_t after = step - {0}u;\n"
      "  const float gone = (float)(after < {1}u ? after : {1}u) / (float){1};\n",
      rate.warm_up_steps + 1, falling - 1);
}

std::string after_warm_up(const LearningRate& rate) {
  const std::string peak = c_float(rate.peak);
  const std::string last = c_float(rate.peak * rate.last_ratio);
  switch (rate.shape) {
    case RateShape::Constant:
      return fmt::format("  (void)step;\n  return {};\n", peak);
    case RateShape::Linear:
      return part_gone_text(rate) + fmt::format("  return {0} - ({0} - {1}) * gone;\n", peak, last);
    case RateShape::Cosine:
      return part_gone_text(rate) +
             fmt::format("  return {1} + ({0} - {1}) * (0.5f + 0.5f * poet_cos_f32({2} * gone));\n",
                         peak, last, c_float(3.1415927F));
    case RateShape::Step:
      return fmt::format(
          "  const uint32_t falls = (step - {}u) / {}u;\n"
          "  float rate = {};\n"
          "  for (uint32_t i = 0; i < falls && i < 1000u; ++i) rate *= {};\n"
          "  return rate;\n",
          rate.warm_up_steps + 1, rate.every_steps, peak, c_float(rate.factor));
  }
  return {};
}

}  // namespace

std::string learning_rate_text(const LearningRate& rate) {
  std::string text = "float poet_learning_rate(uint32_t step) {\n";
  if (rate.warm_up_steps > 0)
    text += fmt::format("  if (step <= {0}u) return {1} * (float)step / (float){0};\n",
                        rate.warm_up_steps, c_float(rate.peak));
  return text + after_warm_up(rate) + "}\n";
}

}  // namespace poet
