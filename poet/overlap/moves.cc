// Between schedules and their moves, and the drops that follow from these (docs/model/overlap.md
// §2.1).
#include "poet/overlap/moves.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <variant>

#include "poet/problem/facts.h"

namespace poet {
namespace {

// What a move needs in RAM, and what it brings there.
struct Touched {
  std::vector<TensorId> needs = {};
  std::vector<TensorId> brings = {};
  std::optional<TensorId> shares = {};  // the input whose buffer an output may take over
};

bool leaves_ram(const Problem& problem, TensorId tensor) {
  const Home home = at(problem.tensors, tensor).home;
  return home == Home::Made || home == Home::Storage;
}

std::vector<TensorId> those_that_leave(const Problem& problem, std::vector<TensorId> tensors) {
  std::erase_if(tensors, [&](TensorId tensor) { return !leaves_ram(problem, tensor); });
  return tensors;
}

struct TouchedBy {
  const Problem& problem;

  Touched operator()(const Compute& move) const {
    Touched touched{those_that_leave(problem, ram_inputs(problem, move.operation)),
                    those_that_leave(problem, made_outputs(problem, move.operation)),
                    {}};
    if (const auto& in_place = at(problem.operations, move.operation).in_place)
      touched.shares = root_of(problem, in_place->input);
    return touched;
  }
  Touched operator()(const PageOut& move) const { return {{move.tensor}, {}, {}}; }
  Touched operator()(const PageIn& move) const { return {{}, {move.tensor}, {}}; }
  Touched operator()(const Drop&) const { return {}; }
};

void drop_all(Schedule& schedule, std::vector<TensorId> dying,
              const std::optional<TensorId>& first) {
  if (first)
    std::stable_partition(dying.begin(), dying.end(),
                          [&](TensorId tensor) { return tensor == *first; });
  for (const TensorId tensor : dying) schedule.actions.emplace_back(Drop{tensor});
}

}  // namespace

Schedule with_drops(const Problem& problem, const Moves& moves) {
  // Backwards: a tensor dies at a move that needs or brings it when no later move needs it first.
  std::vector<bool> needed_later(problem.tensors.size(), false);
  std::vector<std::vector<TensorId>> dying(moves.size());
  for (std::size_t at_move = moves.size(); at_move-- > 0;) {
    const Touched touched = std::visit(TouchedBy{problem}, moves[at_move]);
    std::vector<TensorId>& leaving = dying[at_move];
    for (const TensorId tensor : touched.brings) {
      if (!needed_later[index_of(tensor)]) leaving.push_back(tensor);
      needed_later[index_of(tensor)] = false;
    }
    const auto outputs = static_cast<std::ptrdiff_t>(leaving.size());
    for (const TensorId tensor : touched.needs) {
      if (!needed_later[index_of(tensor)]) leaving.push_back(tensor);
      needed_later[index_of(tensor)] = true;
    }
    std::rotate(leaving.begin(), leaving.begin() + outputs, leaving.end());  // inputs first
  }
  Schedule schedule;
  for (std::size_t at_move = 0; at_move < moves.size(); ++at_move) {
    schedule.actions.push_back(moves[at_move]);
    drop_all(schedule, dying[at_move], std::visit(TouchedBy{problem}, moves[at_move]).shares);
  }
  return schedule;
}

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
