#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/stop.h"
#include "poet/solve/event_model.h"
#include "poet/solve/linear_backend.h"

namespace poet {

struct ColumnSetting {
  std::int32_t column = 0;
  double value = 0;
};

struct DiveAnswer {
  std::vector<ColumnSetting> settings = {};  // in the order in which they were made
  std::vector<double> values = {};  // of the last relaxation when all were whole; else empty
  std::int64_t iterations = 0;
};

struct DiveLimits {
  // The dive ends when the relaxation has risen by more than this part of where it began: what is
  // left is for an integer program.
  double rise_ratio = 0.05;
  int steps = 300;
};

// Follows the relaxation of a model towards whole values: solve, set to one the 0-1 columns that
// are nearly one and the best of the others, solve again. What decides most comes first: residents,
// copies, executions, reads. `relaxation` is of `model`; its columns stay as the dive has set them.
DiveAnswer dive(const EventModel& model, Relaxation& relaxation, const DiveLimits& limits,
                const Stop& stop);

}  // namespace poet
