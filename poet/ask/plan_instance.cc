#include "poet/ask/plan_instance.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "poet/ask/search_progress.h"
#include "poet/ask/solver_names.h"
#include "poet/ask/status_name.h"
#include "poet/ask/stop_warning.h"
#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/overlap/planner.h"
#include "poet/problem/facts.h"
#include "poet/solve/allowed_gap.h"
#include "poet/solve/event_choice.h"

namespace poet {
namespace {

// A solver's word is not evidence: what it returns is replayed before anybody sees it.
void check_or_abort(const PlanReport& report) {
  if (!report.replay.valid()) {
    const std::string first = "the schedule is valid: " + report.replay.findings[0].message;
    check_failed(first.c_str(), __FILE__, __LINE__);
  }
  const double objective =
      report.problem.objective == Objective::Energy ? report.replay.energy_j : report.replay.time_s;
  const double margin = report.question.solve.rounding_ratio * std::abs(objective);
  POET_CHECK(std::abs(report.solve.objective - objective) <= margin);
  POET_CHECK(report.solve.lower_bound <= objective + margin);
}

Plan plan_of(const PlanReport& report) {
  const Schedule& schedule = *report.solve.best;
  return Plan{
      .origin = report.question.origin,
      .proof = {std::string(status_name(report.solve.status)), report.solve.method,
                report.solve.backend, report.solve.lower_bound},
      .problem = report.problem,
      .schedule = schedule,
      .buffers = buffers_of(report.problem, schedule),
  };
}

// Why a certificate must not be believed, if it must not: the verifier does not follow it, or it
// rules out the schedule at hand.
std::optional<std::string> fault_of(const PlanReport& report, const CertificateCheck& check) {
  if (check.fault) return check.fault;
  const double margin = report.question.solve.rounding_ratio * std::abs(report.solve.objective);
  if (report.solve.best && check.proved_bound > report.solve.objective + margin)
    return "it rules out the schedule that was found";
  return std::nullopt;
}

// A broken certificate costs the word "optimal", never the schedule.
void withdraw_proof(PlanReport& report, const std::string& fault) {
  report.solve.certificate.reset();
  if (report.solve.status == SolveStatus::Optimal) {
    report.solve.status = SolveStatus::Feasible;
    report.solve.evidence = Evidence::None;
  }
  report.solve.lower_bound = unavoidable_objective(report.problem);
  report.warnings.push_back(
      fmt::format("the certificate does not hold ({}), so nothing is claimed of the best; please "
                  "report this",
                  fault));
}

void verify_certificate(PlanReport& report) {
  CertificateCheck check = check_certificate(report.problem, *report.solve.certificate);
  if (const std::optional<std::string> fault = fault_of(report, check)) {
    withdraw_proof(report, *fault);
    return;
  }
  const double unavoidable = unavoidable_objective(report.problem);
  const double allowed = allowed_gap(report.question.solve, report.solve.objective, unavoidable);
  if (report.solve.evidence == Evidence::Backend && report.solve.best &&
      report.solve.objective - check.proved_bound <= allowed)
    report.solve.evidence = Evidence::Certificate;
  report.certificate = std::move(check);
  // No plan carries it, where nothing was found.
  if (!report.solve.best) report.solve.certificate->problem = report.problem;
}

// That there is no schedule stays said, by whoever said it; only a certificate that shows it is
// kept. It carries the problem, since no plan does.
void verify_refusal(PlanReport& report) {
  report.solve.certificate->problem = report.problem;
  CertificateCheck check = check_certificate(report.problem, *report.solve.certificate);
  if (check.fault)
    report.warnings.push_back(
        fmt::format("the certificate that there is no schedule does not hold ({}); please report "
                    "this",
                    *check.fault));
  if (!covers_claim(check, *report.solve.certificate)) {
    report.solve.certificate.reset();
    return;
  }
  if (report.solve.evidence == Evidence::Backend) report.solve.evidence = Evidence::Certificate;
  report.certificate = std::move(check);
}

ProofKind proof_of(const PlanReport& report) {
  const SolveReport& solved = report.solve;
  const Problem& problem = report.problem;
  Proved proved{.evidence = solved.evidence, .certificate = solved.certificate};
  if (solved.evidence == Evidence::Arithmetic)
    proved.certificate = report.plan ? bound_by_sums(problem) : no_schedule_by_sums(problem);
  if (report.plan) {
    proved.plan = &*report.plan;
    proved.allowed_gap =
        allowed_gap(report.question.solve, solved.objective, unavoidable_objective(problem));
  }
  return proof_kind(proved);
}

void verify(PlanReport& report) {
  if (is_proved(report.solve.status) && report.solve.evidence == Evidence::None)
    report.solve.evidence = Evidence::Backend;
  if (report.solve.certificate && report.solve.status == SolveStatus::Infeasible)
    verify_refusal(report);
  else if (report.solve.certificate)
    verify_certificate(report);
  if (report.solve.best) {
    report.replay = replay(report.problem, *report.solve.best);
    check_or_abort(report);
    report.plan = plan_of(report);
  }
  report.proof = proof_of(report);
}

// No further than the question says that it pays, unless nothing was found by then.
Result<SolveReport> search(const PlanReport& report, const Stop& stop,
                           const ProgressSink& progress) {
  const SolveOptions& options = report.question.solve;
  const auto solve = [&](const Stop& limit) {
    return report.question.formulation->make()->solve(report.problem, options, limit, progress);
  };
  if (!std::isfinite(options.most_effort_s)) return solve(stop);
  const Stop paying = with_own_effort(stop, options.most_effort_s);
  Result<SolveReport> solved = solve(paying);
  stop.count(paying.counted());
  const bool found_nothing = solved.ok() && solved->status == SolveStatus::Unknown;
  return found_nothing && !stop.requested() ? solve(stop) : std::move(solved);
}

void explain_stop(const Stop& stop, PlanReport& report) {
  if (is_proved(report.solve.status)) return;
  if (report.problem.time_mode == TimeMode::Overlapped && report.plan)
    report.warnings.push_back(
        "with overlapped transfers the bound leaves out what must wait for what: the schedule may "
        "be "
        "the best without being proved so");
  // Whoever asks for no more than pays need not be told that it was no more.
  const bool is_all_that_pays = std::isfinite(report.question.solve.most_effort_s) && report.plan;
  if (std::optional<std::string> warning =
          is_all_that_pays ? stop_warning(stop)
                           : search_warning(stop, report.solve.effort, report.question.solve))
    report.warnings.push_back(*std::move(warning));
}

// The names of operations, and tensors with their sizes, in whatever order they come.
std::multiset<std::pair<std::string, std::int64_t>> contents_of(const Problem& problem) {
  std::multiset<std::pair<std::string, std::int64_t>> contents;
  for (const Operation& operation : problem.operations) contents.emplace(operation.name, -1);
  for (const Tensor& tensor : problem.tensors) contents.emplace(tensor.name, tensor.size_bytes);
  return contents;
}

// Whether they are of the same step, and not in the same order.
bool has_other_order(const Problem& a, const Problem& b) {
  const auto by_name = [](const Operation& x, const Operation& y) { return x.name == y.name; };
  const bool same_order = std::equal(a.operations.begin(), a.operations.end(), b.operations.begin(),
                                     b.operations.end(), by_name);
  return !same_order && contents_of(a) == contents_of(b);
}

// The schedule to begin with; none where it breaks a limit, which is a warning.
Failure take_start(PlanReport& report) {
  const std::optional<AskedStart>& start = report.question.start;
  if (!start) return std::nullopt;
  if (has_other_order(start->plan.problem, report.problem)) {
    report.warnings.push_back(fmt::format(
        "the search begins without the schedule of {}: its operations come in another order, "
        "in which it does not keep the limits",
        in_quotes(start->path)));
    return std::nullopt;
  }
  if (!is_same_graph(start->plan.problem, report.problem))
    return bad_input(fmt::format(
        "--start: {} is a plan of another training step than the one that is asked about",
        in_quotes(start->path)));
  const Replay replayed = replay(report.problem, start->plan.schedule);
  if (replayed.valid()) report.question.solve.start = start->plan.schedule;
  if (report.question.formulation != &planner_table().front())
    report.warnings.push_back(
        fmt::format("the {} formulation does not begin with a schedule, so --start is ignored",
                    report.question.formulation->name));
  else if (!replayed.valid())
    report.warnings.push_back(fmt::format("the search begins without the schedule of {}: {}",
                                          in_quotes(start->path),
                                          replayed.findings.front().message));
  else if (report.problem.time_mode != TimeMode::Overlapped &&
           !is_in_class(report.problem, start->plan.schedule))
    report.warnings.push_back(
        fmt::format("the search begins without the schedule of {}: it is valid, and outside the "
                    "class of schedules that are searched, which is all that the answer speaks of",
                    in_quotes(start->path)));
  return std::nullopt;
}

}  // namespace

bool is_same_graph(const Problem& a, const Problem& b) {
  const auto same_operation = [](const Operation& x, const Operation& y) {
    return x.name == y.name && x.inputs == y.inputs && x.outputs == y.outputs;
  };
  const auto same_tensor = [](const Tensor& x, const Tensor& y) {
    return x.name == y.name && x.size_bytes == y.size_bytes && x.home == y.home;
  };
  return std::equal(a.operations.begin(), a.operations.end(), b.operations.begin(),
                    b.operations.end(), same_operation) &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(),
                    same_tensor);
}

Result<PlanReport> plan_instance(const Question& question, Instance instance, const Stop& stop,
                                 const ProgressSink& progress, const WarningSink& early) {
  const Result<BackendChoice> choice =
      choose_backend(*question.solver, question.solve.library_directories);
  if (!choice.ok()) return choice.error();

  PlanReport report{.question = question, .problem = std::move(instance.problem)};
  report.question.solve.backend = choice->backend;
  report.costs = std::move(instance.costs);
  report.updates = std::move(instance.updates);
  report.parts = std::move(instance.parts);
  report.order = instance.order;
  report.choice = instance.choice;
  report.question.training.part_bytes = report.parts.part_bytes;
  report.question.origin.part_bytes = report.parts.part_bytes;
  report.warnings = std::move(instance.warnings);
  report.warnings.insert(report.warnings.end(), choice->warnings.begin(), choice->warnings.end());
  if (report.parts.start) report.question.solve.start = *report.parts.start;
  if (Failure failure = take_start(report)) return *failure;
  if (early)
    for (const std::string& warning : report.warnings) early(warning);
  const double prepared_s = stop.now_s();
  const double counted_before = stop.counted();

  tell_new_search(progress, report.problem);
  Result<SolveReport> solved = search(report, stop, progress);
  if (!solved.ok()) return solved.error();
  report.solve = *std::move(solved);
  report.warnings.insert(report.warnings.end(), report.solve.notes.begin(),
                         report.solve.notes.end());
  const double solved_s = stop.now_s();
  const bool ended_by_clock = stop.requested_outside();

  verify(report);
  explain_stop(stop, report);
  const Unavoidable least = unavoidable(report.problem);
  report.unavoidable_j = least.energy_j;
  report.unavoidable_s = least.time_s;
  report.timing = {0, solved_s - prepared_s, stop.now_s() - solved_s,
                   (stop.counted() - counted_before) / kEffortUnitsPerSecond, ended_by_clock};
  return report;
}

}  // namespace poet
