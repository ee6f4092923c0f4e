#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/question.h"
#include "poet/ask/steps.h"
#include "poet/base/stop.h"
#include "poet/solve/solver.h"

namespace poet {

// Whether the RAM budget may choose in what parts operations come: --parts auto, of a network and
// for kernels that parts are for, in one memory.
bool leaves_parts_open(const Question& question);

// The same in several memories, where sizes are tried one after the other (levels_in_memories()).
bool leaves_parts_open_in_memories(const Question& question);

// What is looked for among sizes of parts: the least objective, or whether there is a schedule.
enum class PartsAim { LeastObjective, AnySchedule };

// The instance of the step, cut to one of the levels of part_levels.h, of
// which a quick search finds the best schedule in the budget; which levels it tried stands in it.
// Nothing where no level has one, of no more operations than the question allows. The search counts
// its effort, so that the same question chooses the same level on every machine; what a step of a
// few tens of thousands of operations costs is not tried finer.
std::optional<Instance> choose_parts(QuestionSteps& steps, std::int64_t ram_budget_bytes,
                                     const Stop& stop, const ProgressSink& progress,
                                     PartsAim aim = PartsAim::LeastObjective);

// The same of levels below what an operation of the whole step needs at most, and only what saves
// something: of which a schedule is found that costs less than `objective`. Of no more than a few
// thousand operations, as it is looked for with every plan. `tried`: what was looked at.
std::optional<Instance> parts_that_save(QuestionSteps& steps, const Instance& whole,
                                        double objective, const Stop& stop,
                                        const ProgressSink& progress,
                                        std::vector<TriedLevel>& tried);

}  // namespace poet
