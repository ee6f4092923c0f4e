// Plans for problems with several memories (docs/model/memories.md §4 and §5).
#include "poet/overlap/plan_in_memories.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "poet/base/duration_text.h"
#include "poet/base/message_text.h"
#include "poet/overlap/best_found.h"
#include "poet/overlap/least_in_memories.h"
#include "poet/overlap/memory_bound.h"
#include "poet/overlap/place_buffers.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/solve/allowed_gap.h"
#include "poet/solve/budget_solver.h"
#include "poet/solve/infeasibility.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// Parts of what all memories have beside the RAM, as far as a schedule can use it, with which
// schedules are looked for: the less there is, the more is moved and computed again, and the less
// is read and written in slow memories.
constexpr double kParts[] = {0.5, 0, 0.25, 0.75, 0.125};
// Whether buffers find places does not follow the size of the RAM, so many parts are looked at for
// a moment first.
constexpr int kLooks = 16;
// Of the effort that is left, for all looks and of that for one, for one search and for placing
// what it found.
constexpr double kPartOfLooks = 0.1;
constexpr double kPartOfOneLook = 0.1;
constexpr double kMostOfOneLook_s = 0.25;  // where there is no limit
constexpr double kPartOfOneBudget = 0.4;
constexpr double kPartOfPlacing = 0.25;

class MemoryPlanner {
 public:
  MemoryPlanner(const Problem& problem, const Solver& solver, const SolveOptions& options,
                const LinearBackend& backend, const Stop& stop, const ProgressSink& progress)
      : problem_(problem),
        solver_(solver),
        options_(options),
        backend_(backend),
        stop_(stop),
        progress_(progress),
        unavoidable_(unavoidable_objective(problem)) {
    report_.lower_bound = unavoidable_;
  }

  Result<SolveReport> run() {
    if (nothing_fits()) return std::move(report_);
    if (options_.start) offer(*options_.start);
    if (options_.start) place(*options_.start);
    if (Failure failure = solve_in_all()) return *failure;
    if (report_.status == SolveStatus::Infeasible) return std::move(report_);
    if (is_too_late()) return std::move(report_);
    report_.lower_bound = std::max(report_.lower_bound, memory_bound(problem_, backend_, stop_));
    if (Failure failure = look_in_less()) return *failure;
    if (Failure failure = solve_in_parts()) return *failure;
    if (!report_.best && looks_further()) {
      if (Failure failure = look_as_for_least()) return *failure;
      if (report_.best)
        if (Failure failure = solve_in_parts()) return *failure;
    }
    return finished();
  }

 private:
  Problem joined(std::int64_t ram_bytes) const {
    Problem one = problem_;
    one.further_memories.clear();
    one.ram_budget_bytes = ram_bytes;
    return one;
  }

  // Seen without a search: the workspace is in the RAM, and a buffer lies in one memory.
  bool nothing_fits() {
    std::int64_t largest_bytes = problem_.ram_budget_bytes;
    for (const FurtherMemory& memory : problem_.further_memories)
      largest_bytes = std::max(largest_bytes, memory.size_bytes);
    for (std::size_t v = 0; v < problem_.operations.size(); ++v) {
      const OperationId id{static_cast<std::int32_t>(v)};
      const Operation& operation = problem_.operations[v];
      if (operation.workspace_bytes > problem_.ram_budget_bytes)
        return refuse(
            id, fmt::format("'{}' needs {} of workspace, which is in the RAM, and that has {}",
                            operation.name, bytes_text(operation.workspace_bytes),
                            bytes_text(problem_.ram_budget_bytes)));
      std::vector<TensorId> needed = ram_inputs(problem_, id);
      const std::vector<TensorId> outputs = made_outputs(problem_, id);
      needed.insert(needed.end(), outputs.begin(), outputs.end());
      for (const TensorId tensor : needed)
        if (const Tensor& one = at(problem_.tensors, tensor); one.size_bytes > largest_bytes)
          return refuse(id, fmt::format("'{}' needs '{}' of {}, and the largest memory has {}",
                                        operation.name, one.name, bytes_text(one.size_bytes),
                                        bytes_text(largest_bytes)));
    }
    const WorkingSet need = largest_need_of_ram(problem_);
    if (need.bytes <= problem_.ram_budget_bytes) return false;
    return refuse(need.operation,
                  fmt::format("'{}' needs {} of what no further memory has room for, which is in "
                              "the RAM, and that has {}",
                              at(problem_.operations, need.operation).name, bytes_text(need.bytes),
                              bytes_text(problem_.ram_budget_bytes)));
  }

  // What the RAM cannot keep takes time elsewhere, or comes again.
  bool is_too_late() {
    if (!problem_.deadline_s || report_.best) return false;
    const double least_s = least_time_in_memories(problem_, backend_, stop_);
    if (!is_beyond_deadline(problem_, least_s)) return false;
    report_.status = SolveStatus::Infeasible;
    report_.evidence = Evidence::Backend;
    Infeasibility& no = report_.infeasibility.emplace();
    no.least_time_s = least_s;
    no.reason = fmt::format(
        "what {} of RAM cannot keep takes time elsewhere or comes again, so that no schedule takes "
        "less than {}, and the deadline is {}",
        bytes_text(problem_.ram_budget_bytes), exact_seconds(least_s),
        exact_seconds(*problem_.deadline_s));
    return true;
  }

  bool refuse(OperationId operation, std::string reason) {
    report_.status = SolveStatus::Infeasible;
    report_.evidence = Evidence::Arithmetic;
    Infeasibility& no = report_.infeasibility.emplace();
    no.kind = Infeasibility::Kind::RamBudget;
    no.reason = std::move(reason);
    no.operation = operation;
    no.working_set_bytes = working_set_bytes(problem_, operation);
    no.least_budget_bytes = largest_need_of_ram(problem_).bytes;
    add_other_limits(no);
    return true;
  }

  // Those that are impossible however much RAM there is. No deadline is named: other steps may be
  // quicker.
  void add_other_limits(Infeasibility& no) const {
    const Problem roomy =
        joined(std::max(bytes_of_all_memories(problem_), plain_peak_bytes(problem_)));
    std::optional<Infeasibility> others = plainly_infeasible(roomy, WhatWorks::IsLeftOut);
    if (!others) return;
    others->least_time_s.reset();
    no.kind = Infeasibility::Kind::Combined;
    no.reason += fmt::format("; besides, {}", retold(roomy, *std::move(others)).reason);
  }

  // What is true of one RAM of all bytes, in which access costs nothing, is true of the problem.
  Failure solve_in_all() {
    const Problem all = joined(bytes_of_all_memories(problem_));
    Result<SolveReport> solved = solve(all, options_.start, part_of(stop_, kPartOfOneBudget));
    if (!solved.ok()) return solved.error();
    report_.method = solved->method;
    report_.backend = solved->backend;
    report_.notes = solved->notes;
    if (solved->status == SolveStatus::Infeasible) {
      report_.status = SolveStatus::Infeasible;
      report_.evidence =
          solved->evidence == Evidence::Certificate ? Evidence::Backend : solved->evidence;
      report_.infeasibility = of_all_memories(problem_, *std::move(solved->infeasibility));
      return std::nullopt;
    }
    report_.lower_bound = std::max(report_.lower_bound, solved->lower_bound);
    found_in_all_ = solved->best.has_value();
    if (solved->best) place(*solved->best);
    return std::nullopt;
  }

  Failure look_in_less() {
    constexpr int kStep = 5;  // so that the first ones are far apart
    const Stop looks = part_of(stop_, kPartOfLooks);
    for (int k = 0; k < kLooks && !looks.requested(); ++k) {
      const double part = static_cast<double>((kStep * k + kLooks / 2) % kLooks) / kLooks;
      const Stop one = with_own_effort(part_of(looks, kPartOfOneLook), kMostOfOneLook_s);
      if (Failure failure = solve_in_part(part, one)) return failure;
      looks.count(one.counted());
    }
    return std::nullopt;
  }

  Failure solve_in_parts() {
    for (const double part : kParts)
      if (Failure failure = solve_in_part(part, part_of(stop_, kPartOfOneBudget))) return failure;
    return std::nullopt;
  }

  // Whoever begins with a schedule, or has other steps or budgets to look at, looks there.
  bool looks_further() const { return !options_.start && options_.most_effort_to_explain_s > 0; }

  // As the shortest time and the smallest RAM are looked for: what is found then is one here.
  Failure look_as_for_least() {
    if (problem_.deadline_s) {
      Problem quickest = problem_;
      quickest.objective = Objective::Time;
      quickest.deadline_s.reset();
      const Result<SolveReport> solved =
          plan_in_memories(quickest, solver_, options_, part_of(stop_, kPartOfOneBudget), {});
      if (!solved.ok()) return solved.error();
      if (solved->best) offer(*solved->best);
    }
    if (report_.best) return std::nullopt;
    const Result<BudgetReport> solved =
        least_ram_in_memories(problem_, options_, part_of(stop_, kPartOfOneBudget), {});
    if (!solved.ok()) return solved.error();
    if (solved->least.schedule) offer(*solved->least.schedule);
    return std::nullopt;
  }

  // In the RAM and a part of what there is beside it. No schedule uses more than the one that keeps
  // everything.
  Failure solve_in_part(double part, const Stop& stop) {
    const std::int64_t most_bytes =
        std::min(bytes_of_all_memories(problem_), plain_peak_bytes(problem_));
    const std::int64_t more_bytes = most_bytes - problem_.ram_budget_bytes;
    if (more_bytes <= 0 || is_done() || stop.requested()) return std::nullopt;
    const std::int64_t ram_bytes =
        problem_.ram_budget_bytes +
        static_cast<std::int64_t>(part * static_cast<double>(more_bytes));
    const Problem less = joined(ram_bytes);
    if (largest_working_set(less).bytes > ram_bytes) return std::nullopt;
    const Result<SolveReport> solved = solve(less, report_.best, stop);
    if (!solved.ok()) return solved.error();
    if (solved->best) place(*solved->best);
    return std::nullopt;
  }

  Result<SolveReport> solve(const Problem& one, std::optional<Schedule> start, const Stop& stop) {
    SolveOptions options = options_;
    options.certificate = CertificateEffort::None;
    options.start = std::move(start);
    if (options.start) options.start->placed.clear();
    Result<SolveReport> solved =
        solver_.solve(one, options, stop,
                      [this](const SolveProgress& news) { pass_on(news, report_, progress_); });
    if (solved.ok()) report_.effort.add(solved->effort);
    return solved;
  }

  void place(const Schedule& schedule) {
    if (!breaks_only_limits(
            replay(joined(bytes_of_all_memories(problem_)), without_places(schedule))))
      return;
    const std::optional<PlacedSchedule> placed =
        place_buffers(problem_, schedule, backend_, options_, part_of(stop_, kPartOfPlacing));
    if (placed) offer(placed->schedule);
  }
  static Schedule without_places(Schedule schedule) {
    schedule.placed.clear();
    return schedule;
  }

  void offer(const Schedule& schedule) { keep_if_better(problem_, schedule, report_); }

  bool is_done() const {
    return status_of(report_, options_, unavoidable_) == SolveStatus::Optimal;
  }

  SolveReport finished() {
    conclude(options_, unavoidable_, report_);
    if (!report_.best && found_in_all_)
      report_.notes.push_back(
          "all memories together have room for a schedule, but no places for its buffers were "
          "found");
    if (options_.certificate == CertificateEffort::Whole)
      report_.notes.push_back("no certificate speaks of several memories, so there is none");
    return std::move(report_);
  }

  const Problem& problem_;
  const Solver& solver_;
  const SolveOptions& options_;
  const LinearBackend& backend_;
  const Stop& stop_;
  const ProgressSink& progress_;
  double unavoidable_ = 0;
  bool found_in_all_ = false;
  SolveReport report_ = {};
};

}  // namespace

Infeasibility of_all_memories(const Problem& problem, Infeasibility no) {
  no.of_all_memories = true;
  no.least_budget_bytes.reset();
  no.working_budget_bytes.reset();
  no.working_time_s.reset();
  no.budget_of_least_time_bytes.reset();
  Problem one_ram = problem;
  one_ram.ram_budget_bytes = bytes_of_all_memories(problem);
  one_ram.further_memories.clear();
  no = retold(one_ram, std::move(no));
  if (no.kind == Infeasibility::Kind::RamBudget || no.kind == Infeasibility::Kind::Combined ||
      no.kind == Infeasibility::Kind::Deadline)
    no.reason = fmt::format("with all memories as one RAM, {}", no.reason);
  return no;
}

Result<SolveReport> plan_in_memories(const Problem& problem, const Solver& solver,
                                     const SolveOptions& options, const Stop& stop,
                                     const ProgressSink& progress) {
  const Result<std::unique_ptr<LinearBackend>> backend =
      open_backend(options.backend, options.library_directories);
  if (!backend.ok()) return backend.error();
  return MemoryPlanner(problem, solver, options, **backend, stop, progress).run();
}

}  // namespace poet
