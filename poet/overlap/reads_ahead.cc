// Issues reads as late as the channel allows (docs/model/overlap.md §2.2).
#include "poet/overlap/reads_ahead.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <variant>
#include <vector>

#include "poet/problem/facts.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// Per move: RAM in use while it runs, when transfers take their turn.
std::vector<std::int64_t> ram_bytes_of(Problem problem, const Moves& moves) {
  problem.time_mode = TimeMode::Blocking;
  const Schedule schedule = with_drops(problem, moves);
  const Replay replayed = replay(problem, schedule);
  std::vector<std::int64_t> ram_bytes;
  for (std::size_t k = 0; k < schedule.actions.size(); ++k)
    if (!std::holds_alternative<Drop>(schedule.actions[k]))
      ram_bytes.push_back(replayed.moments[k].ram_bytes);
  return ram_bytes;
}

// Per move: when the processor comes to it, if it never waits.
std::vector<double> times_s_of(const Problem& problem, const Moves& moves) {
  std::vector<double> times_s;
  double now_s = 0;
  for (const Action& move : moves) {
    times_s.push_back(now_s);
    if (const auto* compute = std::get_if<Compute>(&move))
      now_s += at(problem.operations, compute->operation).compute_s;
  }
  return times_s;
}

// Per read: when the channel must begin with it, all later reads considered.
std::vector<double> latest_starts_s(const Problem& problem, const Moves& moves,
                                    const std::vector<double>& times_s) {
  std::vector<double> starts_s(moves.size(), 0);
  double free_until_s = std::numeric_limits<double>::infinity();
  for (std::size_t k = moves.size(); k-- > 0;) {
    const auto* read = std::get_if<PageIn>(&moves[k]);
    if (!read) continue;
    free_until_s = std::min(free_until_s, times_s[k]) - at(problem.tensors, read->tensor).page_in_s;
    starts_s[k] = free_until_s;
  }
  return starts_s;
}

bool contains(const std::vector<TensorId>& tensors, TensorId tensor) {
  return std::find(tensors.begin(), tensors.end(), tensor) != tensors.end();
}

bool may_pass(const Problem& problem, const Action& move, TensorId tensor) {
  if (std::holds_alternative<PageIn>(move)) return false;
  if (const auto* write = std::get_if<PageOut>(&move)) return write->tensor != tensor;
  const OperationId operation = std::get<Compute>(move).operation;
  return !contains(ram_inputs(problem, operation), tensor) &&
         !contains(made_outputs(problem, operation), tensor);
}

}  // namespace

Moves with_reads_ahead(const Problem& problem, const Moves& moves) {
  std::vector<std::int64_t> ram_bytes = ram_bytes_of(problem, moves);
  std::vector<double> times_s = times_s_of(problem, moves);
  const std::vector<double> starts_s = latest_starts_s(problem, moves, times_s);
  Moves ahead = moves;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    if (!std::holds_alternative<PageIn>(moves[k])) continue;
    const TensorId tensor = std::get<PageIn>(moves[k]).tensor;
    const std::int64_t size_bytes = at(problem.tensors, tensor).size_bytes;
    // What is before k in `ahead` is what is before k in `moves`, in another order.
    for (std::size_t place = k; place > 0 && times_s[place] > starts_s[k]; --place) {
      if (!may_pass(problem, ahead[place - 1], tensor) ||
          ram_bytes[place - 1] > problem.ram_budget_bytes - size_bytes)
        break;
      std::swap(ahead[place - 1], ahead[place]);
      std::swap(times_s[place - 1], times_s[place]);
      std::swap(ram_bytes[place - 1], ram_bytes[place]);
      times_s[place - 1] = times_s[place];  // the read takes the processor no time
      ram_bytes[place - 1] = ram_bytes[place] += size_bytes;
    }
  }
  return ahead;
}

}  // namespace poet
