// Between schedules and their moves (docs/model/overlap.md §2.1).
#include "poet/overlap/schedule_of.h"

#include <algorithm>
#include <variant>

namespace poet {

Moves moves_of(const Schedule& schedule) {
  Moves moves = schedule.actions;
  std::erase_if(moves, [](const Action& action) { return std::holds_alternative<Drop>(action); });
  return moves;
}

Schedule schedule_of(const Problem& problem, const Moves& moves,
                     const std::vector<TensorId>& resident) {
  const auto stays = [&](TensorId tensor) {
    const TensorId place = at(problem.tensors, tensor).updates.value_or(tensor);
    return std::find(resident.begin(), resident.end(), place) != resident.end();
  };
  Schedule schedule = with_drops(problem, moves);
  std::erase_if(schedule.actions, [&](const Action& action) {
    const Drop* const drop = std::get_if<Drop>(&action);
    return drop != nullptr && stays(drop->tensor);
  });
  schedule.resident = resident;
  return schedule;
}

}  // namespace poet
