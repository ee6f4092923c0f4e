#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "poet/autodiff/training_graph.h"
#include "poet/base/time_mode.h"
#include "poet/lower/runnable_step.h"
#include "support/training_runs.h"

namespace poet::testing {

// The forms of a step of a small network. All of them together have everything that who runs a step
// has to know about.
struct StepCase {
  std::string name = {};
  std::vector<TrainingGraph> forms = {};
  bool may_be_resident = false;
};

std::ostream& operator<<(std::ostream& out, const StepCase& row);

std::vector<StepCase> step_cases();

// Laid out. The schedule pages, recomputes, overwrites in place and keeps residents for no reason.
RunnableStep with_random_schedule(const StepCase& row, std::size_t form, TimeMode mode,
                                  std::uint64_t seed,
                                  std::int64_t alignment_bytes = kRunAlignmentBytes);

}  // namespace poet::testing
