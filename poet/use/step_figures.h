#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/cost/measured_costs.h"
#include "poet/measure/transfer_fit.h"

namespace poet {

// What the steps of a training took: medians, to plan the same training with.
struct StepFigures {
  std::int64_t steps = 0;    // that were measured
  double step_s = 0;         // of a whole one
  MeasuredCosts costs = {};  // operations, for the kernels that ran
  bool overlapped = false;   // transfers ran beside the processor: their own times do not show
  std::vector<TransferTime> reads = {};  // by size; none where they were overlapped
  std::vector<TransferTime> writes = {};
  // How many times as long as by the device's figures transfers take, where they were overlapped
  // and that is known (plan_again.h).
  std::optional<double> transfer_ratio = {};
};

std::string step_figures_text(const StepFigures& figures);

// Refuses, with line and column, what is not such a text.
Result<StepFigures> parse_step_figures(std::string_view text, const std::string& file);

// The question with these figures in place of those that it has: operations that were measured
// take what they took, and the storage of its device what the transfers did, as latency and rate.
// What was not measured stays as it was. Powers stay: energies are those times at them.
Question with_figures(Question question, const StepFigures& figures);

}  // namespace poet
