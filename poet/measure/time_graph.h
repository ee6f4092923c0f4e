#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/graph/graph.h"
#include "poet/graph/operator_table.h"
#include "poet/kernels/evaluate.h"
#include "poet/kernels/kernel_set.h"
#include "poet/measure/instruments.h"
#include "poet/measure/quartiles.h"

namespace poet {

// Gives the inputs of an operation values as they might be in training, the same ones every time:
// numbers of either sign between a quarter and five quarters, positive ones where an operator takes
// roots or logarithms, labels and indices in their range, a step. None is denormal, and none makes
// a kernel read or write where it must not. `inputs` are as large as the types say, and aligned to
// their elements.
void fill_inputs(const OperationTypes& types, std::span<const std::span<std::byte>> inputs);

// The same as if the operator's row said `domain`.
void fill_inputs_from(const InputDomain& domain, const OperationTypes& types,
                      std::span<const std::span<std::byte>> inputs);

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

// A value for a tensor that a graph is given, as fill_inputs() makes it for the first operation
// that reads it: labels and tokens are in range. The tensor must be read.
TensorValue value_for(const Graph& graph, TensorId tensor);

// What whole passes are timed by, and how many.
struct PassOptions {
  std::int64_t passes = 1;
  Instruments instruments = {};
  const KernelSet* kernels = &plain_kernels();
};

// Seconds of executing a graph by evaluate(), which takes memory anew for every tensor: once to
// warm up, then as often as the options say, or fewer when `stop` is requested. Nothing when it was
// requested before the first pass was done. Refuses what evaluate() refuses. `stop` must have a
// clock.
Result<std::optional<Quartiles>> time_graph(const Graph& graph,
                                            const std::map<TensorId, TensorView>& given,
                                            const std::vector<TensorId>& wanted,
                                            const PassOptions& options, const Stop& stop);

}  // namespace poet
