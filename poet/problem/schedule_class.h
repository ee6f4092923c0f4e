#pragma once

#include <string>

#include "poet/problem/problem.h"

namespace poet {

// The class of schedules that "optimal" and "infeasible" speak of (the glossary, "class"), in
// words.
std::string schedule_class_text(const Problem& problem);

}  // namespace poet
