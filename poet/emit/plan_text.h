#pragma once

#include <string>

#include "poet/base/result.h"
#include "poet/emit/emit_request.h"
#include "poet/emit/form_text.h"
#include "poet/emit/kept_values.h"

namespace poet {

struct EmittedProject;

// The tables of values in poet_plan.c, as the elements of their arrays.
struct ValueTexts {
  std::string kept = {};        // poet_kept_value
  std::string parameters = {};  // poet_parameter_place
  std::size_t parameter_count = 0;
};

Result<ValueTexts> value_texts(const EmitRequest& request, const EmittedProject& project,
                               const std::vector<StepProgram>& programs, FormParts& parts);

// poet_plan.c: arena, shapes, `forms` and tables.
std::string plan_text(const EmitRequest& request, const EmittedProject& project,
                      const FormParts& parts, const std::string& forms, const ValueTexts& values);

}  // namespace poet
