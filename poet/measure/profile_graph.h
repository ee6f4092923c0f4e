#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "poet/base/stop.h"
#include "poet/cost/measured_costs.h"
#include "poet/graph/graph.h"
#include "poet/kernels/kernel_set.h"
#include "poet/measure/instruments.h"
#include "poet/measure/time_graph.h"

namespace poet {

// How far a profile is.
struct ProfileProgress {
  std::int64_t done = 0;  // different operations
  std::int64_t all = 0;
  std::string now = {};  // the key of the one at work
};
using ProfileSink = std::function<void(const ProfileProgress&)>;

// Times every different operation of a graph once with these kernels (operation_key()), in the
// order in which they first stand there; views are left out. When `stop` is requested, those that
// were timed before are the answer, and it is not complete. The texts of the answer and its power
// are the caller's.
MeasuredCosts profile_graph(const Graph& graph, const TimingOptions& options,
                            const Instruments& instruments, const Stop& stop,
                            const ProfileSink& progress,
                            const KernelSet& kernels = plain_kernels());

}  // namespace poet
