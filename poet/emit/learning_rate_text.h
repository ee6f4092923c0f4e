#pragma once

#include <string>

#include "poet/autodiff/learning_rate.h"

namespace poet {

// `float poet_learning_rate(uint32_t step)`: rate_at() as C, to the same bits.
std::string learning_rate_text(const LearningRate& rate);

}  // namespace poet
