#include "poet/ask/minimum.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "poet/ask/choose_parts.h"
#include "poet/ask/choose_step.h"
#include "poet/ask/make_plan.h"
#include "poet/ask/parts_beside_memories.h"
#include "poet/ask/search_progress.h"
#include "poet/ask/several_memories.h"
#include "poet/ask/solver_names.h"
#include "poet/ask/status_name.h"
#include "poet/ask/steps.h"
#include "poet/ask/stop_warning.h"
#include "poet/base/check.h"
#include "poet/base/duration_text.h"
#include "poet/base/message_text.h"
#include "poet/overlap/least_in_memories.h"
#include "poet/overlap/planner.h"
#include "poet/problem/deadline.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/problem/uncertainty.h"
#include "poet/solve/allowed_gap.h"
#include "poet/solve/budget_solver.h"

namespace poet {
namespace {

constexpr const char* kOpenWorstCase =
    "what is quickest by the figures is proved, but another schedule may be quicker in the worst "
    "case";

// Why nothing was found where no limit is impossible by itself.
std::string no_budget_works(const Problem& problem) {
  if (const std::optional<double> asked_s = asked_deadline_s(problem))
    return fmt::format("no schedule keeps the deadline of {}, however much RAM there is",
                       exact_seconds(*asked_s));
  return "no schedule keeps the limits on storage, however much RAM there is";
}

// What is proved of these parts alone, where others were still being looked at, or never are.
void explain_parts(const Stop& stop, MinimumReport& report) {
  if (!report.parts.by_budget) return;
  if (std::optional<std::string> warning = stop_warning(stop))
    report.warnings.push_back(*warning + "; other parts may need less");
  else if (leaves_parts_open_in_memories(report.question) && report.plan && *report.found_bytes > 0)
    report.warnings.push_back(
        report.parts.part_bytes || *report.found_bytes > report.question.device->ram_bytes
            ? "beside other memories a few sizes of parts are looked at: others may need less RAM"
            : "parts of operations may need less RAM: none were looked at, as whole ones have a "
              "schedule in the RAM that the device has");
}

void explain_stop(const Stop& stop, MinimumReport& report) {
  if (is_proved(report.status)) {
    explain_parts(stop, report);
    return;
  }
  if (report.problem.time_mode == TimeMode::Overlapped && report.plan)
    report.warnings.push_back(
        "with overlapped transfers the bound leaves out what must wait for what: less RAM may not "
        "do "
        "although that is not proved");
  if (!report.problem.further_memories.empty() && report.plan) {
    report.warnings.push_back(
        "schedules and the places of their buffers are looked for one after the other: in several "
        "memories less RAM may do although nothing was found in it");
    if (std::optional<std::string> warning = stop_warning(stop))
      report.warnings.push_back(*std::move(warning));
    return;
  }
  if (std::optional<std::string> warning =
          search_warning(stop, report.effort, report.question.solve))
    report.warnings.push_back(*std::move(warning));
}

// Beyond its RAM nobody promises that a schedule is good: the plan claims only that it is valid.
Plan plan_of(const MinimumReport& report, Schedule schedule) {
  const Unavoidable least = unavoidable(report.problem);
  const bool energy = report.problem.objective == Objective::Energy;
  Plan plan{
      .origin = report.question.origin,
      .proof = {std::string(status_name(SolveStatus::Feasible)), "event", report.backend,
                energy ? least.energy_j : least.time_s},
      .problem = report.problem,
      .schedule = std::move(schedule),
      .buffers = {},
  };
  plan.buffers = buffers_of(plan.problem, plan.schedule);
  return plan;
}

// solve_least_budget() knows no schedule that keeps a deadline only because its transfers run
// beside the processor. Between what is proved and what it found, such schedules are looked for in
// a few budgets; only where a bound says so does that prove that less will not do.
Failure look_between(const Question& question, const Problem& problem, const Stop& stop,
                     LeastBudget& least) {
  constexpr int kMostBudgets = 6;
  if (problem.time_mode != TimeMode::Overlapped || !problem.deadline_s ||
      least.status == SolveStatus::Infeasible)
    return std::nullopt;
  Problem asked = problem;
  std::int64_t low_bytes = least.proved_bytes;
  std::int64_t high_bytes = least.found_bytes.value_or(plain_peak_bytes(problem) + 1);
  for (int k = 0; k < kMostBudgets && low_bytes < high_bytes && !stop.requested(); ++k) {
    asked.ram_budget_bytes = low_bytes + (high_bytes - low_bytes) / 2;
    SolveOptions options = question.solve;
    options.start = least.schedule;
    const Result<SolveReport> solved =
        make_planner()->solve(asked, options, part_of(stop, 0.5), {});  // its figures are joules
    if (!solved.ok()) return solved.error();
    if (!solved->best) {
      low_bytes = asked.ram_budget_bytes + 1;
      if (solved->status == SolveStatus::Infeasible) least.proved_bytes = low_bytes;
      continue;
    }
    high_bytes = replay(asked, *solved->best).peak_ram_bytes;
    least.found_bytes = high_bytes;
    least.schedule = solved->best;
    least.status = high_bytes == least.proved_bytes ? SolveStatus::Optimal : SolveStatus::Feasible;
  }
  return std::nullopt;
}

// Anybody can see that no budget is below a working set; that no other does is the backend's word.
// `needed_bytes`: an operation of every step that may be taken needs so much by itself.
Evidence evidence_of(std::int64_t needed_bytes, const BudgetReport& solved) {
  if (!is_proved(solved.least.status)) return Evidence::None;
  const bool is_plain = solved.least.status == SolveStatus::Infeasible
                            ? solved.infeasibility.has_value()
                            : *solved.least.found_bytes <= needed_bytes;
  return is_plain ? Evidence::Arithmetic : Evidence::Backend;
}

// A solver's word is not evidence: what it returns is replayed before anybody sees it.
void take(BudgetReport solved, std::int64_t needed_bytes, MinimumReport& report) {
  LeastBudget& least = solved.least;
  report.status = least.status;
  report.evidence = evidence_of(needed_bytes, solved);
  report.proved_bytes = least.proved_bytes;
  report.found_bytes = least.found_bytes;
  report.effort = least.effort;
  report.backend = std::move(solved.backend);
  if (least.status == SolveStatus::Infeasible) {
    report.why_not =
        solved.infeasibility ? solved.infeasibility->reason : no_budget_works(report.problem);
    report.infeasibility = std::move(solved.infeasibility);
  }
  if (!least.schedule) return;
  report.problem.ram_budget_bytes = *least.found_bytes;
  report.replay = replay(report.problem, *least.schedule);
  if (!report.replay.valid()) {
    const std::string first = "the schedule is valid: " + report.replay.findings[0].message;
    check_failed(first.c_str(), __FILE__, __LINE__);
  }
  report.found_s = report.replay.time_s;
  report.plan = plan_of(report, *std::move(least.schedule));
}

Result<std::optional<PlanReport>> quickest_in_any_ram(const Question& question,
                                                      const Problem& problem, const Stop& stop) {
  return quickest_plan(question, with_all_ram(problem).ram_budget_bytes, stop);
}

// Where no step keeps the deadline in any RAM, or none was found to: what is quickest of all that
// solving tries, other orders among them, may. Else its time is what works, as that of one step
// says nothing of the others.
Failure take_the_quickest(const Question& question, std::optional<PlanReport> known,
                          const Stop& stop, std::int64_t needed_bytes, MinimumReport& report) {
  if (report.found_bytes || !report.problem.deadline_s || kind_of(question) != GraphKind::Real ||
      has_several_memories(question))
    return std::nullopt;
  Result<std::optional<PlanReport>> quickest = std::move(known);
  if (!*quickest) quickest = quickest_in_any_ram(question, report.problem, stop);
  if (!quickest.ok()) return quickest.error();
  if (!*quickest) return std::nullopt;
  const double time_s = kept_time_s(**quickest);
  if (report.infeasibility) {
    report.infeasibility->least_time_s.reset();
    report.infeasibility->working_time_s = time_s;
    report.why_not = retold(report.problem, *report.infeasibility).reason;
  }
  if (!within_deadline(time_s, *asked_deadline_s(report.problem))) return std::nullopt;
  PlanReport& found = **quickest;
  found.problem.objective = report.problem.objective;
  found.problem.deadline_s = report.problem.deadline_s;
  report.problem = std::move(found.problem);
  report.updates = std::move(found.updates);
  report.parts = std::move(found.parts);
  report.question.origin.part_bytes = report.parts.part_bytes;
  report.infeasibility.reset();
  report.why_not.reset();
  BudgetReport solved;
  solved.backend = report.backend;
  solved.least.status = SolveStatus::Feasible;
  solved.least.proved_bytes = needed_bytes;
  solved.least.found_bytes = found.replay.peak_ram_bytes;
  solved.least.schedule = found.plan->schedule;
  solved.least.effort = report.effort;
  take(std::move(solved), needed_bytes, report);
  return std::nullopt;
}

// --- the certificate of a smallest budget --------------------------------------------------------

// Of the time that is left, for the search when its proof is to be written down as well.
constexpr double kSearchPart = 0.7;

// No certificate speaks of several memories.
bool is_certified(const Question& question) {
  return question.solve.certificate == CertificateEffort::Whole && !has_several_memories(question);
}

// That no smaller budget works, or the most of it that can be shown: that none below the largest
// working set does.
Result<std::optional<Certificate>> certificate_of(const MinimumReport& report, const Stop& stop) {
  const SolveOptions& options = report.question.solve;
  if (report.status == SolveStatus::Infeasible)
    return certify_no_budget(report.problem, options, stop);
  if (!report.plan) return std::optional<Certificate>();
  Result<std::optional<Certificate>> whole =
      certify_least_budget(report.problem, report.proved_bytes, options, stop);
  if (!whole.ok() || *whole) return whole;
  return certify_least_budget(report.problem, largest_working_set(report.problem).bytes, options,
                              stop);
}

// Keeps what the verifier accepts. `of_all_steps`: that this step has no schedule in less says the
// same of all that may be taken.
Failure certify(MinimumReport& report, bool of_all_steps, const Stop& stop) {
  Result<std::optional<Certificate>> made = certificate_of(report, stop);
  if (!made.ok()) return made.error();
  if (!*made) return std::nullopt;
  const Problem& problem = (*made)->problem ? *(*made)->problem : report.problem;
  CertificateCheck check = check_certificate(problem, **made);
  if (check.fault)
    report.warnings.push_back(
        fmt::format("the certificate does not hold ({}); please report this", *check.fault));
  if (!covers_claim(check, **made)) return std::nullopt;
  const bool is_whole =
      (*made)->claim == Claim::Infeasible || (*made)->claimed_bytes == report.proved_bytes;
  if (report.evidence == Evidence::Backend && is_whole && of_all_steps)
    report.evidence = Evidence::Certificate;
  report.certificate = *std::move(made);
  report.certificate_check = std::move(check);
  return std::nullopt;
}

// Whether a proof about one step is one about all: the others need more by themselves.
bool says_all(const std::vector<UpdateLevel>& levels, std::size_t level,
              const MinimumReport& report) {
  for (std::size_t k = 0; k < levels.size(); ++k)
    if (k != level && levels[k].least_bytes < report.proved_bytes) return false;
  return levels.size() == 1 || report.status != SolveStatus::Infeasible;
}

// Sums say it, or the certificate does, of all that is proved.
ProofKind proof_of(const MinimumReport& report) {
  Proved proved{.evidence = report.evidence, .certificate = report.certificate};
  if (report.plan) proved.plan = &*report.plan;
  if (report.evidence != Evidence::Arithmetic || !report.problem.further_memories.empty())
    return proof_kind(proved);
  if (report.plan) {
    proved.certificate = no_schedule_by_sums(report.problem);
    proved.certificate->problem.reset();
    proved.certificate->claim = Claim::LeastRam;
    proved.certificate->claimed_bytes = report.proved_bytes;
  } else {
    proved.certificate = no_schedule_by_sums(with_all_ram(report.problem));
  }
  return proof_kind(proved);
}

// Whether another way of cutting or of updating than the one that was asked for may do with less.
bool parts_were_ruled_out(const MinimumReport& report) {
  Question open = report.question;
  open.training.parts_by_budget = true;
  open.training.part_bytes.reset();
  return leaves_parts_open(open);
}

// What less RAM than is proved to be needed says, of the steps that were looked at.
std::string too_little(const MinimumReport& report) {
  const bool has_several = !report.problem.further_memories.empty();
  if (report.parts.by_budget) return "no schedule was found that fits in that";
  if (report.parts.part_bytes) return "no schedule in these parts fits in that";
  if (has_several)
    return report.updates.asked == Updates::Separate
               ? "no schedule of whole operations with separate updates fits in that; with slices "
                 "or in parts one may (--updates sliced, --parts auto)"
               : "no schedule of whole operations fits in that; in parts one may (--parts auto)";
  if (parts_were_ruled_out(report))
    return "no schedule of whole operations fits in that; in parts one may (--parts auto)";
  return report.updates.asked == Updates::Separate
             ? "no schedule with separate updates fits in that"
             : "no schedule fits in that";
}

UpdateLevel level_in_memories(Instance instance) {
  const std::int64_t least_bytes = largest_need_of_ram(instance.problem).bytes;
  return {.instance = std::move(instance), .least_bytes = least_bytes};
}

// The steps that may be taken: in several memories those that solving looks at.
Result<std::vector<UpdateLevel>> steps_to_ask(QuestionSteps& steps, const Stop& stop,
                                              const ProgressSink& progress) {
  if (!has_several_memories(steps.question())) return steps_of_question(steps, stop, progress);
  const Result<const MadeStep*> first = steps.first();
  if (!first.ok()) return first.error();
  std::vector<UpdateLevel> levels = {level_in_memories((*first)->instance)};
  if (std::optional<Instance> sliced = all_sliced_in_memories(steps, (*first)->instance))
    levels.push_back(level_in_memories(*std::move(sliced)));
  if (std::optional<Instance> separate = separate_in_parts(steps))
    levels.push_back(level_in_memories(*std::move(separate)));
  return levels;
}

// What an operation of every step needs by itself.
std::int64_t needed_by_itself(const std::vector<UpdateLevel>& levels) {
  return std::min_element(levels.begin(), levels.end(),
                          [](const UpdateLevel& a, const UpdateLevel& b) {
                            return a.least_bytes < b.least_bytes;
                          })
      ->least_bytes;
}

// The finest parts need least by themselves, and may need more than coarser ones with all that is
// alive beside them. So what solving would try in less RAM than was found is tried here as well.
Failure look_in_other_parts(QuestionSteps& steps, const LeastBudgetFinder& find, const Stop& stop,
                            const ProgressSink& progress, std::vector<UpdateLevel>& levels,
                            LeastOverLevels& least) {
  constexpr int kMostLooks = 40;
  if (!leaves_parts_open(steps.question())) return std::nullopt;
  for (int k = 0; k < kMostLooks && !stop.requested(); ++k) {
    const std::optional<std::int64_t> found_bytes = least.solved.least.found_bytes;
    if (!found_bytes) return std::nullopt;
    std::optional<Instance> parts =
        choose_parts(steps, *found_bytes - 1, stop, progress, PartsAim::AnySchedule);
    if (!parts) return std::nullopt;
    const Replay quick = replay(parts->problem, *parts->parts.start);
    Problem asked = parts->problem;
    asked.ram_budget_bytes = 0;  // it is what is looked for
    Result<BudgetReport> solved = find(asked);
    if (!solved.ok()) return solved.error();
    LeastBudget& of_parts = solved->least;
    if (!of_parts.found_bytes || *of_parts.found_bytes > quick.peak_ram_bytes) {
      of_parts.status = SolveStatus::Feasible;
      of_parts.found_bytes = quick.peak_ram_bytes;
      of_parts.schedule = *parts->parts.start;
    }
    const std::int64_t least_bytes = largest_working_set(asked).bytes;
    levels.push_back({*std::move(parts), least_bytes, levels.back().least_bytes});
    least = with_level(std::move(least), levels.size() - 1, *std::move(solved));
  }
  return std::nullopt;
}

// In several memories: some sizes of parts, where whole operations have no schedule in the RAM that
// the device has.
Failure look_in_parts_of_memories(QuestionSteps& steps, const LeastBudgetFinder& find,
                                  const Stop& stop, const ProgressSink& progress,
                                  std::vector<UpdateLevel>& levels, LeastOverLevels& least) {
  if (!leaves_parts_open_in_memories(steps.question())) return std::nullopt;
  const std::int64_t ram_bytes = steps.question().device->ram_bytes;
  const auto found_bytes = [&least] {
    return least.solved.least.found_bytes.value_or(std::numeric_limits<std::int64_t>::max());
  };
  if (found_bytes() <= ram_bytes) return std::nullopt;
  Problem device = levels.front().instance.problem;
  device.ram_budget_bytes = ram_bytes;
  for (const std::int64_t part_bytes : part_sizes_in_memories(steps.question(), device)) {
    if (found_bytes() == 0 || stop.requested()) break;
    if (progress) progress({.phase = "parts"});
    TriedLevel tried{.part_bytes = part_bytes};
    std::optional<Instance> parts = in_parts_of_memories(steps, ram_bytes, stop, tried);
    if (!parts) continue;
    Problem asked = parts->problem;
    asked.ram_budget_bytes = 0;  // it is what is looked for
    Result<BudgetReport> solved = find(asked);
    if (!solved.ok()) return solved.error();
    levels.push_back(level_in_memories(*std::move(parts)));
    least = with_level(std::move(least), levels.size() - 1, *std::move(solved));
  }
  return std::nullopt;
}

Result<MinimumReport> find_least_ram(Question question, const Stop& stop,
                                     const ProgressSink& progress, const WarningSink& early) {
  const double begin_s = stop.now_s();
  QuestionSteps steps(question);
  if (const Result<std::vector<UpdateLevel>> made = steps_of_updates(steps); !made.ok())
    return made.error();
  // Which parts there are is looked for, and counts as search.
  const double prepared_s = stop.now_s();
  const double counted_before = stop.counted();
  Result<std::vector<UpdateLevel>> levels = steps_to_ask(steps, stop, progress);
  if (!levels.ok()) return levels.error();
  const Result<BackendChoice> choice =
      choose_backend(*question.solver, question.solve.library_directories);
  if (!choice.ok()) return choice.error();
  MinimumReport report{.asked = MinimumReport::Asked::LeastRam,
                       .question = question,
                       .costs = levels->back().instance.costs,
                       .warnings = levels->back().instance.warnings};
  report.question.solve.backend = choice->backend;
  report.warnings.insert(report.warnings.end(), choice->warnings.begin(), choice->warnings.end());
  if (early)
    for (const std::string& warning : report.warnings) early(warning);
  // Where transfers run beside the processor, the search below may take all the time and find none.
  Result<std::optional<PlanReport>> quickest = std::optional<PlanReport>();
  const Problem& first = levels->front().instance.problem;
  if (first.deadline_s && first.time_mode == TimeMode::Overlapped && first.further_memories.empty())
    quickest = quickest_in_any_ram(question, first, stop);
  if (!quickest.ok()) return quickest.error();
  // Each look in parts has half of what is left.
  const std::size_t least_looks = leaves_parts_open_in_memories(question) ? 2 : 1;
  std::size_t looks_left = levels->size();
  const auto find = [&](const Problem& problem) -> Result<BudgetReport> {
    tell_new_search_of_ram(progress);
    if (!problem.further_memories.empty()) {
      const Stop one = part_of(stop, 1.0 / static_cast<double>(looks_left));
      looks_left = std::max(looks_left - 1, least_looks);
      return least_ram_in_memories(problem, report.question.solve, one, progress);
    }
    const Stop sooner = part_of(stop, is_certified(question) ? kSearchPart : 1);
    Result<BudgetReport> solved =
        solve_least_budget(problem, report.question.solve, sooner, progress);
    if (!solved.ok()) return solved;
    if (Failure failure = look_between(report.question, problem, sooner, solved->least))
      return *failure;
    return solved;
  };
  Result<LeastOverLevels> least = least_over_levels(*levels, find);
  if (!least.ok()) return least.error();
  if (Failure failure = look_in_other_parts(steps, find, stop, progress, *levels, *least))
    return *failure;
  if (Failure failure = look_in_parts_of_memories(steps, find, stop, progress, *levels, *least))
    return *failure;
  const double solved_s = stop.now_s();
  const bool ended_by_clock = stop.requested_outside();
  const std::int64_t needed_bytes = needed_by_itself(*levels);
  Instance& instance = (*levels)[least->level].instance;
  report.problem = std::move(instance.problem);
  report.problem.ram_budget_bytes = 0;  // what was found, where anything was
  report.updates = std::move(instance.updates);
  report.parts = std::move(instance.parts);
  report.question.origin.part_bytes = report.parts.part_bytes;
  take(std::move(least->solved), needed_bytes, report);
  if (Failure failure =
          take_the_quickest(question, *std::move(quickest), stop, needed_bytes, report))
    return *failure;
  if (question.solve.certificate == CertificateEffort::Whole && has_several_memories(question))
    report.warnings.push_back("no certificate speaks of several memories, so there is none");
  if (is_certified(question))
    if (Failure failure = certify(report, says_all(*levels, least->level, report), stop))
      return *failure;
  report.proof = proof_of(report);
  explain_stop(stop, report);
  report.timing = {prepared_s - begin_s, solved_s - prepared_s, stop.now_s() - solved_s,
                   (stop.counted() - counted_before) / kEffortUnitsPerSecond, ended_by_clock};
  const std::optional<Device>& device = instance.device;
  if (report.found_bytes && device && report.proved_bytes > device->ram_bytes)
    report.warnings.push_back(fmt::format("{} has {} bytes of RAM, and {}", device->name,
                                          grouped_digits(device->ram_bytes), too_little(report)));
  return report;
}

// The time that was found is the deadline that was looked for; where costs may be above their
// figures, that of the worst case is. A bound on the one is a bound on the other, but the schedule
// that is quickest by the figures need not be the quickest in the worst case: then the answer is no
// longer proved.
void claim_shortest_deadline(MinimumReport& report) {
  if (report.replay.worst_case) report.found_s = report.replay.worst_case->time_s;
  set_deadline(report.problem, *report.found_s);
  report.plan->problem.deadline_s = report.problem.deadline_s;
  report.plan->problem.uncertainty = report.problem.uncertainty;
  if (!report.problem.uncertainty || !report.problem.uncertainty->deviations) return;
  const SolveOptions& options = report.question.solve;
  const double least_s = least_worst_s(report.problem, unavoidable(report.problem).time_s);
  if (*report.found_s - report.proved_s <= allowed_gap(options, *report.found_s, least_s)) return;
  if (report.status == SolveStatus::Optimal) report.warnings.push_back(kOpenWorstCase);
  report.status = SolveStatus::Feasible;
  report.evidence = Evidence::None;
  report.proof = ProofKind::None;
}

// Least time is an objective that solving knows.
Result<MinimumReport> find_least_deadline(Question question, const Stop& stop,
                                          const ProgressSink& progress, const WarningSink& early) {
  question.objective = Objective::Time;
  // The shortest is asked for, and another step that saves little is shorter.
  question.worth_a_look = 0;
  Result<PlanReport> solved = make_plan(question, stop, progress, early);
  if (!solved.ok()) return solved.error();
  MinimumReport report{.asked = MinimumReport::Asked::LeastTime,
                       .question = std::move(solved->question),
                       .costs = std::move(solved->costs),
                       .updates = std::move(solved->updates),
                       .parts = std::move(solved->parts),
                       .problem = std::move(solved->problem),
                       .status = solved->solve.status,
                       .evidence = solved->solve.evidence,
                       .proved_s = std::max(solved->solve.lower_bound, solved->unavoidable_s),
                       .plan = std::move(solved->plan),
                       .certificate = std::move(solved->solve.certificate),
                       .certificate_check = std::move(solved->certificate),
                       .proof = solved->proof,
                       .replay = std::move(solved->replay),
                       .effort = solved->solve.effort,
                       .backend = std::move(solved->solve.backend),
                       .timing = solved->timing,
                       .warnings = std::move(solved->warnings)};
  report.proved_s = least_worst_s(report.problem, report.proved_s);
  report.proved_bytes = report.problem.ram_budget_bytes;
  if (solved->solve.infeasibility) report.why_not = solved->solve.infeasibility->reason;
  if (!report.plan) return report;
  report.found_bytes = report.replay.peak_ram_bytes;
  report.found_s = report.replay.time_s;
  claim_shortest_deadline(report);
  // What bounds the time of every schedule bounds that of those which keep a deadline.
  if (report.certificate) report.certificate->instance = certified_instance(report.problem);
  return report;
}

}  // namespace

Result<MinimumReport> find_minimum(const Question& question, const Stop& stop,
                                   const ProgressSink& progress, const WarningSink& early) {
  if (!question.ram_budget && question.uncertainty && question.uncertainty->deviations)
    return bad_input(
        "the smallest RAM budget is sought for all costs above their figures: give --uncertainty a "
        "part alone, or a RAM budget");
  if (!question.ram_budget) return find_least_ram(question, stop, progress, early);
  if (question.deadline)
    return bad_input(
        "a RAM budget asks for the shortest deadline, and a deadline for the smallest RAM budget; "
        "give one of them");
  return find_least_deadline(question, stop, progress, early);
}

}  // namespace poet
