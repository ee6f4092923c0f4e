#pragma once

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/tell/inspect.h"

namespace poet {

// The device whose costs a network is shown with where nobody names one.
inline constexpr const char* kUsualPlatform = "m4";

// A real network on the question's device: its parameters, activations,
// arithmetic, working set and plain peak, and what every operation of its training step does,
// makes and costs. Refuses what step_of() refuses.
Result<Description> inspect_training(const Question& question);

// One line about a network of the zoo, for the table of `poet models`: at its default sizes and
// batch size 1, in the order that differentiation gives.
struct NetworkLine {
  std::int64_t operations = 0;
  std::int64_t parameters = 0;  // values
  std::int64_t working_set_bytes = 0;
  std::int64_t plain_peak_bytes = 0;
};
Result<NetworkLine> network_line(std::string_view name);

}  // namespace poet
