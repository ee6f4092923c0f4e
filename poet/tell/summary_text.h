#pragma once

#include <string>

#include "poet/ask/plan_instance.h"

namespace poet {

// An answer for people: what was asked, what came out, and what it costs, in about a dozen lines.
std::string summary_text(const PlanReport& report);

// "resnet18_cifar on m4, released graph, free transfers".
std::string question_text(const PlanOrigin& origin, const Problem& problem);

// The figures of a replayed schedule, one line each, indented.
std::string figures_text(const Problem& problem, const Replay& replay);

}  // namespace poet
