#pragma once

#include <cstdint>
#include <vector>

#include "poet/autodiff/training_graph.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/cost/measured_costs.h"
#include "poet/measure/instruments.h"
#include "poet/measure/time_graph.h"

namespace poet {

// Times what brings the examples of a step, made-up ones: for each of its inputs, all of a batch
// (MeasuredCosts::examples). Inputs in pieces are left out. Files of a user's may take longer,
// which a training finds out.
Result<std::vector<MeasuredOperation>> profile_examples(const TrainingGraph& step,
                                                        std::int64_t batch_size,
                                                        const TimingOptions& options,
                                                        const Instruments& instruments,
                                                        const Stop& stop);

}  // namespace poet
