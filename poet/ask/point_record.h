#pragma once

#include <optional>
#include <string>

#include "poet/ask/method_run.h"
#include "poet/ask/own_step.h"
#include "poet/base/result.h"
#include "poet/problem/problem.h"

namespace poet {

// A run as a text that is stored and sent (docs/formats/sweep.md). The figures of its schedule are
// not in it: who reads it replays the schedule, so that no stored number is taken on trust.
std::string record_of(const MethodRun& run);

// Of a point that is_own_step: nothing where the step is the methods' own. `plan_s`: what all of it
// took.
std::string record_of(const std::optional<OwnStep>& own, double plan_s, bool ended_by_clock);

// An answer that is no run: the question could not be asked.
std::string record_of(const Error& error);

// `method` and `problem`: of the question. An Error for what is no record, for the error that a
// record holds, and where the schedule is not what the record says of it.
Result<MethodRun> run_from_record(const std::string& text, const std::string& method,
                                  const Problem& problem);

// What the record of a point that is_own_step holds. Without a step the run has no schedule.
struct OwnStepRecord {
  std::optional<OwnStep> step = {};
  MethodRun run = {};
};

// `shared`: the problem of the methods there, whose limits and objective the step must have.
Result<OwnStepRecord> own_step_from_record(const std::string& text, const std::string& name,
                                           const Problem& shared);

}  // namespace poet
