// The dynamic programme of checkpoints in RAM and storage (Herrmann and Pallez, ACM TOMS 46(2),
// 2020).
#include "poet/methods/h_revolve.h"

#include <algorithm>
#include <limits>

#include "poet/methods/needs.h"
#include "poet/methods/proposals.h"
#include "poet/methods/revolve.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMostMoves = 2'000'000;  // longer ones take too long to replay
constexpr std::int32_t kMostPlacesTried = 16;   // where storage or writing is limited

double mean(double sum, std::int64_t count) {
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

// What the objective makes of energies and times, when the processor waits for each transfer.
struct Prices {
  const Problem& problem;
  Objective objective;

  double of(double energy_j, double time_s) const {
    return objective == Objective::Time ? time_s : energy_j + problem.idle_w * time_s;
  }
  double of_transfer(double energy_j, double time_s) const {
    return of(energy_j, problem.time_mode == TimeMode::Free ? 0 : time_s);
  }
};

// The last block is turned right away, never advanced over: its costs say nothing.
TwoLevels mean_costs(const Problem& problem, const ChainBlocks& blocks, const Prices& prices) {
  TwoLevels levels{.advance_cost = 0};
  const std::int32_t origin = chain_origin(problem, blocks);
  for (std::size_t b = static_cast<std::size_t>(origin); b + 1 < blocks.size(); ++b) {
    for (const OperationId v : blocks.forward[b]) {
      const Operation& operation = at(problem.operations, v);
      levels.advance_cost += prices.of(operation.compute_j, operation.compute_s);
    }
    for (const TensorId state : blocks.border[b]) {
      const Tensor& tensor = at(problem.tensors, state);
      levels.write_cost += prices.of_transfer(tensor.page_out_j, tensor.page_out_s);
      levels.read_cost += prices.of_transfer(tensor.page_in_j, tensor.page_in_s);
    }
  }
  const std::int32_t advanced = chain_length(problem, blocks) - 1;
  levels.advance_cost = mean(levels.advance_cost, advanced);
  levels.write_cost = mean(levels.write_cost, advanced);
  levels.read_cost = mean(levels.read_cost, advanced);
  return levels;
}

// Unlimited first; then, where the user limits storage, numbers of places.
std::vector<std::optional<std::int32_t>> storage_counts(const Problem& problem,
                                                        std::int32_t steps) {
  std::vector<std::optional<std::int32_t>> counts = {std::nullopt};
  if (problem.storage_capacity_bytes || problem.write_budget_bytes)
    for (std::int32_t m = 0; m <= std::min(steps, kMostPlacesTried); ++m) counts.emplace_back(m);
  return counts;
}

// A deadline may need other schedules than the least energy.
std::vector<Objective> objectives_to_try(const Problem& problem) {
  if (problem.objective == Objective::Energy && problem.deadline_s)
    return {Objective::Energy, Objective::Time};
  return {problem.objective};
}

class HRevolve final : public Solver {
 public:
  std::string_view name() const override { return "h-revolve"; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions&, const Stop& stop,
                            const ProgressSink&) const override {
    if (Failure failure = needs_rematerialisation(problem)) return *failure;
    if (Failure failure = needs_paging(problem)) return *failure;
    const Result<ChainBlocks> blocks = chain_of(problem);
    if (!blocks.ok()) return blocks.error();
    Proposals proposals(problem);
    for (const Objective objective : objectives_to_try(problem))
      offer_all(problem, *blocks, mean_costs(problem, *blocks, {problem, objective}), stop,
                proposals);
    return proposals.report(name());
  }

 private:
  static void offer_all(const Problem& problem, const ChainBlocks& blocks, TwoLevels levels,
                        const Stop& stop, Proposals& proposals) {
    const std::int32_t steps = chain_length(problem, blocks);
    std::vector<std::int32_t> ram_counts = checkpoint_counts(steps);
    ram_counts.insert(ram_counts.begin(), 0);
    for (const std::int32_t ram_count : ram_counts) {
      levels.ram_checkpoints = ram_count;
      for (const std::optional<std::int32_t>& places : storage_counts(problem, steps)) {
        if (stop.requested()) return;
        levels.storage_checkpoints = places;
        const TwoLevelPlan plan(levels, steps);
        if (plan.cost(steps) < kNever) offer(problem, blocks, plan.moves(steps), proposals);
      }
    }
  }

  static void offer(const Problem& problem, const ChainBlocks& blocks,
                    const std::vector<ChainMove>& chain_moves, Proposals& proposals) {
    if (static_cast<std::int64_t>(chain_moves.size()) > kMostMoves) return;
    for (const HomeReads home_reads : ways_to_read_homes(problem))
      if (const auto moves = play_chain_moves(problem, blocks, chain_moves, home_reads))
        proposals.offer(*moves);
  }
};

}  // namespace

TwoLevelPlan::TwoLevelPlan(const TwoLevels& levels, std::int32_t most_steps) : levels_(levels) {
  const auto size = static_cast<std::size_t>(most_steps) + 1;
  in_ram_.assign(size, kNever);
  in_ram_[1] = 0;
  for (std::int32_t l = 2; l <= most_steps && levels.ram_checkpoints > 0; ++l)
    in_ram_[l] =
        static_cast<double>(least_advances(l, levels.ram_checkpoints)) * levels.advance_cost;
  const std::size_t rows = static_cast<std::size_t>(levels.storage_checkpoints.value_or(0)) + 1;
  at_hand_.assign(rows, in_ram_);  // as it is without a place in storage
  stored_.assign(rows, in_ram_);
  split_.assign(rows, std::vector<std::int32_t>(size, 0));
  for (std::size_t m = levels.storage_checkpoints ? 1 : 0; m < rows; ++m) fill(m, most_steps);
}

void TwoLevelPlan::fill(std::size_t m, std::int32_t most_steps) {
  const std::vector<double>& behind = at_hand_[places_behind(m)];
  for (std::int32_t l = 2; l <= most_steps; ++l) {
    for (std::int32_t i = 1; i < l; ++i) {
      const double cost =
          i * levels_.advance_cost + behind[l - i] + levels_.read_cost + stored_[m][i];
      if (cost >= stored_[m][l]) continue;
      stored_[m][l] = cost;
      split_[m][l] = i;
    }
    at_hand_[m][l] = std::min(in_ram_[l], levels_.write_cost + stored_[m][l]);
  }
}

std::vector<ChainMove> TwoLevelPlan::moves(std::int32_t steps) const {
  std::vector<ChainMove> moves;
  play_at_hand(0, steps, places(), moves);
  return moves;
}

void TwoLevelPlan::play_at_hand(std::int32_t state, std::int32_t steps, std::size_t m,
                                std::vector<ChainMove>& moves) const {
  if (at_hand_[m][steps] >= in_ram_[steps]) return play_in_ram(state, steps, moves);
  moves.push_back({ChainStep::Write, state});
  play_stored(state, steps, m, moves);
}

void TwoLevelPlan::play_stored(std::int32_t state, std::int32_t steps, std::size_t m,
                               std::vector<ChainMove>& moves) const {
  while (const std::int32_t ahead = split_[m][steps]) {
    for (std::int32_t i = 0; i < ahead; ++i) moves.push_back({ChainStep::Advance, state + i});
    play_at_hand(state + ahead, steps - ahead, places_behind(m), moves);
    moves.push_back({ChainStep::Read, state});
    steps = ahead;
  }
  play_in_ram(state, steps, moves);
}

void TwoLevelPlan::play_in_ram(std::int32_t state, std::int32_t steps,
                               std::vector<ChainMove>& moves) const {
  for (ChainMove move : revolve_moves(steps, std::max(1, levels_.ram_checkpoints))) {
    move.state += state;
    moves.push_back(move);
  }
}

std::unique_ptr<Solver> make_h_revolve() {
  return std::make_unique<HRevolve>();
}

}  // namespace poet
