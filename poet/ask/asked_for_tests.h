#pragma once

#include <cstdint>
#include <utility>

#include "poet/ask/question.h"
#include "poet/ask/steps.h"
#include "poet/base/check.h"
#include "poet/base/result.h"
#include "poet/problem/problem.h"

namespace poet {

// The question of a request that a test knows to be right.
inline Question asked(const PlanRequest& request) {
  Result<Question> question = read_question(request);
  POET_CHECK(question.ok());
  return *std::move(question);
}

// A network that an m4 has too little RAM for: an update of it alone needs 384,032 bytes with the
// whole gradient beside it, and by slices 219,712.
inline PlanRequest lenet5_on_m4(std::int64_t bytes) {
  PlanRequest request{.model = "lenet5", .platform = "m4"};
  request.ram_budget = RamBytes{bytes};
  return request;
}

// A network that is planned in a moment, in any parts: separate updates need 8,224 bytes, and whole
// operations with slices 5,472.
inline PlanRequest digits_mlp_on_m4(std::int64_t bytes) {
  PlanRequest request{.model = "digits-mlp", .platform = "m4"};
  request.ram_budget = RamBytes{bytes};
  return request;
}

// What is asked of the solver in the budget of a request, or what is not right with it.
inline Result<Instance> make_instance(const PlanRequest& request) {
  const Result<Question> question = read_question(request);
  if (!question.ok()) return question.error();
  QuestionSteps steps(*question);
  return instance_in_budget(steps, {}, {});
}

inline Result<Problem> make_problem(const PlanRequest& request) {
  Result<Instance> instance = make_instance(request);
  if (!instance.ok()) return instance.error();
  return std::move(instance->problem);
}

}  // namespace poet
