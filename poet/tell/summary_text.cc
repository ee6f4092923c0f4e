#include "poet/tell/summary_text.h"

#include <fmt/core.h>

#include <string_view>

#include "poet/ask/figures.h"
#include "poet/ask/status_name.h"
#include "poet/base/duration_text.h"
#include "poet/base/message_text.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/problem/uncertainty.h"
#include "poet/report/figure_text.h"
#include "poet/report/storage_text.h"
#include "poet/solve/claimed_class.h"
#include "poet/tell/certificate_text.h"
#include "poet/tell/evidence_words.h"
#include "poet/tell/step_words.h"

namespace poet {
namespace {

std::string joules(double value) {
  return fmt::format("{:.8g} J", value);
}

std::string bytes(std::int64_t value) {
  return count_figure(value) + " B";
}

// One line: what, its figure, and what puts the figure into perspective.
std::string line(std::string_view what, const std::string& figure, const std::string& rest = {}) {
  std::string text = fmt::format("  {:<12}{:<17} {}", what, figure, rest);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string energy_parts(const Replay& replay) {
  std::string parts = "compute " + energy_figure(replay.compute_j);
  if (replay.page_in_j > 0) parts += ", reads " + energy_figure(replay.page_in_j);
  if (replay.page_out_j > 0) parts += ", writes " + energy_figure(replay.page_out_j);
  if (replay.access_j > 0) parts += ", slow memory " + energy_figure(replay.access_j);
  if (replay.idle_j > 0) parts += ", idle " + energy_figure(replay.idle_j);
  return parts;
}

std::string time_parts(const Problem& problem, const Replay& replay) {
  std::string parts = problem.deadline_s ? "of " + time_figure(*problem.deadline_s) : "no deadline";
  if (problem.deadline_s && problem.uncertainty) parts += " by the figures";
  if (replay.access_s > 0) parts += ", in slow memory " + time_figure(replay.access_s);
  if (replay.stall_s > 0) parts += ", waiting " + time_figure(replay.stall_s);
  return parts;
}

// Of memories beside the RAM.
std::string memory_lines(const Problem& problem, const Replay& replay) {
  std::string text;
  for (std::size_t m = 0; m < problem.further_memories.size(); ++m) {
    const FurtherMemory& memory = problem.further_memories[m];
    text += line("peak " + one_line(memory.name), bytes(replay.further_peak_bytes[m]),
                 "of " + bytes(memory.size_bytes));
  }
  return text;
}

// The deadline that was asked for, and what the step may take of it and of energy.
std::string worst_case_line(const Problem& problem, const Replay& replay) {
  if (!replay.worst_case) return "";
  std::string rest;
  if (const std::optional<double> deadline_s = asked_deadline_s(problem))
    rest = "of " + time_figure(*deadline_s) + ", ";
  if (replay.energy_j > 0) rest += "with " + energy_figure(replay.worst_case->energy_j) + ": ";
  return line("worst case", time_figure(replay.worst_case->time_s),
              rest + uncertainty_words(*problem.uncertainty));
}

// Of parts only some sizes are looked at: that they have no schedule proves nothing of others.
std::string infeasible_headline(const PlanReport& report) {
  const SolveReport& solved = report.solve;
  const Infeasibility& why = *solved.infeasibility;
  const std::string by = " (" + proof_words(report.proof, solved.backend) + ")";
  // What one operation needs alone, every schedule needs; else the line of the class says which.
  const bool has_one_memory = report.problem.further_memories.empty();
  const std::string none = !why.operation   ? "no schedule of the class below exists"
                           : has_one_memory ? "no schedule exists"
                                            : "no schedule of this step exists";
  // What is quick is another question than what is small, for slices and orders as well.
  const bool is_of_time = why.kind == Infeasibility::Kind::Deadline ||
                          (why.kind == Infeasibility::Kind::Combined && report.problem.deadline_s);
  if (is_of_time && report.parts.operations > 0)
    return none + " of the steps and orders that were tried" + by + ": " + why.reason;
  // In several memories parts are not chosen, and the reason says so.
  if (!report.parts.by_budget || !has_one_memory ||
      why.kind == Infeasibility::Kind::StorageCapacity)
    return none + by + ": " + why.reason;
  return none + parts_scope_text(report.parts) + by +
         ", and none was found in other parts: " + why.reason;
}

std::string headline(const PlanReport& report) {
  const std::string by =
      fmt::format(" ({}{}{} formulation)", report.solve.backend.empty() ? "" : report.solve.backend,
                  report.solve.backend.empty() ? "" : ", ", report.question.formulation->name);
  const std::string after = " after " + time_figure(report.timing.solve_s) + by;
  switch (report.solve.status) {
    case SolveStatus::Optimal:
      // Other parts or updates may be cheaper.
      return "optimal schedule" + schedule_scope_text(report.updates, report.parts) + ", " +
             proof_clause(report.proof, report.solve.backend) + after;
    case SolveStatus::Feasible:
      return "schedule found, not proved best," + after;
    case SolveStatus::Infeasible:
      return infeasible_headline(report);
    case SolveStatus::Unknown:
      break;
  }
  return "no schedule found, and none ruled out," + after;
}

// An amount of what the problem makes least.
std::string objective_text(const Problem& problem, double value) {
  return problem.objective == Objective::Energy ? joules(value) : fmt::format("{:.8g} s", value);
}

std::string objective_figure(const Problem& problem, double value) {
  return problem.objective == Objective::Energy ? energy_figure(value) : time_figure(value);
}

std::string bound_text(const PlanReport& report) {
  const Figures figures = figures_of(report);
  const std::optional<double> bound =
      figures.lower_bound_j ? figures.lower_bound_j : figures.lower_bound_s;
  return bound ? objective_text(report.problem, *bound) : "none yet";
}

std::string overhead_line(const PlanReport& report) {
  const Figures figures = figures_of(report);
  const bool energy = report.problem.objective == Objective::Energy;
  const double overhead = energy ? *figures.overhead_j : *figures.overhead_s;
  const double least = energy ? report.unavoidable_j : report.unavoidable_s;
  if (overhead <= 1e-9 * least)
    return line("overhead", "none",
                report.parts.part_bytes ? "no schedule in these parts takes less"
                : report.updates.asked == Updates::Auto
                    ? "no schedule with these updates takes less"
                    : "no schedule takes less");
  const std::string rest = fmt::format("above the {} that no schedule {} can save",
                                       objective_figure(report.problem, least),
                                       report.parts.part_bytes ? "in these parts" : "of this step");
  return line("overhead", objective_figure(report.problem, overhead),
              least > 0 ? percent_figure(overhead / least) + " " + rest : rest);
}

// Where the certificate proves less than the bound: what of it anybody can check.
std::string certified_line(const PlanReport& report, const Figures& figures) {
  if (!figures.certified_overhead_gap || !figures.overhead_gap) return "";
  const std::string certified = percent_figure(*figures.certified_overhead_gap);
  if (certified == percent_figure(*figures.overhead_gap)) return "";
  return line(
      "certified", objective_text(report.problem, *figures.certified_bound),
      fmt::format("{} of the overhead; from there to the bound by {}, without certificate",
                  certified, report.solve.backend.empty() ? "the search" : report.solve.backend));
}

std::string bound_lines(const PlanReport& report) {
  const Figures figures = figures_of(report);
  const std::string overhead = overhead_line(report);
  if (!figures.gap) return overhead + line("bound", bound_text(report));
  std::string gap = "gap " + percent_figure(*figures.gap);
  if (figures.overhead_gap)
    gap += ", " + percent_figure(*figures.overhead_gap) + " of the overhead";
  return overhead + line("bound", bound_text(report), gap) + certified_line(report, figures);
}

// Where whole operations fit, and cost more than they would in any RAM: what may cost less.
std::string untried_line(const PlanReport& report) {
  constexpr double kWorthAWord = 0.01;
  const bool energy = report.problem.objective == Objective::Energy;
  const double least = energy ? report.unavoidable_j : report.unavoidable_s;
  const double found = energy ? report.replay.energy_j : report.replay.time_s;
  const std::string ways = untried_text(report.updates, report.parts, report.choice);
  if (ways.empty() || found <= (1 + kWorthAWord) * least) return "";
  return fmt::format("  {:<12}{}, which may cost less here\n", "not tried", ways);
}

// A time with all the digits that the sentence shows: two may differ in the last. A long one also
// as people say it.
std::string time_line(std::string_view what, double seconds, std::string rest) {
  if (seconds >= 100) rest = time_figure(seconds) + (rest.empty() ? "" : "; ") + rest;
  return line(what, exact_seconds(seconds), rest);
}

// What "no schedule of the class below exists" speaks of; of "optimal", 'poet explain' says it.
std::string class_line(const PlanReport& report) {
  if (report.solve.infeasibility->operation) return "";
  return fmt::format("  {:<12}{}{}\n", "class", claimed_class_text(report.problem, report.solve),
                     step_scope_text(report.updates, report.parts));
}

std::string why_infeasible(const PlanReport& report) {
  const Infeasibility& why = *report.solve.infeasibility;
  std::string text = line("RAM budget", bytes(report.problem.ram_budget_bytes));
  if (why.operation)
    text += line("working set", bytes(why.working_set_bytes),
                 "of " + at(report.problem.operations, *why.operation).name);
  if (why.least_budget_bytes)
    text += line("RAM needed", bytes(*why.least_budget_bytes),
                 why.working_budget_bytes == why.least_budget_bytes
                     ? "the smallest RAM budget that works"
                     : "no smaller RAM budget works");
  if (why.working_budget_bytes && why.working_budget_bytes != why.least_budget_bytes)
    text += line("RAM found", bytes(*why.working_budget_bytes),
                 report.parts.by_budget
                     ? "a RAM budget that works; 'poet minimum' looks for the least in parts"
                     : "a RAM budget that works");
  if (const std::optional<double> deadline_s = asked_deadline_s(report.problem))
    text +=
        time_line("deadline", *deadline_s,
                  report.problem.uncertainty ? uncertainty_words(*report.problem.uncertainty) : "");
  const bool one = why.least_time_s && why.working_time_s &&
                   exact_seconds(*why.working_time_s) == exact_seconds(*why.least_time_s);
  if (why.least_time_s)
    text += time_line("time needed", *why.least_time_s,
                      one ? "the shortest deadline that works" : "no shorter deadline works");
  if (why.working_time_s && !one)
    text += time_line("time found", *why.working_time_s, "a deadline that works");
  return text + class_line(report);
}

std::string body(const PlanReport& report) {
  if (report.solve.infeasibility) return why_infeasible(report);
  if (report.plan) return figures_text(report.problem, report.replay) + bound_lines(report);
  return line("RAM budget", bytes(report.problem.ram_budget_bytes)) +
         line("bound", bound_text(report));
}

}  // namespace

std::string question_text(const PlanOrigin& origin, const Problem& problem) {
  std::string text = one_line(origin.model);
  if (!origin.platform.empty()) text += " on " + one_line(origin.platform);
  text += origin.graph == "file" ? ", graph from a file" : ", " + origin.graph + " graph";
  text += fmt::format(", {} transfers", name_of(kTimeModes, problem.time_mode));
  if (!problem.paging_allowed) text += ", no paging";
  if (!problem.rematerialisation_allowed) text += ", no recomputation";
  if (problem.objective == Objective::Time) text += ", least time";
  return text;
}

std::string figures_text(const Problem& problem, const Replay& replay) {
  const std::string of_budget =
      problem.ram_budget_bytes > 0 ? percent_figure(static_cast<double>(replay.peak_ram_bytes) /
                                                    static_cast<double>(problem.ram_budget_bytes)) +
                                         " "
                                   : "";
  const bool least_time = problem.objective == Objective::Time;
  std::string text;
  if (knows_energies(problem))
    text += line("energy", joules(replay.energy_j), energy_parts(replay));
  text +=
      line("time", least_time ? objective_text(problem, replay.time_s) : time_figure(replay.time_s),
           time_parts(problem, replay));
  text += worst_case_line(problem, replay);
  text += line("peak RAM", bytes(replay.peak_ram_bytes),
               fmt::format("{}of the budget of {}; keeping everything needs {}", of_budget,
                           bytes(problem.ram_budget_bytes), bytes(plain_peak_bytes(problem))));
  text += memory_lines(problem, replay);
  text += line("recomputed", counted(replay.recomputed_operations, "operation"));
  text += line("paged", counted(replay.paged_tensors, "tensor"),
               fmt::format("{} written, {} read{}", bytes(replay.written_bytes),
                           bytes(replay.read_bytes), homes_clause(problem, replay)));
  return text;
}

std::string summary_text(const PlanReport& report) {
  const PlanOrigin& origin = report.question.origin;
  std::string text = question_text(origin, report.problem) + "\n" + headline(report) + "\n\n" +
                     body(report) + costs_line(report.costs);
  if (!report.updates.sliced.empty()) text += updates_line(report.updates);
  text += parts_line(report.parts);
  if (report.plan)
    text += choice_line(report.choice, report.problem) + order_line(report.order, report.problem) +
            untried_line(report);
  if (report.plan) text += least_traffic_line(report.parts, bytes_of_all_memories(report.problem));
  if (report.certificate && report.question.solve.certificate == CertificateEffort::Whole)
    text += "\n" +
            certificate_sentence(report.problem, report.replay, *report.solve.certificate,
                                 *report.certificate) +
            "\n";
  return text;
}

}  // namespace poet
