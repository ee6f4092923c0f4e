#pragma once

#include "poet/base/result.h"
#include "poet/graph/graph.h"
#include "poet/layout/layout.h"
#include "poet/lower/lower_step.h"
#include "poet/lower/step_program.h"
#include "poet/plan/plan.h"

namespace poet {

// What a program was made of, and for whom.
struct ProgramSource {
  const Graph& graph;
  const Plan& plan;
  const Layout& layout;
  const StepTarget& target;
};

// Nothing when the program does what the schedule says, where the layout says: each operation in
// order on its own operands, every place the right one and of the right size, every read of a value
// that is there, from RAM and from storage, whatever else was written in between, transfers ended
// before what they move is used, and everything that outlives the step at home in the end.
// Otherwise the first fault, with its instruction.
//
// Shares no code with lower_step() but row_lookup.h: it does not follow what lives where, but looks
// up what the plan and the layout say of each moment, and replays on memory of which every byte
// knows whose it is.
Failure check_program(const StepProgram& program, const ProgramSource& source);

}  // namespace poet
