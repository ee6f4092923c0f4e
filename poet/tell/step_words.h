#pragma once

#include <string>

#include "poet/ask/instance.h"
#include "poet/base/json_out.h"
#include "poet/problem/problem.h"
#include "poet/verify/replay.h"

namespace poet {

// How reports name where costs come from, in an Instance's words: in JSON, null for a graph file;
// as a line of text, nothing for formulas, which are the usual case.
JsonOut costs_json(const std::string& costs);
std::string costs_line(const std::string& costs);

// Adds "uncertainty": {"ratio": 0.2, "deviations": null, "figures_deadline_s": ..., "time_s": ...,
// "energy_j": ...}, how far costs may be above their figures, and what the step takes then; nothing
// where they are certain.
void add_uncertainty(JsonOut& out, const Problem& problem, const std::optional<WorstCase>& worst);

// Of a problem with memories beside the RAM: what access costs, and what is in use of each.
void add_memories(JsonOut& out, const Problem& problem, const Replay& replay);

// "auto: no slices, as separate updates fit", "auto: by slices for conv1.weight, fc1.weight" (all
// others are separate), "separate", or nothing where the step is not POET's.
std::string updates_text(const StepUpdates& updates);

// The same as a line of figures; nothing where the text is empty.
std::string updates_line(const StepUpdates& updates);

// {"asked": "auto", "sliced": [...]}, or null.
JsonOut updates_json(const StepUpdates& updates);

// "auto: 2,322 operations of at most 131,072 B (the best of 4 sizes that were tried)"; nothing
// where operations are whole.
std::string parts_text(const StepParts& parts);

// The same as a line of figures; nothing where the text is empty.
std::string parts_line(const StepParts& parts);

// {"asked": "auto", "part_bytes": ..., "operations": ..., "tried": [...]}, or null where the step
// is not POET's.
// With the bytes of all memories together also what no way of cutting the step moves less than in
// them.
JsonOut parts_json(const StepParts& parts, std::optional<std::int64_t> memory_bytes = {});

// A line on the order of a step's operations, where the RAM budget chose it; nothing where it is
// the one with the lowest peak. And for reports in JSON: {"by_budget": true, "of_start": false,
// "objective": ..., "lowest_peak_objective": ...}, or null where the budget had no choice.
std::string order_line(const StepOrder& order, const Problem& problem);
JsonOut order_json(const StepOrder& order);

// A line on the choice between steps that fit the RAM budget; nothing where none was made. And for
// reports in JSON: {"is_other": true, "objective": ..., "fitting_objective": ..., "tried": [...]},
// or null.
std::string choice_line(const StepChoice& choice, const Problem& problem);
JsonOut choice_json(const StepChoice& choice);

// "no way of cutting reads less than 685,612,345 B or writes ...", and a line of it. Empty for
// whole operations. Of all memories together: what stays in any of them is not read again.
// docs/model/traffic.md
std::string least_traffic_text(const StepParts& parts, std::int64_t memory_bytes);
std::string least_traffic_line(const StepParts& parts, std::int64_t memory_bytes);

// The step that a proof is of, where the RAM budget may choose how the step is made: others are
// other problems, of which the proof says nothing. Begins with a semicolon, for the end of a
// sentence on the class of schedules; empty where there is only one.
std::string step_scope_text(const StepUpdates& updates, const StepParts& parts);

// The same for programs: "this-step" where others are left open, else "all-steps".
const char* step_scope_name(const StepUpdates& updates, const StepParts& parts);

// What a step is made of where it could be made of parts.
inline constexpr const char* kWholeOperations = "whole operations";

// " of whole operations", or in parts of which size; empty where there is no choice.
std::string parts_scope_text(const StepParts& parts);

// The same of a schedule that was found, which has updates of one kind: " of whole operations with
// separate updates".
std::string schedule_scope_text(const StepUpdates& updates, const StepParts& parts);

// What else the RAM budget may choose where whole operations fit, which nobody looked at, and how
// to ask for it: "updates by slices (--updates sliced)". Empty where nothing is left.
std::string untried_text(const StepUpdates& updates, const StepParts& parts,
                         const StepChoice& choice);

}  // namespace poet
