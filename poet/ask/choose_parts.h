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
// for kernels that parts are for.
bool leaves_parts_open(const Question& question);

// The levels that are tried in a RAM budget, of 2^k and 3 * 2^k: the least above it, as what an
// operation needs is often less than its level, the budget itself, and some below it
// (docs/decisions/0039-parts-by-budget.md).
std::vector<std::int64_t> levels_to_try(std::int64_t ram_budget_bytes);

// The same where a step may not have as many operations as it likes: levels between these, too, and
// none as fine.
std::vector<std::int64_t> coarse_levels_to_try(std::int64_t ram_budget_bytes);

// Half way from each to the next, which is less.
std::vector<std::int64_t> levels_between(const std::vector<std::int64_t>& levels);

// A quarter of the way from one of the levels to the next finer one, and to the next coarser: how
// things are cut, and in which order, changes between levels, so one beside the best may be better.
std::vector<std::int64_t> levels_beside(std::int64_t level,
                                        const std::vector<std::int64_t>& levels);

// The instance of the step, cut to one of these levels or to one beside the best of them, of
// which a quick search finds the best schedule in the budget; which levels it tried stands in it.
// Nothing where no level has one, of no more operations than the question allows. The search counts
// its effort, so that the same question chooses the same level on every machine; what a step of a
// few tens of thousands of operations costs is not tried finer.
std::optional<Instance> choose_parts(QuestionSteps& steps, std::int64_t ram_budget_bytes,
                                     const Stop& stop, const ProgressSink& progress);

// The same of levels below what an operation of the whole step needs at most, and only what saves
// something: of which a schedule is found that costs less than `objective`. Of no more than a few
// thousand operations, as it is looked for with every plan. `tried`: what was looked at.
std::optional<Instance> parts_that_save(QuestionSteps& steps, const Instance& whole,
                                        double objective, const Stop& stop,
                                        const ProgressSink& progress,
                                        std::vector<TriedLevel>& tried);

// Those steps in parts of which an operation alone needs least, whatever the budget: from coarse to
// fine, each finer than the last, until nothing is cut any further. At most `most` of them, the
// last ones.
std::vector<Instance> finest_parts(QuestionSteps& steps, std::size_t most, const Stop& stop,
                                   const ProgressSink& progress);

}  // namespace poet
