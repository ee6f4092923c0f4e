#include "poet/report/facts_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "poet/base/duration_text.h"
#include "poet/problem/facts.h"
#include "poet/problem/uncertainty.h"
#include "poet/report/figure_text.h"
#include "poet/report/storage_text.h"
#include "poet/report/verdict.h"
#include "poet/solve/claimed_class.h"

namespace poet {
namespace {

std::string exact_bytes(std::int64_t bytes) {
  return counted(bytes, "byte");
}
std::string exact_joules(double joules) {
  return fmt::format("{:.10g} J", joules);
}

double part_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

Card energy_card(const ReportInput& input) {
  const double energy_j = input.replay.energy_j;
  const double overhead_j = std::max(0.0, energy_j - input.unavoidable_j);
  const std::string more =
      overhead_j <= 1e-9 * energy_j
          ? "nothing beyond the unavoidable"
          : fmt::format("{} ({}) above the unavoidable {}", energy_figure(overhead_j),
                        percent_figure(part_of(overhead_j, input.unavoidable_j)),
                        energy_figure(input.unavoidable_j));
  return {"Energy of one step", energy_figure(energy_j), more};
}

Card overhead_card(const ReportInput& input) {
  const double least_s = unavoidable(input.problem).time_s;
  const double overhead_s = std::max(0.0, input.replay.time_s - least_s);
  if (overhead_s <= 1e-9 * least_s)
    return {"Beyond the unavoidable", "nothing",
            time_figure(least_s) + " that no schedule of this step can save"};
  return {"Beyond the unavoidable", time_figure(overhead_s),
          fmt::format("{} above the {} that no schedule of this step can save",
                      percent_figure(part_of(overhead_s, least_s)), time_figure(least_s))};
}

Card time_card(const ReportInput& input) {
  const Replay& replay = input.replay;
  std::string more =
      input.problem.deadline_s
          ? fmt::format("{} of the deadline of {}",
                        percent_figure(part_of(replay.time_s, *input.problem.deadline_s)),
                        time_figure(*input.problem.deadline_s))
          : "no deadline";
  if (replay.worst_case)
    more += fmt::format("; at most {}, as {}", time_figure(replay.worst_case->time_s),
                        uncertainty_words(*input.problem.uncertainty));
  if (replay.stall_s > 0)
    more += fmt::format("; {} waiting for storage", time_figure(replay.stall_s));
  if (input.problem.time_mode == TimeMode::Free) more += "; transfers counted as free";
  return {"Time of one step", time_figure(replay.time_s), more};
}

Card peak_card(const ReportInput& input) {
  const double peak = static_cast<double>(input.replay.peak_ram_bytes);
  const double budget = static_cast<double>(input.problem.ram_budget_bytes);
  return {"Peak RAM", size_figure(input.replay.peak_ram_bytes),
          fmt::format("{} of the budget of {}", percent_figure(part_of(peak, budget)),
                      size_figure(input.problem.ram_budget_bytes))};
}

// What is saved of the RAM may be taken of slower memories.
std::string elsewhere_clause(const ReportInput& input) {
  std::string clause;
  for (std::size_t m = 0; m < input.replay.further_peak_bytes.size(); ++m)
    if (const std::int64_t bytes = input.replay.further_peak_bytes[m]; bytes > 0)
      clause += fmt::format("; up to {} lie in {}", size_figure(bytes),
                            input.problem.further_memories[m].name);
  return clause;
}

Card saved_card(const ReportInput& input) {
  const std::int64_t plain = plain_peak_bytes(input.problem);
  const std::int64_t saved = plain - input.replay.peak_ram_bytes;
  return {"RAM saved",
          saved > 0
              ? percent_figure(part_of(static_cast<double>(saved), static_cast<double>(plain)))
              : "none",
          fmt::format("without recomputing and paging it would take {}", size_figure(plain)) +
              elsewhere_clause(input)};
}

Card recomputed_card(const ReportInput& input) {
  const std::int64_t again = input.replay.recomputed_operations;
  return {"Recomputed", again == 0 ? "nothing" : counted(again, "run"),
          fmt::format("beyond one run of each of {}",
                      counted(std::ssize(input.problem.operations), "operation"))};
}

Card paged_card(const ReportInput& input) {
  const Replay& replay = input.replay;
  return {"Paged", replay.paged_tensors == 0 ? "nothing" : counted(replay.paged_tensors, "tensor"),
          replay.written_bytes == 0 && replay.read_bytes == 0
              ? "storage is not used"
              : fmt::format("{} written to storage, {} read", size_figure(replay.written_bytes),
                            size_figure(replay.read_bytes)) +
                    homes_clause(input.problem, replay)};
}

// One card when the proved limit is attained, else one for each side.
void add_limits(std::vector<Card>& cards, const Infeasibility& why) {
  if (why.least_budget_bytes && why.least_budget_bytes == why.working_budget_bytes) {
    cards.push_back({"Smallest budget that works", size_figure(*why.least_budget_bytes),
                     exact_bytes(*why.least_budget_bytes)});
  } else {
    if (why.least_budget_bytes)
      cards.push_back({"No budget below", size_figure(*why.least_budget_bytes),
                       exact_bytes(*why.least_budget_bytes)});
    if (why.working_budget_bytes)
      cards.push_back({"A budget that works", size_figure(*why.working_budget_bytes),
                       exact_bytes(*why.working_budget_bytes)});
  }
  if (why.least_time_s && why.working_time_s &&
      exact_seconds(*why.least_time_s) == exact_seconds(*why.working_time_s)) {
    cards.push_back({"Shortest deadline that works", time_figure(*why.least_time_s),
                     exact_seconds(*why.least_time_s)});
    return;
  }
  if (why.least_time_s)
    cards.push_back(
        {"No deadline below", time_figure(*why.least_time_s), exact_seconds(*why.least_time_s)});
  if (why.working_time_s)
    cards.push_back({"A deadline that works", time_figure(*why.working_time_s),
                     exact_seconds(*why.working_time_s)});
}

std::vector<Card> cards_without_schedule(const ReportInput& input) {
  const WorkingSet largest = largest_working_set(input.problem);
  std::vector<Card> cards = {
      {"RAM budget", size_figure(input.problem.ram_budget_bytes),
       exact_bytes(input.problem.ram_budget_bytes)},
      {"Largest working set", size_figure(largest.bytes),
       fmt::format("{} of {}", exact_bytes(largest.bytes),
                   input.problem.operations.empty()
                       ? "nothing"
                       : at(input.problem.operations, largest.operation).name)},
      {"Plain peak", size_figure(plain_peak_bytes(input.problem)),
       "with this much, nothing need be recomputed or paged"}};
  if (input.solve.infeasibility) add_limits(cards, *input.solve.infeasibility);
  return cards;
}

const char* time_mode_text(TimeMode mode) {
  switch (mode) {
    case TimeMode::Free:
      return "free: transfers take no time";
    case TimeMode::Blocking:
      return "blocking: the processor waits for transfers";
    case TimeMode::Overlapped:
      return "overlapped: transfers run beside the processor";
  }
  return "";
}

const char* allowed_text(const Problem& problem) {
  if (problem.paging_allowed && problem.rematerialisation_allowed) return "recomputing and paging";
  if (problem.paging_allowed) return "paging";
  return problem.rematerialisation_allowed ? "recomputing" : "neither recomputing nor paging";
}

void add_instance(std::vector<Fact>& facts, const ReportInput& input) {
  const Problem& problem = input.problem;
  facts.push_back({"Model", input.origin.model});
  facts.push_back({"Platform", input.origin.platform.empty() ? "none" : input.origin.platform});
  facts.push_back({"Graph", input.origin.graph});
  facts.push_back(
      {"Operations, tensors", fmt::format("{}, {}", count_figure(std::ssize(problem.operations)),
                                          count_figure(std::ssize(problem.tensors)))});
  facts.push_back(
      {"Objective", problem.objective == Objective::Energy ? "least energy" : "least time"});
  facts.push_back({"Allowed", allowed_text(problem)});
  facts.push_back({"Class", claimed_class_text(problem, input.solve)});
  facts.push_back({"Time of transfers", time_mode_text(problem.time_mode)});
  facts.push_back({"RAM budget", exact_bytes(problem.ram_budget_bytes)});
  const std::optional<double> deadline_s = asked_deadline_s(problem);
  facts.push_back({"Deadline", deadline_s ? exact_seconds(*deadline_s) : "none"});
  if (problem.uncertainty) facts.push_back({"Costs", uncertainty_words(*problem.uncertainty)});
  facts.push_back({"Largest working set", exact_bytes(largest_working_set(problem).bytes)});
  facts.push_back({"Plain peak", exact_bytes(plain_peak_bytes(problem))});
}

void add_answer(std::vector<Fact>& facts, const ReportInput& input) {
  const Replay& replay = input.replay;
  if (knows_energies(input.problem)) {
    facts.push_back({"Energy", exact_joules(replay.energy_j)});
    facts.push_back({"Unavoidable energy", exact_joules(input.unavoidable_j)});
  }
  facts.push_back({"Time", exact_seconds(replay.time_s)});
  facts.push_back({"Waiting for storage", exact_seconds(replay.stall_s)});
  facts.push_back({"Peak RAM", exact_bytes(replay.peak_ram_bytes)});
  for (std::size_t m = 0; m < replay.further_peak_bytes.size(); ++m)
    facts.push_back({"Peak " + input.problem.further_memories[m].name,
                     exact_bytes(replay.further_peak_bytes[m])});
  if (!replay.further_peak_bytes.empty())
    facts.push_back({"Access to slow memory",
                     (knows_energies(input.problem) ? exact_joules(replay.access_j) + ", " : "") +
                         exact_seconds(replay.access_s)});
  facts.push_back({"Storage in use", exact_bytes(replay.storage_bytes)});
  facts.push_back({"Written to storage", exact_bytes(replay.written_bytes)});
  facts.push_back({"Read from storage", exact_bytes(replay.read_bytes)});
}

void add_proof(std::vector<Fact>& facts, const ReportInput& input) {
  const SolveReport& solve = input.solve;
  const bool energy = input.problem.objective == Objective::Energy;
  if (std::isfinite(solve.lower_bound) && solve.lower_bound > 0)
    facts.push_back(
        {"Bound", energy ? exact_joules(solve.lower_bound) : exact_seconds(solve.lower_bound)});
  if (const std::optional<double> gap = gap_ratio(input))
    facts.push_back({"Gap", percent_figure(*gap)});
  if (const std::optional<double> gap = overhead_gap_ratio(input))
    facts.push_back({"Gap, of the overhead", percent_figure(*gap)});
  if (!solve.method.empty()) facts.push_back({"Formulation", solve.method});
  if (!solve.backend.empty()) facts.push_back({"Solver", solve.backend});
  if (solve.effort.events > 0)
    facts.push_back({"Events considered", fmt::format("{} of {}", count_figure(solve.effort.events),
                                                      count_figure(solve.effort.all_events))});
  if (solve.effort.columns > 0)
    facts.push_back({"Columns, rows", fmt::format("{}, {}", count_figure(solve.effort.columns),
                                                  count_figure(solve.effort.rows))});
  if (solve.effort.nodes > 0) facts.push_back({"Nodes", count_figure(solve.effort.nodes)});
  if (input.solve_s) facts.push_back({"Time to solve", time_figure(*input.solve_s)});
}

}  // namespace

std::vector<Card> cards_of(const ReportInput& input) {
  if (!input.schedule) return cards_without_schedule(input);
  return {knows_energies(input.problem) ? energy_card(input) : overhead_card(input),
          time_card(input),
          peak_card(input),
          saved_card(input),
          recomputed_card(input),
          paged_card(input)};
}

std::vector<Fact> facts_of(const ReportInput& input) {
  std::vector<Fact> facts;
  add_instance(facts, input);
  if (input.schedule) add_answer(facts, input);
  add_proof(facts, input);
  return facts;
}

}  // namespace poet
