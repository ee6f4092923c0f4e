#include "poet/api/updates_that_fit.h"

#include <set>
#include <string>
#include <utility>

#include "poet/api/training_step.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

void add_too_large(const Problem& problem, std::int64_t budget_bytes,
                   std::set<std::string>& names) {
  for (std::size_t v = 0; v < problem.operations.size(); ++v)
    if (working_set_bytes(problem, static_cast<OperationId>(v)) > budget_bytes)
      names.insert(problem.operations[v].name);
}

}  // namespace

std::optional<PlanRequest> with_updates_that_fit(const PlanRequest& request,
                                                 std::span<const Problem* const> problems,
                                                 std::int64_t ram_budget_bytes) {
  const TrainingOptions& training = request.training;
  if (training.updates != Updates::Auto || !training.too_large.empty()) return std::nullopt;
  if (request.kernels.library != KernelLibrary::Reference || graph_of(request) != "real")
    return std::nullopt;
  std::set<std::string> too_large;
  for (const Problem* const problem : problems)
    add_too_large(*problem, ram_budget_bytes, too_large);
  if (too_large.empty()) return std::nullopt;
  PlanRequest fitting = request;
  fitting.training.too_large = std::move(too_large);
  fitting.ram_budget = RamBytes{ram_budget_bytes};
  return fitting;
}

}  // namespace poet
