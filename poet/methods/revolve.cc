// Binomial checkpointing of chains of equal steps (Griewank and Walther, ACM TOMS 26(1), 2000).
#include "poet/methods/revolve.h"

#include <algorithm>

#include "poet/base/check.h"
#include "poet/methods/needs.h"
#include "poet/methods/proposals.h"

namespace poet {

std::int64_t binomial_reach(std::int64_t checkpoints, std::int64_t repetitions, std::int64_t most) {
  if (repetitions < 0) return 0;
  std::int64_t reach = 1;
  for (std::int64_t r = 1; r <= repetitions; ++r) {
    // reach <= most here, and exact: reach * (c + r) is a multiple of r.
    if (reach > most / (checkpoints + r)) return most;
    reach = reach * (checkpoints + r) / r;
  }
  return std::min(reach, most);
}

std::int64_t least_advances(std::int64_t steps, std::int64_t checkpoints) {
  POET_CHECK(steps >= 1 && checkpoints >= 1);
  if (checkpoints == 1) return steps * (steps - 1) / 2;
  std::int64_t below = 0;  // beta(c + 1, r - 1), the sum of beta(c, 0) .. beta(c, r - 1)
  std::int64_t r = 0;
  for (std::int64_t reach = 1; reach < steps; ++r) {
    below += reach;
    reach = reach * (checkpoints + r + 1) / (r + 1);
  }
  return r * steps - below;
}

std::int64_t binomial_split(std::int64_t steps, std::int64_t checkpoints) {
  POET_CHECK(steps >= 2 && checkpoints >= 1);
  if (checkpoints == 1) return steps - 1;
  const auto advances = [&](std::int64_t m) {
    return m + least_advances(steps - m, checkpoints - 1) + least_advances(m, checkpoints);
  };
  // Convex in m, as t(l, c) is in l: the first m after which it grows.
  std::int64_t first = 1;
  std::int64_t last = steps - 1;
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    if (advances(middle + 1) > advances(middle))
      last = middle;
    else
      first = middle + 1;
  }
  return first;
}

namespace {

constexpr std::int64_t kMostAdvances = 2'000'000;
constexpr std::int32_t kAllCountsUpTo = 64;

class Revolve final : public Solver {
 public:
  std::string_view name() const override { return "revolve"; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions&, const Stop& stop,
                            const ProgressSink&) const override {
    if (Failure failure = needs_rematerialisation(problem)) return *failure;
    const Result<ChainBlocks> blocks = chain_of(problem);
    if (!blocks.ok()) return blocks.error();
    const std::int32_t steps = chain_length(problem, *blocks);
    Proposals proposals(problem);
    for (const std::int32_t checkpoints : checkpoint_counts(steps)) {
      if (stop.requested()) break;
      if (least_advances(steps, checkpoints) > kMostAdvances) continue;
      const std::vector<ChainMove> chain_moves = revolve_moves(steps, checkpoints);
      for (const HomeReads home_reads : ways_to_read_homes(problem))
        if (const auto moves = play_chain_moves(problem, *blocks, chain_moves, home_reads))
          proposals.offer(*moves);
    }
    return proposals.report(name());
  }
};

}  // namespace

std::vector<ChainMove> revolve_moves(std::int32_t steps, std::int32_t checkpoints) {
  POET_CHECK(steps >= 1 && checkpoints >= 1);
  std::vector<ChainMove> moves;
  std::vector<std::int32_t> kept = {0};
  if (steps > 1) moves.push_back({ChainStep::Keep, 0});
  for (std::int32_t last = steps - 1; last >= 0; --last) {
    while (kept.back() > last) kept.pop_back();
    std::int32_t state = kept.back();
    while (state < last) {
      const auto free = checkpoints - static_cast<std::int32_t>(kept.size());
      const auto next =
          state + static_cast<std::int32_t>(binomial_split(last - state + 1, free + 1));
      for (; state < next; ++state) moves.push_back({ChainStep::Advance, state});
      if (state == last) break;
      moves.push_back({ChainStep::Keep, state});
      kept.push_back(state);
    }
    moves.push_back({ChainStep::Turn, last});
  }
  return moves;
}

std::vector<std::int32_t> checkpoint_counts(std::int32_t steps) {
  std::vector<std::int32_t> counts;
  for (std::int32_t count = 1; count <= steps;
       count += count < kAllCountsUpTo ? 1 : count / (kAllCountsUpTo / 4))
    counts.push_back(count);
  if (counts.back() != steps) counts.push_back(steps);
  return counts;
}

std::unique_ptr<Solver> make_revolve() {
  return std::make_unique<Revolve>();
}

}  // namespace poet
