// Which steps in parts are planned on a device with several memories.
#include "poet/ask/parts_beside_memories.h"

#include <algorithm>
#include <utility>

#include "poet/ask/part_levels.h"
#include "poet/problem/memories.h"

namespace poet {

std::vector<std::int64_t> part_sizes_in_memories(const Question& question, const Problem& problem) {
  const std::int64_t device_bytes =
      question.device ? question.device->ram_bytes : problem.ram_budget_bytes;
  std::vector<std::int64_t> sizes;
  for (const std::int64_t ram_bytes : {problem.ram_budget_bytes, device_bytes, std::int64_t{0}}) {
    Problem asked = problem;
    asked.ram_budget_bytes = ram_bytes;
    for (const std::int64_t size : levels_in_memories(bytes_of_all_memories(asked)))
      if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  }
  return sizes;
}

std::optional<Instance> in_parts_of_memories(QuestionSteps& steps, std::int64_t ram_budget_bytes,
                                             const Stop& stop, TriedLevel& tried) {
  Result<MadeStep> step = steps.in_parts(tried.part_bytes, kMostPartsInMemories, stop);
  if (!step.ok()) {
    tried.why_not = step.error().message;
    return std::nullopt;
  }
  Instance instance = std::move(step->instance);
  instance.problem.ram_budget_bytes = ram_budget_bytes;
  tried.operations = std::ssize(instance.problem.operations);
  tried.least_bytes = largest_need_of_ram(instance.problem).bytes;
  if (!operations_fit(instance.problem)) {
    tried.why_not = "an operation of it does not fit";
    return std::nullopt;
  }
  return instance;
}

}  // namespace poet
