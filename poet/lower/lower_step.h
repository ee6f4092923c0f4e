#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/graph.h"
#include "poet/kernels/kernel_set.h"
#include "poet/layout/layout.h"
#include "poet/lower/step_program.h"
#include "poet/plan/plan.h"

namespace poet {

// Whether what holds nothing is filled with a pattern, so that a use of it shows. That takes time,
// and waits.
enum class FreeMemory { Left, Filled };

// Who is to run a program.
struct StepTarget {
  // By operation: what its kernel needs, at most what the problem counts; 0 for views.
  std::vector<std::int64_t> workspace_bytes = {};
  // Of storage: transfers are of whole ones where buffer and slot have room for them.
  std::int64_t block_bytes = 1;
  FreeMemory free = FreeMemory::Left;
};

std::vector<std::int64_t> workspaces_of(const Graph& graph, const KernelSet& kernels);

// Follows the schedule, and writes down what each action does, to which bytes, and what it must
// wait for. Of a step that check_step() is content with.
StepProgram lower_step(const Graph& graph, const Plan& plan, const Layout& layout,
                       const StepTarget& target);

// The same, when check_program() has nothing to say of it.
Result<StepProgram> checked_program(const Graph& graph, const Plan& plan, const Layout& layout,
                                    const StepTarget& target);

}  // namespace poet
