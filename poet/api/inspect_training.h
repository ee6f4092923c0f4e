#pragma once

#include "poet/api/inspect.h"
#include "poet/api/plan_request.h"
#include "poet/base/result.h"

namespace poet {

// A real network on the request's device (m4 unless it names one): its parameters, activations,
// arithmetic, working set and plain peak, and what every operation of its training step does,
// makes and costs. Refuses what training_step() refuses.
Result<Description> inspect_training(const PlanRequest& request);

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
