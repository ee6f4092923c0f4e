#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/graph/graph.h"
#include "poet/kernels/evaluate.h"
#include "poet/kernels/kernel_set.h"
#include "poet/measure/instruments.h"
#include "poet/measure/quartiles.h"

namespace poet {

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
