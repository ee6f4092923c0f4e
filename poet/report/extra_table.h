#pragma once

#include <string>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/report/timed_actions.h"

namespace poet {

// The HTML table of what is recomputed or paged, with what each costs; readers sort and filter it.
std::string extra_table(const Problem& problem, const std::vector<ExtraWork>& works);

// "5, 7 and 3 more": at most `most` stages by number.
std::string stages_text(const std::vector<std::int64_t>& stages, std::size_t most);

}  // namespace poet
