// Bounds and schedules for transfers beside the processor (docs/model/overlap.md §1 and §2).
#include "poet/overlap/plan_overlapped.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "poet/base/duration_text.h"
#include "poet/overlap/best_found.h"
#include "poet/overlap/issue_reads.h"
#include "poet/overlap/stand_in_problems.h"
#include "poet/problem/certificate.h"
#include "poet/problem/deadline.h"
#include "poet/problem/facts.h"
#include "poet/solve/allowed_gap.h"

namespace poet {
namespace {

// So often the share between computation and transfers is moved towards the better bound.
constexpr int kShareSteps = 3;
// So many deadlines are tried for the sum of computation and transfers.
constexpr int kDeadlineSteps = 4;
// Parts of the RAM between the largest working set and the budget.
constexpr double kRamParts[] = {0.9, 0.75, 0.5, 0.25};
// Parts of what the channel can carry beside an operation for which its room is left.
constexpr double kRoomParts[] = {1, 0.5, 0.25};
// Schedules for less RAM are sought with transfers counted at least so much beside computation.
constexpr double kMostShare = 0.5;
// What the time that is left is divided by for one problem among those that may follow.
constexpr double kPartOfTime = 0.4;

class OverlappedPlanner {
 public:
  OverlappedPlanner(const Problem& problem, const Solver& solver, const SolveOptions& options,
                    const Stop& stop, const ProgressSink& progress)
      : problem_(problem),
        solver_(solver),
        options_(options),
        stop_(stop),
        progress_(progress),
        unavoidable_(unavoidable_objective(problem)) {
    report_.lower_bound = unavoidable_;
  }

  Result<SolveReport> run() {
    if (takes_too_long()) return std::move(report_);
    if (options_.start) offer(*options_.start);
    if (Failure failure = raise_bound()) return *failure;
    if (report_.status == SolveStatus::Infeasible || is_done()) return finished();
    if (Failure failure = look_for_schedules()) return *failure;
    return finished();
  }

 private:
  bool time_counts() const {
    return problem_.deadline_s || problem_.idle_w > 0 || problem_.objective == Objective::Time;
  }

  // Seen without a search.
  bool takes_too_long() {
    if (!problem_.deadline_s) return false;
    const double least_s = unavoidable(problem_).time_s;
    if (within_deadline(least_s, *problem_.deadline_s)) return false;
    report_.status = SolveStatus::Infeasible;
    report_.evidence = Evidence::Arithmetic;
    if (options_.certificate != CertificateEffort::None)
      report_.certificate = {.instance = certified_instance(problem_), .claim = Claim::Infeasible};
    Infeasibility& no = report_.infeasibility.emplace();
    no.kind = Infeasibility::Kind::Deadline;
    no.reason = fmt::format(
        "the deadline is {}, and the operations with the transfers that every step has take {}",
        exact_seconds(*problem_.deadline_s), exact_seconds(least_s));
    no.least_time_s = least_s;
    return true;
  }

  // --- Bounds

  // Moves the share to where neither computation nor transfers alone decide.
  Failure raise_bound() {
    double least = 0, most = 1;
    for (int step = 0; step <= kShareSteps; ++step) {
      const Result<SolveReport> solved =
          solve(with_shared_time(problem_, share_), options_.certificate);
      if (!solved.ok()) return solved.error();
      take_bound(*solved);
      if (report_.status == SolveStatus::Infeasible || is_done() || !time_counts()) break;
      if (!solved->best || stop_.requested()) break;
      const bool transfers_decide = transfers_s(*solved->best) > computation_s(*solved->best);
      if (share_ == 1 && !transfers_decide) break;
      (transfers_decide ? most : least) = share_;
      share_ = (least + most) / 2;
    }
    return std::nullopt;
  }

  void take_bound(const SolveReport& solved) {
    if (solved.status == SolveStatus::Infeasible) {
      report_.status = SolveStatus::Infeasible;
      report_.evidence = solved.evidence;
      report_.infeasibility = share_ == 1 ? solved.infeasibility : too_long(solved);
      report_.best.reset();
      report_.certificate.reset();  // one of a bound says nothing of this
      if (solved.certificate) take_certificate(*solved.certificate);
      return;
    }
    if (solved.certificate && (!report_.certificate || solved.lower_bound > report_.lower_bound))
      take_certificate(*solved.certificate);
    report_.lower_bound = std::max(report_.lower_bound, solved.lower_bound);
    if (solved.best) offer(*solved.best);
  }

  void take_certificate(const Certificate& of_the_share) {
    report_.certificate = of_the_share;
    report_.certificate->instance = certified_instance(problem_);
    report_.certificate->compute_share = share_;
  }

  // The problem of a share is none that the user knows: of its figures only the bounds hold.
  Infeasibility too_long(const SolveReport& solved) const {
    Infeasibility no;
    no.kind = Infeasibility::Kind::Combined;
    no.reason = fmt::format(
        "no schedule keeps the deadline of {} within the RAM and storage that there are: "
        "computation and transfers take longer even if they never wait for each other",
        exact_seconds(problem_.deadline_s.value_or(0)));
    if (solved.infeasibility) {
      no.least_time_s = solved.infeasibility->least_time_s;
      no.least_budget_bytes = solved.infeasibility->least_budget_bytes;
    }
    return no;
  }

  double computation_s(const Schedule& schedule) const {
    double sum_s = 0;
    for (const Action& action : schedule.actions)
      if (const auto* compute = std::get_if<Compute>(&action))
        sum_s += at(problem_.operations, compute->operation).compute_s;
    return sum_s;
  }

  double transfers_s(const Schedule& schedule) const {
    double sum_s = 0;
    for (const Action& action : schedule.actions) {
      if (const auto* read = std::get_if<PageIn>(&action))
        sum_s += at(problem_.tensors, read->tensor).page_in_s;
      if (const auto* write = std::get_if<PageOut>(&action))
        sum_s += at(problem_.tensors, write->tensor).page_out_s;
    }
    return sum_s;
  }

  // --- Schedules

  Failure look_for_schedules() {
    if (problem_.deadline_s)
      if (Failure failure = try_deadlines()) return failure;
    const Problem shared = with_shared_time(problem_, std::min(share_, kMostShare));
    if (Failure failure = try_room_in_flight(shared)) return failure;
    if (Failure failure = try_less_ram(shared)) return failure;
    if (report_.best || !problem_.deadline_s) return std::nullopt;
    // What costs least is late: perhaps what is quickest is not.
    Problem quickest = with_shared_time(problem_, kMostShare);
    quickest.objective = Objective::Time;
    quickest.deadline_s.reset();
    const Result<SolveReport> solved = solve(quickest, CertificateEffort::None);
    if (!solved.ok()) return solved.error();
    if (solved->best && offer(*solved->best)) return std::nullopt;
    return try_less_ram(quickest);
  }

  // The sum of computation and transfers may take so many times the deadline: 1 in a schedule that
  // is valid when the processor waits for every transfer, 2 at the most where they overlap.
  Failure try_deadlines() {
    double kept = 1, missed = 2;
    Problem asked = problem_;
    asked.time_mode = TimeMode::Blocking;
    double part = 1;
    for (int step = 0; step < kDeadlineSteps && !is_done() && !stop_.requested(); ++step) {
      asked.deadline_s = part * *problem_.deadline_s;
      const Result<SolveReport> solved = solve(asked, CertificateEffort::None);
      if (!solved.ok()) return solved.error();
      const bool keeps = solved->best ? offer(*solved->best) : part == 1;
      (keeps || !solved->best ? kept : missed) = part;
      part = (kept + missed) / 2;
    }
    return std::nullopt;
  }

  // Room where the channel can use it: beside what takes long.
  Failure try_room_in_flight(const Problem& shared) {
    for (const double part : kRoomParts) {
      if (is_done() || stop_.requested()) break;
      const Result<SolveReport> solved =
          solve(with_room_in_flight(shared, problem_, part), CertificateEffort::None);
      if (!solved.ok()) return solved.error();
      if (solved->best) offer(*solved->best);
    }
    return std::nullopt;
  }

  // What such a schedule leaves free is room for reads that are issued early.
  Failure try_less_ram(Problem asked) {
    const std::int64_t least_bytes = largest_working_set(problem_).bytes;
    const auto room_bytes = static_cast<double>(problem_.ram_budget_bytes - least_bytes);
    for (const double part : kRamParts) {
      if (is_done() || stop_.requested()) break;
      asked.ram_budget_bytes = least_bytes + static_cast<std::int64_t>(part * room_bytes);
      const Result<SolveReport> solved = solve(asked, CertificateEffort::None);
      if (!solved.ok()) return solved.error();
      if (!solved->best) break;
      offer(*solved->best);
    }
    return std::nullopt;
  }

  // Whether it keeps every limit.
  bool offer(const Schedule& schedule) {
    TimedSchedule timed = best_timing(problem_, schedule);
    if (!timed.replay.valid()) {
      if (breaks_only_limits(timed.replay) && (!nearest_s_ || timed.replay.time_s < *nearest_s_))
        nearest_s_ = timed.replay.time_s;
      return false;
    }
    const double objective = objective_of(problem_, timed.replay);
    if (report_.best && objective >= report_.objective) return true;
    report_.best = std::move(timed.schedule);
    report_.objective = objective;
    return true;
  }

  // --- The answer

  bool is_done() const {
    return status_of(report_, options_, unavoidable_) == SolveStatus::Optimal;
  }

  Result<SolveReport> solve(const Problem& asked, CertificateEffort certificate) {
    SolveOptions options = options_;
    options.certificate = certificate;
    options.start = report_.best ? report_.best : options_.start;
    const bool is_last = !time_counts();
    Result<SolveReport> solved =
        solver_.solve(asked, options, is_last ? stop_ : part_of(stop_, kPartOfTime),
                      [this](const SolveProgress& news) { pass_on(news, report_, progress_); });
    if (!solved.ok()) return solved;
    report_.effort.add(solved->effort);
    report_.backend = solved->backend;
    for (const std::string& note : solved->notes)
      if (std::find(report_.notes.begin(), report_.notes.end(), note) == report_.notes.end())
        report_.notes.push_back(note);
    return solved;
  }

  SolveReport finished() {
    report_.method = solver_.name();
    if (report_.status == SolveStatus::Infeasible) return std::move(report_);
    if (report_.best) report_.lower_bound = std::min(report_.lower_bound, report_.objective);
    report_.status = status_of(report_, options_, unavoidable_);
    const bool is_plain =
        report_.status == SolveStatus::Optimal &&
        report_.objective - unavoidable_ <= allowed_gap(options_, report_.objective, unavoidable_);
    if (is_plain) report_.evidence = Evidence::Arithmetic;
    if (!report_.best && nearest_s_)
      report_.notes.push_back(
          fmt::format("no schedule was found that keeps the deadline of {}; the quickest that was "
                      "tried takes {}",
                      exact_seconds(problem_.deadline_s.value_or(0)), exact_seconds(*nearest_s_)));
    return std::move(report_);
  }

  const Problem& problem_;
  const Solver& solver_;
  const SolveOptions& options_;
  const Stop& stop_;
  const ProgressSink& progress_;
  double unavoidable_ = 0;
  double share_ = 1;                      // of computation, in the last bound
  std::optional<double> nearest_s_ = {};  // of schedules that break limits
  SolveReport report_ = {};
};

}  // namespace

Result<SolveReport> plan_overlapped(const Problem& problem, const Solver& solver,
                                    const SolveOptions& options, const Stop& stop,
                                    const ProgressSink& progress) {
  return OverlappedPlanner(problem, solver, options, stop, progress).run();
}

}  // namespace poet
