#pragma once

#include <vector>

#include "poet/base/result.h"
#include "poet/graph/graph.h"
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

// Nothing when the step can be run, and gives what its graph says: the graph and the problem are
// well formed and agree (names, inputs, views, homes, sizes and workspaces that are large enough,
// places shared only where the operator table allows it), the schedule breaks no rule but limits of
// time and storage, the buffers are the schedule's, and the layout is sound. Otherwise one sentence
// about what is wrong.
Failure check_step(const RunnableStep& step);

// Lets several forms of one step (first, middle and last micro-batch, evaluation) share an arena
// and a store: what outlives a form and has the same name in several has the same place in all of
// them. Slots of tensors at home in storage are lined up from offset 0 in order of first
// appearance, those of copies follow; residents are lined up from the arena's start in the same
// way, and every other buffer lies behind those of all forms. So a form's arena may grow by
// residents of other forms. Offsets are multiples of `alignment_bytes`. Refuses a tensor that has
// another type or home in another form.
Failure share_homes(std::vector<RunnableStep>& forms, std::int64_t alignment_bytes);

}  // namespace poet
