#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/forms/split_choice.h"
#include "poet/plan/plan.h"

namespace poet {

// Plans by what was asked: the same problem with the same options has one plan, however it was
// named. A file is named by the hash of what it answers.
struct PlanCache {
  std::optional<std::string> folder = {};  // none: nothing is kept
  // Told in one sentence of a file that is there and not used, and why; may be empty.
  std::function<void(const std::string&)> damaged = {};
  // Told why something could not be kept, after which it counts as kept: who plans for himself goes
  // on without. Empty: keeping refuses, as for who plans for others.
  std::function<void(const Error&)> unkept = {};
};

// Makes the folder where it is not there yet, and refuses one that nothing can be written into.
Failure check_cache(const PlanCache& cache);

// The name of what a question asks of a problem: 64 hexadecimal digits.
std::string plan_key(const Question& question, const std::string& problem_text);

// Nothing when it is not there. A file that cannot be read, is no plan, or is not a plan for this
// problem at any RAM budget whose schedule keeps all rules is told of, and is not there either: it
// is made again.
std::optional<Plan> find_plan(const PlanCache& cache, const std::string& key,
                              const Problem& problem);

// Tells that a plan of the cache turned out to be of no use.
void tell_damaged_plan(const PlanCache& cache, const std::string& key, const std::string& why);

// Makes the folder where it is not there yet.
Failure keep_plan(const PlanCache& cache, const std::string& key, const Plan& plan);

// The same of how a batch is split. A choice that does not divide this batch, or was made for
// another budget than this, is of no use.
struct SplitAsked {
  std::int64_t batch_size = 1;
  std::int64_t ram_budget_bytes = 0;
};
std::optional<SplitChoice> find_split(const PlanCache& cache, const std::string& key,
                                      const SplitAsked& asked);
Failure keep_split(const PlanCache& cache, const std::string& key, const SplitChoice& choice);

// The same of what is trained, as --train has it, where a RAM budget chose that.
std::optional<std::string> find_trained(const PlanCache& cache, const std::string& key);
Failure keep_trained(const PlanCache& cache, const std::string& key, const std::string& train);

// The same of the parts that operations come in, where a RAM budget chose them: what each needs at
// most. A choice for another budget is of no use.
std::optional<std::int64_t> find_parts(const PlanCache& cache, const std::string& key,
                                       std::int64_t ram_budget_bytes);
Failure keep_parts(const PlanCache& cache, const std::string& key, std::int64_t ram_budget_bytes,
                   std::int64_t part_bytes);

// The same of the step that costs least where several fit the RAM budget.
struct KeptStep {
  enum class Kind { Fitting, Sliced, Parts };
  Kind kind = Kind::Fitting;    // whole operations with as few updates by slices as fit
  std::int64_t part_bytes = 0;  // what each part needs at most, of parts
};
std::optional<KeptStep> find_step(const PlanCache& cache, const std::string& key,
                                  std::int64_t ram_budget_bytes);
Failure keep_step(const PlanCache& cache, const std::string& key, std::int64_t ram_budget_bytes,
                  const KeptStep& step);

// The cache, telling into a list, each sentence once. The list must outlive it.
PlanCache telling(PlanCache cache, std::vector<std::string>& notes);

// The same, and that nothing can be kept is told there as well, once.
PlanCache telling_unkept(PlanCache cache, std::vector<std::string>& notes);

// What is said of that.
std::string unkept_note(const Error& why);

}  // namespace poet
