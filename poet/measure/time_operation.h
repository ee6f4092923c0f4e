#pragma once

#include <cstdint>
#include <optional>

#include "poet/base/stop.h"
#include "poet/graph/operator_table.h"
#include "poet/kernels/kernel_set.h"
#include "poet/measure/instruments.h"
#include "poet/measure/quartiles.h"

namespace poet {

// How often an operation is executed. A sample is so many executions in a row that a clock's
// resolution does not matter.
struct TimingOptions {
  double sample_s = 1e-3;     // no sample is shorter
  double target_s = 0.5;      // no sample begins later, once there are the fewest
  std::int64_t samples = 15;  // at most
  std::int64_t fewest = 3;
  double energy_s = 0.1;  // executing between two readings of an energy counter
  double idle_w = 0;      // what the counter sees of a machine at rest
};

// What an operation took, each time.
struct OperationTiming {
  Quartiles seconds = {};
  std::optional<double> joules = {};  // above idle; none without a counter
  std::int64_t samples = 0;
  std::int64_t executions = 0;  // in all samples
};

// Executes an operation that is no view with these kernels, on inputs of fill_inputs() and
// in memory of its own, until the options are satisfied: once to warm up, which is not counted,
// then sample after sample. Nothing when `stop` was requested before the fewest samples were there.
// `stop` must have a clock.
std::optional<OperationTiming> time_operation(const OperationTypes& types,
                                              const TimingOptions& options,
                                              const Instruments& instruments, const Stop& stop,
                                              const KernelSet& kernels = plain_kernels());

}  // namespace poet
