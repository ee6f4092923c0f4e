#pragma once

#include <cstdint>

#include "poet/autodiff/training_options.h"

namespace poet {

// What a training takes that nobody asked otherwise of: one place for whoever trains or writes
// projects, so that the same question has the same bits from all of them.

// The highest learning rate.
float default_learning_rate(Optimiser optimiser);

// Examples to learn from, where there are no data.
inline constexpr std::int64_t kMadeUpExamples = 10'000;

// Of a project of C, all in bytes but the steps.
inline constexpr std::int64_t kProjectAlignment = 8;    // of kernels and of static arrays in C
inline constexpr std::int64_t kProjectCardBlock = 512;  // a sector of an SD card
inline constexpr std::int64_t kProjectStackBytes = 8 << 10;
// What a small program keeps besides the arena: its own data, the C library's.
inline constexpr std::int64_t kProjectOtherDataBytes = 1 << 10;
inline constexpr std::int64_t kProjectSteps = 20;

}  // namespace poet
