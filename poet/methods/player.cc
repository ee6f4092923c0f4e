// Plays the decisions of a method by the rules of docs/model/problem.md §2.2: what is missing
// comes back before it is used.
#include "poet/methods/player.h"

#include <algorithm>

#include "poet/problem/facts.h"

namespace poet {

Player::Player(const Problem& problem, HomeReads home_reads)
    : problem_(problem),
      home_reads_(home_reads),
      makers_(producers(problem)),
      held_(problem.tensors.size(), false),
      stored_(problem.tensors.size(), false),
      executed_(problem.operations.size(), false) {
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const Home home = problem.tensors[i].home;
    held_[i] = (home == Home::Rom || home == Home::Resident) && !problem.tensors[i].updates;
    stored_[i] = home == Home::Storage;
  }
}

bool Player::holds(TensorId root) const {
  return held_[index_of(root)];
}

void Player::forget(TensorId root) {
  const Home home = at(problem_.tensors, root).home;
  if (home == Home::Made || home == Home::Storage) held_[index_of(root)] = false;
}

void Player::write(TensorId root) {
  moves_.emplace_back(PageOut{root});
  stored_[index_of(root)] = true;
}

void Player::read(TensorId root) {
  moves_.emplace_back(PageIn{root});
  held_[index_of(root)] = true;
}

// Depth first over what is missing; not by recursion, since a chain may be thousands long.
bool Player::add_missing(OperationId operation, std::vector<bool>& wanted,
                         std::vector<OperationId>& order) const {
  std::vector<OperationId> open = {operation};
  while (!open.empty()) {
    const OperationId next = open.back();
    open.pop_back();
    for (const TensorId input : ram_inputs(problem_, next)) {
      if (held_[index_of(input)] || stored_[index_of(input)]) continue;
      const std::optional<OperationId> maker = makers_[index_of(input)];
      if (!maker) return false;  // an old value after its update
      if (wanted[index_of(*maker)]) continue;
      if (executed_[index_of(*maker)] && at(problem_.operations, *maker).once) return false;
      wanted[index_of(*maker)] = true;
      order.push_back(*maker);
      open.push_back(*maker);
    }
  }
  return true;
}

void Player::run(OperationId operation) {
  const std::vector<TensorId> inputs = ram_inputs(problem_, operation);
  for (const TensorId input : inputs)
    if (!holds(input)) read(input);
  moves_.emplace_back(Compute{operation});
  executed_[index_of(operation)] = true;
  for (const TensorId output : at(problem_.operations, operation).outputs) {
    if (at(problem_.tensors, output).view_of) continue;
    held_[index_of(output)] = true;
    const std::optional<TensorId> old = at(problem_.tensors, output).updates;
    if (!old) continue;
    held_[index_of(*old)] = stored_[index_of(*old)] = false;
    if (at(problem_.tensors, *old).home == Home::Storage) write(output);
  }
  if (home_reads_ == HomeReads::EachUse)
    for (const TensorId input : inputs)
      if (at(problem_.tensors, input).home == Home::Storage) forget(input);
}

bool Player::execute(OperationId operation) {
  std::vector<bool> wanted(problem_.operations.size(), false);
  std::vector<OperationId> order;
  if (!add_missing(operation, wanted, order)) return false;
  std::sort(order.begin(), order.end());
  for (const OperationId again : order) run(again);
  run(operation);
  return true;
}

}  // namespace poet
