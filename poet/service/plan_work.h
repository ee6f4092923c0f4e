#pragma once

#include <string>
#include <vector>

#include "poet/service/work.h"

namespace poet {

// The best schedule for a request. Files: "plan" and "report" where there is one; the result is the
// answer of 'poet solve --json', whose warnings name fields.
WorkOutput plan_work(const WorkOrder& order, const PlanRequest& plan, const Stop& stop,
                     const ProgressLine& progress);

// Why each tensor of the plan in a file is absent. File: "explain".
WorkOutput explain_work(const WorkOrder& order, const std::string& plan_path, const Stop& stop);

// Warnings that name fields in place of options.
std::vector<std::string> warnings_of_fields(std::vector<std::string> warnings);

// What is not right with a request, as a service says it.
WorkOutput refused_work(const Error& error, const PlanRequest& plan);

}  // namespace poet
