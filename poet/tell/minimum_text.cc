#include "poet/tell/minimum_text.h"

#include <fmt/core.h>

#include "poet/ask/status_name.h"
#include "poet/base/duration_text.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/problem/schedule_class.h"
#include "poet/problem/uncertainty.h"
#include "poet/report/figure_text.h"
#include "poet/tell/certificate_text.h"
#include "poet/tell/evidence_words.h"
#include "poet/tell/step_words.h"
#include "poet/tell/summary_text.h"
#include "poet/tell/text_table.h"

namespace poet {
namespace {

using Asked = MinimumReport::Asked;

double ratio_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

// Where a budget lies: of the plain peak, and on the way to it from the largest working set.
struct BudgetPlace {
  double of_plain_peak = 0;
  std::optional<double> of_the_way =
      {};  // none before it begins, as a bound of other updates may be
};
BudgetPlace place_of(const Problem& problem, std::int64_t bytes) {
  const std::int64_t least = largest_working_set(problem).bytes, most = plain_peak_bytes(problem);
  BudgetPlace place{.of_plain_peak =
                        ratio_of(static_cast<double>(bytes), static_cast<double>(most))};
  if (bytes >= least)
    place.of_the_way =
        ratio_of(static_cast<double>(bytes - least), static_cast<double>(most - least));
  return place;
}

// A part may need as much, beside what stays in RAM throughout.
std::string beside_residents(const Problem& problem) {
  const std::int64_t stay_bytes = resident_bytes(problem);
  return stay_bytes > 0 ? fmt::format(", beside {} of what stays in RAM,", bytes_text(stay_bytes))
                        : "";
}

// ", beside 8,388,608 bytes of psram,"
std::string beside_memories(const Problem& problem) {
  std::string text;
  for (const FurtherMemory& memory : problem.further_memories)
    text += fmt::format("{}{} of {}", text.empty() ? ", beside " : " and ",
                        bytes_text(memory.size_bytes), one_line(memory.name));
  return text.empty() ? text : text + ",";
}

std::string of_what(const MinimumReport& report) {
  if (report.asked == Asked::LeastTime)
    return fmt::format("{} within {} of RAM{}", schedule_scope_text(report.updates, report.parts),
                       bytes_text(report.problem.ram_budget_bytes),
                       beside_memories(report.problem));
  std::string text = beside_memories(report.problem);
  if (report.parts.part_bytes)
    text += fmt::format(" in parts of at most {}{}", size_figure(*report.parts.part_bytes),
                        beside_residents(report.problem));
  else
    text += parts_scope_text(report.parts);
  if (const std::optional<double> deadline_s = asked_deadline_s(report.problem))
    text += fmt::format(" for the deadline of {}", exact_seconds(*deadline_s));
  return text;
}

// Two times that read alike are one.
std::string between(const MinimumReport& report) {
  if (report.asked == Asked::LeastRam)
    return fmt::format("is between {} and {}", count_figure(report.proved_bytes),
                       bytes_text(*report.found_bytes));
  return fmt::format("is between {} and {}", exact_seconds(report.proved_s),
                     exact_seconds(*report.found_s));
}

std::string exactly(const MinimumReport& report) {
  return report.asked == Asked::LeastRam ? "is " + bytes_text(*report.found_bytes)
                                         : "is " + exact_seconds(*report.found_s);
}

// Of parts only some sizes are looked at, and of updates by slices none, some and all.
std::string of_those_tried(const MinimumReport& report) {
  const bool are_others = report.updates.asked == Updates::Auto || report.parts.by_budget;
  return are_others ? (report.evidence == Evidence::Arithmetic ? " for the steps that were tried"
                                                               : " and the steps that were tried")
                    : "";
}

// What sums say holds of every schedule; else the line of the class says of which.
std::string of_the_class(const MinimumReport& report) {
  return report.evidence == Evidence::Arithmetic ? "" : " for the class below";
}

std::string headline(const MinimumReport& report) {
  const bool ram = report.asked == Asked::LeastRam;
  const std::string what =
      (ram ? "the smallest RAM budget" : "the shortest deadline") + of_what(report);
  const std::string after =
      fmt::format("after {} ({})", time_figure(report.timing.solve_s), report.backend);
  switch (report.status) {
    case SolveStatus::Optimal:
      return fmt::format("{} {}, {} {}", what, exactly(report),
                         proof_clause(report.proof, report.backend), after);
    case SolveStatus::Feasible:
      return fmt::format("{} {}, {}", what, between(report), after);
    case SolveStatus::Infeasible:
      return fmt::format("no {} works{}{} ({}): {}", ram ? "RAM budget" : "deadline",
                         of_the_class(report), of_those_tried(report),
                         proof_words(report.proof, report.backend), *report.why_not);
    case SolveStatus::Unknown:
      break;
  }
  return fmt::format("{} is at least {}, and nothing was found to work, {}", what,
                     ram ? bytes_text(report.proved_bytes) : exact_seconds(report.proved_s), after);
}

// " in whole operations with separate updates"
std::string in_such(const MinimumReport& report) {
  constexpr std::string_view kOf = " of ";
  const std::string text = schedule_scope_text(report.updates, report.parts);
  return text.starts_with(kOf) ? " in " + text.substr(kOf.size()) : text;
}

// Where others may do with less.
std::string of_the_step(const MinimumReport& report) {
  if (report.parts.part_bytes) return " in these parts";
  if (report.asked == Asked::LeastTime) return in_such(report);
  if (!report.problem.further_memories.empty())
    return fmt::format(" in {} with these updates", kWholeOperations);
  if (report.parts.by_budget) return fmt::format(" in {}", kWholeOperations);
  return report.updates.asked == Updates::Auto ? " with these updates" : "";
}

// What an operation needs alone holds of any schedule, in any order.
bool is_of_any_schedule(const MinimumReport& report) {
  return report.asked == Asked::LeastTime
             ? report.proved_s <= unavoidable(report.problem).time_s * (1 + 1e-9)
             : report.proved_bytes <= largest_need_of_ram(report.problem).bytes;
}

// More than that is said of the order that was asked about, and poet solve may find another that
// does with less.
std::string in_its_order(const MinimumReport& report) {
  return report.parts.operations == 0 || is_of_any_schedule(report)
             ? ""
             : ", in this order of operations";
}

// What "nothing smaller" speaks of.
std::string class_line(const MinimumReport& report) {
  const bool is_no = report.status == SolveStatus::Infeasible;
  if (is_no ? of_the_class(report).empty() : is_of_any_schedule(report)) return "";
  return fmt::format("  {:<12}{}{}\n", "class", schedule_class_text(report.problem),
                     step_scope_text(report.updates, report.parts));
}

TextTable budget_table(const MinimumReport& report) {
  const Problem& problem = report.problem;
  const WorkingSet largest = largest_working_set(problem);
  TextTable table{.columns = {{"RAM", Align::Left},
                              {"bytes"},
                              {"of the peak"},
                              {"of the way up"},
                              {"", Align::Left}},
                  .rows = {}};
  const auto add = [&](const char* name, std::int64_t value, const std::string& what) {
    const BudgetPlace place = place_of(problem, value);
    table.rows.push_back({name, count_figure(value), percent_figure(place.of_plain_peak),
                          place.of_the_way ? percent_figure(*place.of_the_way) : "", what});
  };
  add("largest working set", largest.bytes,
      fmt::format("of {}{}", at(problem.operations, largest.operation).name,
                  problem.further_memories.empty() ? "" : ", in all memories together"));
  const bool proved = report.status == SolveStatus::Optimal;
  if (!proved)
    add("lower bound", report.proved_bytes,
        "nothing smaller works" + of_the_step(report) + in_its_order(report));
  if (report.found_bytes)
    add(proved ? "smallest budget" : "smallest found", *report.found_bytes,
        !proved ? "works"
                : "works, and nothing smaller does" + of_the_step(report) + in_its_order(report));
  add("plain peak", plain_peak_bytes(problem), "what keeping everything needs");
  return table;
}

TextTable time_table(const MinimumReport& report) {
  const double compute_s = unavoidable(report.problem).compute_s;
  TextTable table{
      .columns = {{"time", Align::Left}, {"seconds"}, {"of computing once"}, {"", Align::Left}},
      .rows = {}};
  const auto add = [&](const char* name, double value, const std::string& what) {
    table.rows.push_back({name, exact_seconds(value),
                          compute_s > 0 ? fmt::format("{:.4f}x", value / compute_s) : "", what});
  };
  add("computing once", compute_s, "every operation");
  const bool proved = report.status == SolveStatus::Optimal;
  if (!proved)
    add("lower bound", report.proved_s,
        "nothing shorter works" + of_the_step(report) + in_its_order(report));
  if (report.found_s)
    add(proved ? "shortest deadline" : "shortest found", *report.found_s,
        proved ? "works, and nothing shorter does" + of_the_step(report) + in_its_order(report)
               : "works");
  return table;
}

std::string indented(const std::string& lines) {
  std::string text = "  ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i];
    if (lines[i] == '\n' && i + 1 < lines.size()) text += "  ";
  }
  return text;
}

bool shows_certificate(const MinimumReport& report) {
  return report.certificate && report.certificate_check &&
         report.question.solve.certificate == CertificateEffort::Whole;
}

void add_question(JsonOut& out, const MinimumReport& report) {
  const Question& question = report.question;
  out["model"] = question.origin.model;
  out["platform"] =
      question.origin.platform.empty() ? JsonOut(nullptr) : JsonOut(question.origin.platform);
  out["graph"] = question.origin.graph;
  out["costs"] = costs_json(report.costs);
  out["updates"] = updates_json(report.updates);
  out["parts"] = parts_json(report.parts);
  out["io"] = name_of(kTimeModes, report.problem.time_mode);
  out["paging"] = report.problem.paging_allowed;
  out["remat"] = report.problem.rematerialisation_allowed;
  out["backend"] = report.backend;
  out["gap_ratio"] = question.solve.gap_ratio;
  out["seed"] = question.solve.seed;
  out["threads"] = question.solve.threads;
  out["class"] =
      schedule_class_text(report.problem) + step_scope_text(report.updates, report.parts);
}

void add_schedule(JsonOut& out, const MinimumReport& report) {
  const auto figure = [&report](auto Replay::*field) {
    return report.plan ? JsonOut(report.replay.*field) : JsonOut(nullptr);
  };
  out["energy_j"] = knows_energies(report.problem) ? figure(&Replay::energy_j) : JsonOut(nullptr);
  out["time_s"] = figure(&Replay::time_s);
  add_uncertainty(out, report.problem, report.replay.worst_case);
  out["peak_ram_bytes"] = figure(&Replay::peak_ram_bytes);
  out["recomputed_operations"] = figure(&Replay::recomputed_operations);
  out["paged_tensors"] = figure(&Replay::paged_tensors);
  if (report.plan) add_memories(out, report.problem, report.replay);
}

void add_answer(JsonOut& out, const MinimumReport& report) {
  const Problem& problem = report.problem;
  const WorkingSet largest = largest_working_set(problem);
  out["largest_working_set_bytes"] = largest.bytes;
  out["largest_working_set_operation"] = at(problem.operations, largest.operation).name;
  out["plain_peak_bytes"] = plain_peak_bytes(problem);
  out["unavoidable_s"] = unavoidable(problem).time_s;
  if (report.asked == Asked::LeastRam) {
    out["deadline_s"] = or_null(asked_deadline_s(problem));
    out["proved_bytes"] = report.proved_bytes;
    out["found_bytes"] = or_null(report.found_bytes);
    if (!report.found_bytes) return;
    const BudgetPlace place = place_of(problem, *report.found_bytes);
    out["part_of_plain_peak"] = place.of_plain_peak;
    out["part_of_the_way"] = or_null(place.of_the_way);
    return;
  }
  out["ram_budget_bytes"] = problem.ram_budget_bytes;
  out["proved_s"] = report.proved_s;
  out["found_s"] = or_null(report.found_s);
}

}  // namespace

std::string minimum_text(const MinimumReport& report) {
  const PlanOrigin& origin = report.question.origin;
  Problem shown = report.problem;
  shown.objective = Objective::Energy;  // what is made least is in the sentence below
  std::string text = question_text(origin, shown) + "\n" + headline(report) + "\n\n";
  if (report.status != SolveStatus::Infeasible)
    text += indented(
        to_text(report.asked == Asked::LeastRam ? budget_table(report) : time_table(report)));
  if (report.plan) text += "\n" + figures_text(report.problem, report.replay);
  text += updates_line(report.updates) + parts_line(report.parts) + costs_line(report.costs) +
          class_line(report);
  if (shows_certificate(report))
    text += "\n" +
            certificate_sentence(report.problem, report.replay, *report.certificate,
                                 *report.certificate_check) +
            "\n";
  return text;
}

namespace {

// What it claims may be less than what the search says: then it does not cover that.
JsonOut certificate_of(const MinimumReport& report) {
  JsonOut out = certificate_to_json(*report.certificate, *report.certificate_check);
  if (report.certificate->claim == Claim::LeastRam &&
      report.certificate->claimed_bytes < report.proved_bytes)
    out["covers_claim"] = false;
  return out;
}

}  // namespace

JsonOut minimum_to_json(const MinimumReport& report) {
  JsonOut out = {{"format", "poet-minimum"}, {"version", 1}};
  out["asked"] = report.asked == Asked::LeastRam ? "ram_budget" : "deadline";
  out["status"] = status_name(report.status);
  out["evidence"] = name_of(kEvidenceNames, report.evidence);
  out["proof"] = name_of(kProofKindNames, report.proof);
  out["scope"] = step_scope_name(report.updates, report.parts);
  add_question(out, report);
  add_answer(out, report);
  if (report.why_not) out["reason"] = *report.why_not;
  add_schedule(out, report);
  out["keys"] = report.effort.keys;
  out["rounds"] = report.effort.rounds;
  out["nodes"] = report.effort.nodes;
  out["iterations"] = report.effort.iterations;
  if (shows_certificate(report)) out["certificate"] = certificate_of(report);
  out["warnings"] = report.warnings;
  out["timing"] = {{"prepare_s", report.timing.prepare_s},
                   {"solve_s", report.timing.solve_s},
                   {"verify_s", report.timing.verify_s},
                   {"effort_s", report.timing.effort_s},
                   {"ended_by_clock", report.timing.ended_by_clock}};
  return out;
}

}  // namespace poet
