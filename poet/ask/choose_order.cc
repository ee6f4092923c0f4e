// Which order a step's operations come in, where the RAM budget may choose: by trying two, each
// with a short search (docs/decisions/0061-orders-by-budget.md).
#include "poet/ask/choose_order.h"

#include <algorithm>
#include <utility>

#include "poet/ask/several_memories.h"
#include "poet/base/result.h"
#include "poet/overlap/planner.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// What one search may take: a second of the machines that we know, and of a short limit a part.
constexpr double kMostTrialEffort = kEffortUnitsPerSecond;
constexpr double kPartOfTrial = 0.1;
// Less is no reason to leave the order with the lowest peak.
constexpr double kLeastGain = 1e-4;

}  // namespace

bool leaves_order_open(const Question& question, const Problem& lowest_peak) {
  return kind_of(question) == GraphKind::Real && !question.training.part_bytes &&
         !question.training.order_for_bytes && !has_several_memories(question) &&
         (lowest_peak.ram_budget_bytes < plain_peak_bytes(lowest_peak) ||
          (lowest_peak.time_mode == TimeMode::Overlapped && lowest_peak.deadline_s));
}

std::int64_t bytes_for_order(const Problem& lowest_peak, std::int64_t ram_budget_bytes) {
  return std::min(ram_budget_bytes, plain_peak_bytes(lowest_peak) - 1);
}

std::optional<OrderTrial> try_order(const Question& question,
                                    std::span<const Problem* const> problems, const Stop& stop) {
  SolveOptions options = question.solve;
  options.certificate = CertificateEffort::None;
  options.start.reset();
  OrderTrial trial;
  for (const Problem* const problem : problems) {
    Stop moment = part_of(stop, kPartOfTrial);
    const double most =
        std::min(kMostTrialEffort, kPartOfTrial * options.most_effort_s * kEffortUnitsPerSecond);
    moment.effort_limit = std::min(moment.effort_limit, stop.counted() + most);
    Result<SolveReport> solved = make_planner()->solve(*problem, options, moment, {});
    if (!solved.ok() || !solved->best) return std::nullopt;
    const Replay replayed = replay(*problem, *solved->best);
    if (!replayed.valid()) return std::nullopt;
    trial.objective += objective_of(*problem, replayed);
    trial.schedules.push_back(std::make_shared<const Schedule>(*std::move(solved->best)));
  }
  return trial;
}

bool is_better(const std::optional<OrderTrial>& least_moved,
               const std::optional<OrderTrial>& lowest_peak) {
  if (!least_moved) return false;
  if (!lowest_peak) return true;
  return least_moved->objective < lowest_peak->objective * (1 - kLeastGain);
}

}  // namespace poet
