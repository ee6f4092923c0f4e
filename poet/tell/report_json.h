#pragma once

#include "poet/ask/plan_instance.h"
#include "poet/base/json_out.h"
#include "poet/base/result.h"

namespace poet {

// The format "poet-report", version 1 (docs/formats/report-json.md): one answer as one object. The
// same request gives the same bytes, but for what stands in `timing` and `solve_s`.
JsonOut report_to_json(const PlanReport& report);

// The same format for a request that could not be answered because something in it is not right.
JsonOut error_to_json(const Error& error);

}  // namespace poet
