#pragma once

#include <string>

#include "poet/autodiff/learning_rate.h"
#include "poet/base/result.h"
#include "poet/emit/emit_request.h"
#include "poet/emit/form_actions.h"
#include "poet/emit/kept_values.h"

namespace poet {

// `float poet_learning_rate(uint32_t step)`: rate_at() as C, to the same bits.
std::string learning_rate_text(const LearningRate& rate);

struct EmittedProject;

// The tables of values in poet_plan.c, as the elements of their arrays.
struct ValueTexts {
  std::string kept = {};        // poet_kept_value
  std::string parameters = {};  // bytes that poet_whole_begin() reads
  std::size_t parameter_count = 0;
};

Result<ValueTexts> value_texts(const EmitRequest& request, const EmittedProject& project,
                               const std::vector<StepProgram>& programs, FormParts& parts);

// poet_plan.c: arena, shapes and tables.
std::string plan_text(const EmitRequest& request, const EmittedProject& project,
                      const FormParts& parts, const ValueTexts& values);

}  // namespace poet
