#pragma once

#include <string>
#include <string_view>

#include "poet/base/json_out.h"
#include "poet/base/result.h"
#include "poet/plan/plan.h"

namespace poet {

// The format "poet-plan", version 1 (docs/formats/plan.md): origin, proof, the problem and the
// schedule as their own formats have them, and the buffers. A lower bound that is not finite says
// nothing and is not written.
JsonOut plan_to_json(const Plan& plan);
std::string plan_text(const Plan& plan);

// A schedule that breaks rules is read as it stands, so that the verifier can say what is wrong
// with it. With one that breaks nothing, or limits only (breaks_only_limits), the buffers must be
// those of buffers_of(). A member "layout" is passed over (poet/layout/layout_file.h).
Result<Plan> parse_plan(std::string_view text, const std::string& file);

Result<Plan> load_plan(const std::string& path);
Failure save_plan(const Plan& plan, const std::string& path);

}  // namespace poet
