#pragma once

#include <string>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/report/stage_matrix.h"
#include "poet/report/timed_actions.h"

namespace poet {

// What the page's script needs to say what is under the pointer, as JSON that is safe inside a
// <script> element: names and sizes, [kind, index, stage, bytes, begin, end] per action, [column,
// begin, end, place] per run. Kinds and places are the numbers of their enumerators.
std::string page_data(const Problem& problem, const std::vector<TimedAction>& actions,
                      const StageMatrix& matrix);

}  // namespace poet
