#pragma once

#include <cstdint>

#include "poet/graph/attributes.h"
#include "poet/runtime/step.h"

namespace poet {

// Which step of a run, and which of its micro-batches.
struct StepPlace {
  std::int64_t step = 1;         // from 1
  std::int64_t micro_batch = 0;  // from 0
};

// What kernels are told of a step. Adam's corrections are computed in double precision by
// multiplication alone, and so are the same on every machine.
poet_step_words step_words(std::uint64_t seed, const StepPlace& place, float learning_rate,
                           const UpdateAttributes& constants);

}  // namespace poet
