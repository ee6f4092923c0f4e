#include "poet/api/start_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/plan/plan_file.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// Costs may differ: the search knows its own.
bool is_same_graph(const Problem& a, const Problem& b) {
  const auto same_operation = [](const Operation& x, const Operation& y) {
    return x.name == y.name && x.inputs == y.inputs && x.outputs == y.outputs;
  };
  const auto same_tensor = [](const Tensor& x, const Tensor& y) {
    return x.name == y.name && x.size_bytes == y.size_bytes && x.home == y.home;
  };
  return std::equal(a.operations.begin(), a.operations.end(), b.operations.begin(),
                    b.operations.end(), same_operation) &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(),
                    same_tensor);
}

}  // namespace

Result<StartSchedule> start_from_plan(const std::string& path, const Problem& problem) {
  Result<Plan> plan = load_plan(path);
  if (!plan.ok()) return plan.error();
  if (!is_same_graph(plan->problem, problem))
    return bad_input(fmt::format(
        "--start: {} is a plan of another training step than the one that is asked about",
        in_quotes(path)));
  const Replay replayed = replay(problem, plan->schedule);
  StartSchedule start;
  if (replayed.valid())
    start.schedule = std::move(plan->schedule);
  else
    start.warnings.push_back(fmt::format("the search begins without the schedule of {}: {}",
                                         in_quotes(path), replayed.findings.front().message));
  return start;
}

}  // namespace poet
