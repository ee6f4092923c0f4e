// The smallest RAM beside further memories (docs/model/memories.md §4.3 and §5.4).
#include "poet/overlap/least_in_memories.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "poet/overlap/memory_bound.h"
#include "poet/overlap/planner.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// Of the effort that is left, for all memories as one RAM, and for one budget and for proofs by
// time after that.
constexpr double kPartOfOneRam = 0.3;
constexpr double kPartOfOneTry = 0.2;
constexpr double kPartOfProof = 0.2;

class LeastInMemories {
 public:
  LeastInMemories(const Problem& problem, const SolveOptions& options, const LinearBackend& backend,
                  const Stop& stop, const ProgressSink& progress)
      : problem_(problem), options_(options), backend_(backend), stop_(stop), progress_(progress) {
    // Any schedule will do.
    any_.backend = options.backend;
    any_.library_directories = options.library_directories;
    any_.seed = options.seed;
    any_.threads = options.threads;
    any_.gap_ratio = 1;
    any_.most_effort_to_explain_s = 0;
  }

  Result<BudgetReport> run() {
    if (Failure failure = begin()) return *failure;
    if (least_.status == SolveStatus::Infeasible) return std::move(report_);
    least_.status = SolveStatus::Unknown;
    prove_by_time();
    if (!least_.found_bytes) return std::move(report_);
    if (Failure failure = look_below()) return *failure;
    least_.status =
        *least_.found_bytes <= least_.proved_bytes ? SolveStatus::Optimal : SolveStatus::Feasible;
    return std::move(report_);
  }

 private:
  Problem with_ram(std::int64_t bytes) const {
    Problem asked = problem_;
    asked.ram_budget_bytes = bytes;
    return asked;
  }

  // What has no schedule in one RAM of all bytes has none here, and a schedule of that RAM alone
  // leaves the further memories empty. Where these hold everything, one RAM says nothing of this
  // one, but whether there is a schedule at all, which is asked of the problem itself.
  Failure begin() {
    least_.proved_bytes = largest_need_of_ram(problem_).bytes;
    const std::int64_t further_bytes = bytes_of_all_memories(with_ram(0));
    if (plain_peak_bytes(problem_) > further_bytes)
      if (Failure failure = solve_as_one_ram(further_bytes)) return failure;
    if (least_.found_bytes || least_.status == SolveStatus::Infeasible) return std::nullopt;
    return plan_with_everything();
  }

  Failure solve_as_one_ram(std::int64_t further_bytes) {
    Problem one = problem_;
    one.further_memories.clear();
    Result<BudgetReport> solved = solve_least_budget(
        one, options_, part_of(stop_, kPartOfOneRam), [this](const SolveProgress& news) {
          if (!progress_) return;
          SolveProgress phase;  // its bytes are of all memories together
          phase.phase = news.phase;
          progress_(phase);
        });
    if (!solved.ok()) return solved.error();
    report_ = *std::move(solved);
    if (least_.status == SolveStatus::Infeasible) return std::nullopt;
    least_.proved_bytes =
        std::max(largest_need_of_ram(problem_).bytes, least_.proved_bytes - further_bytes);
    const std::optional<std::int64_t> found_bytes = std::exchange(least_.found_bytes, {});
    const std::optional<Schedule> found = std::exchange(least_.schedule, {});
    if (found_bytes && found) offer(*found, *found_bytes);
    return std::nullopt;
  }

  // No schedule needs more RAM than the plain peak.
  Failure plan_with_everything() {
    const std::int64_t bytes = plain_peak_bytes(problem_);
    const Result<SolveReport> solved =
        make_planner()->solve(with_ram(bytes), any_, part_of(stop_, kPartOfOneRam), {});
    if (!solved.ok()) return solved.error();
    report_.backend = solved->backend;
    least_.effort.add(solved->effort);
    if (solved->status == SolveStatus::Infeasible) {
      least_.status = SolveStatus::Infeasible;
      // Of what a search says no limit is impossible by itself.
      if (solved->evidence == Evidence::Arithmetic) report_.infeasibility = solved->infeasibility;
    }
    if (solved->best) offer(*solved->best, bytes);
    tell();
    return std::nullopt;
  }

  // What the RAM cannot keep takes time elsewhere: a budget in which that is more than the deadline
  // has room for is too small, and so is every smaller one.
  void prove_by_time() {
    if (!problem_.deadline_s) return;
    const Stop sooner = part_of(stop_, kPartOfProof);
    std::int64_t high_bytes = least_.found_bytes.value_or(plain_peak_bytes(problem_) + 1);
    while (least_.proved_bytes < high_bytes && !sooner.requested()) {
      const std::int64_t bytes = least_.proved_bytes + (high_bytes - least_.proved_bytes) / 2;
      if (takes_too_long(bytes, sooner))
        least_.proved_bytes = bytes + 1;
      else
        high_bytes = bytes;
    }
  }

  bool takes_too_long(std::int64_t bytes, const Stop& stop) const {
    const Problem asked = with_ram(bytes);
    return is_beyond_deadline(asked, least_time_in_memories(asked, backend_, stop));
  }

  // Without a deadline what is proved is tried first: most further memories have room for
  // everything.
  Failure look_below() {
    std::int64_t low_bytes = least_.proved_bytes;  // nothing was found in less
    std::optional<std::int64_t> next_bytes;
    if (!problem_.deadline_s) next_bytes = low_bytes;
    while (low_bytes < *least_.found_bytes && !stop_.requested()) {
      const std::int64_t open_bytes = *least_.found_bytes - low_bytes;
      const std::int64_t bytes = next_bytes ? *next_bytes : low_bytes + open_bytes / 2;
      next_bytes.reset();
      if (!is_worth_a_look(open_bytes)) break;
      if (Failure failure = try_budget(bytes, low_bytes)) return failure;
    }
    return std::nullopt;
  }

  bool is_worth_a_look(std::int64_t open_bytes) const {
    return static_cast<double>(open_bytes) >
           options_.gap_ratio * static_cast<double>(*least_.found_bytes);
  }

  Failure try_budget(std::int64_t bytes, std::int64_t& low_bytes) {
    any_.start = least_.schedule;
    const Result<SolveReport> solved = make_planner()->solve(
        with_ram(bytes), any_, part_of(stop_, kPartOfOneTry), {});  // its figures are joules
    if (!solved.ok()) return solved.error();
    least_.effort.add(solved->effort);
    if (solved->best) {
      offer(*solved->best, bytes);
    } else {
      low_bytes = std::max(low_bytes, bytes + 1);
      if (solved->status == SolveStatus::Infeasible)
        least_.proved_bytes = std::max(least_.proved_bytes, bytes + 1);
    }
    tell();
    return std::nullopt;
  }

  // In what it uses, where that is enough for it: beside the processor, with less room there may be
  // waits that break a deadline.
  void offer(const Schedule& schedule, std::int64_t bytes) {
    const Replay replayed = replay(with_ram(bytes), schedule);
    if (!replayed.valid()) return;
    const std::int64_t used_bytes = replayed.peak_ram_bytes;
    if (replay(with_ram(used_bytes), schedule).valid()) bytes = used_bytes;
    if (least_.found_bytes && *least_.found_bytes <= bytes) return;
    least_.found_bytes = bytes;
    least_.schedule = schedule;
  }

  void tell() const {
    if (!progress_) return;
    SolveProgress news;
    news.phase = "budgets";
    if (least_.found_bytes) news.incumbent = static_cast<double>(*least_.found_bytes);
    news.bound = static_cast<double>(least_.proved_bytes);
    progress_(news);
  }

  const Problem& problem_;
  const SolveOptions& options_;
  const LinearBackend& backend_;
  const Stop& stop_;
  const ProgressSink& progress_;
  SolveOptions any_ = {};
  BudgetReport report_ = {};
  LeastBudget& least_ = report_.least;
};

}  // namespace

Result<BudgetReport> least_ram_in_memories(const Problem& problem, const SolveOptions& options,
                                           const Stop& stop, const ProgressSink& progress) {
  const Result<std::unique_ptr<LinearBackend>> backend =
      open_backend(options.backend, options.library_directories);
  if (!backend.ok()) return backend.error();
  return LeastInMemories(problem, options, **backend, stop, progress).run();
}

}  // namespace poet
