#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "poet/base/json_out.h"
#include "poet/base/result.h"
#include "poet/layout/layout.h"
#include "poet/plan/plan.h"

namespace poet {

// A plan file with the member "layout", of the format "poet-layout", version 1
// (docs/formats/plan.md). Who wants the plan alone reads it with parse_plan(), which passes over
// the layout.
struct LaidOutPlan {
  Plan plan = {};
  std::optional<Layout> layout = {};  // nothing: the file has none

  bool operator==(const LaidOutPlan&) const = default;
};

JsonOut layout_to_json(const Layout& layout);
std::string laid_out_plan_text(const Plan& plan, const Layout& layout);

// Refuses a layout that check_layout() does not pass. A plan whose schedule breaks rules cannot
// have one.
Result<LaidOutPlan> parse_laid_out_plan(std::string_view text, const std::string& file);

Failure save_laid_out_plan(const Plan& plan, const Layout& layout, const std::string& path);

}  // namespace poet
