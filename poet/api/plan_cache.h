#pragma once

#include <optional>
#include <string>

#include "poet/api/plan_request.h"
#include "poet/api/split_choice.h"
#include "poet/base/result.h"
#include "poet/plan/plan.h"

namespace poet {

// Plans by what was asked: the same problem with the same options has one plan, however it was
// named. A file is named by the hash of what it answers.
struct PlanCache {
  std::optional<std::string> folder = {};  // none: nothing is kept
};

// The name of what a request asks of a problem: 64 hexadecimal digits.
std::string plan_key(const PlanRequest& request, const std::string& problem_text);

// Nothing when it is not there. A file that cannot be read, or is no plan, is not there either: it
// is made again.
std::optional<Plan> find_plan(const PlanCache& cache, const std::string& key);

// The same of how a batch is split.
std::optional<SplitChoice> find_split(const PlanCache& cache, const std::string& key);
Failure keep_split(const PlanCache& cache, const std::string& key, const SplitChoice& choice);

// Makes the folder where it is not there yet.
Failure keep_plan(const PlanCache& cache, const std::string& key, const Plan& plan);

}  // namespace poet
