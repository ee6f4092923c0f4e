#pragma once

#include <cstdint>

#include "poet/base/named.h"
#include "poet/base/result.h"

namespace poet {

// How the learning rate goes on after the warm-up.
enum class RateShape {
  Constant,
  Cosine,  // falls as half a cosine (I. Loshchilov and F. Hutter, ICLR 2017)
  Linear,  // falls in a straight line
  Step,    // is multiplied by a factor every so many steps
};

inline constexpr Named<RateShape> kRateShapes[] = {{"constant", RateShape::Constant},
                                                   {"cosine", RateShape::Cosine},
                                                   {"linear", RateShape::Linear},
                                                   {"step", RateShape::Step}};

//   rate
//    |     _____ peak
//    |    /     `-.            of `steps` in all
//    |   /         `-.
//    |  /             `--___ peak * last_ratio
//    +--+---+----------------+--> step
//     warm-up
struct LearningRate {
  RateShape shape = RateShape::Constant;
  float peak = 0.01F;
  std::int64_t warm_up_steps = 0;  // of these, step k has k / warm_up_steps of the peak
  std::int64_t steps = 1;          // in all
  float last_ratio = 0;            // Cosine, Linear: of the peak, at the last step
  std::int64_t every_steps = 1;    // Step
  float factor = 0.1F;             // Step

  bool operator==(const LearningRate&) const = default;
};

// Refuses rates and factors that are negative or not finite, and a Step of no steps.
Failure check_rate(const LearningRate& rate);

// Of a step, counted from 1; the same on every machine.
float rate_at(const LearningRate& rate, std::int64_t step);

}  // namespace poet
