#pragma once

#include <vector>

#include "poet/base/result.h"
#include "poet/graph/graph.h"
#include "poet/kernels/kernel_set.h"
#include "poet/layout/layout.h"
#include "poet/plan/plan.h"

namespace poet {

// A training step, or an evaluation, with everything that is needed to run it: what is computed, in
// which order with which transfers, and where each buffer and each copy in storage lies. The plan's
// problem is that of the graph: operation k and tensor k of one are operation k and tensor k of the
// other.
struct RunnableStep {
  Graph graph = {};
  Plan plan = {};
  Layout layout = {};

  bool operator==(const RunnableStep&) const = default;
};

// Nothing when the step can be run with these kernels, and gives what its graph says: the graph and
// the problem are well formed and agree (names, inputs, views, homes, sizes and workspaces that are
// large enough, places shared only where the operator table allows it), the schedule breaks no rule
// but limits of time and storage, the buffers are the schedule's, and the layout is sound.
// Otherwise one sentence about what is wrong.
Failure check_step(const RunnableStep& step, const KernelSet& kernels = plain_kernels());

}  // namespace poet
