#include "poet/forms/resident_memories.h"

#include <utility>
#include <vector>

#include "poet/ask/solver_names.h"
#include "poet/overlap/place_buffers.h"

namespace poet {
namespace {

// The buffers that last for the whole step, but for new values, which lie where the old ones do.
std::vector<PlacedBuffer> residents_of(const Graph& graph, const Plan& plan) {
  std::vector<PlacedBuffer> residents;
  for (const PlanBuffer& buffer : plan.buffers) {
    const Tensor& tensor = at(plan.problem.tensors, buffer.tensor);
    if (tensor.home != Home::Resident || tensor.updates) continue;
    if (at(graph.tensors, buffer.tensor).role != TensorRole::Input)
      residents.push_back({buffer.tensor, {}, buffer.memory});
  }
  return residents;
}

Result<std::optional<Plan>> placed_anew(Plan plan, const std::vector<PlacedBuffer>& residents,
                                        const Question& question, const Stop& stop) {
  const Result<BackendChoice> choice =
      choose_backend(*question.solver, question.solve.library_directories);
  if (!choice.ok()) return choice.error();
  const Result<std::unique_ptr<LinearBackend>> backend =
      open_backend(choice->backend, question.solve.library_directories);
  if (!backend.ok()) return backend.error();
  std::optional<PlacedSchedule> placed =
      place_buffers(plan.problem, plan.schedule, **backend, question.solve, stop, residents);
  if (!placed) return std::optional<Plan>();
  plan.schedule = std::move(placed->schedule);
  plan.buffers = buffers_of(plan.problem, plan.schedule);
  plan.proof.status = "feasible";  // the bound is of all places
  return std::optional(std::move(plan));
}

}  // namespace

Result<std::optional<Plan>> ResidentMemories::settled(const Graph& graph, Plan plan,
                                                      const Question& question, const Stop& stop) {
  if (plan.problem.further_memories.empty()) return std::optional(std::move(plan));
  std::vector<PlacedBuffer> residents = residents_of(graph, plan);
  bool lies_elsewhere = false;
  for (PlacedBuffer& one : residents) {
    const auto [known, is_new] =
        by_name_.try_emplace(at(graph.tensors, one.tensor).name, one.memory);
    lies_elsewhere = lies_elsewhere || known->second != one.memory;
    one.memory = known->second;
  }
  if (!lies_elsewhere) return std::optional(std::move(plan));
  return placed_anew(std::move(plan), residents, question, stop);
}

}  // namespace poet
