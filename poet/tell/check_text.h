#pragma once

#include <string>

#include "poet/ask/plan_check.h"
#include "poet/base/json_out.h"

namespace poet {

// What the verifier says of a plan, for people, and for programs: the format "poet-verification"
// (docs/formats/report-json.md).
std::string check_text(const PlanCheck& check);
JsonOut check_to_json(const PlanCheck& check);

}  // namespace poet
