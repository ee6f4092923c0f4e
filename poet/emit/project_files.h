#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/emit/emit_project.h"
#include "poet/emit/plan_text.h"

namespace poet {

// What was made of the plan itself.
struct PlanTexts {
  ValueTexts values = {};
  std::int64_t passage_begin = 0;  // in the arena, to its end
};

// Every text of the project.
std::vector<EmittedFile> project_files(const EmitRequest& request, const EmittedProject& project,
                                       const FormParts& parts, const PlanTexts& texts);

}  // namespace poet
