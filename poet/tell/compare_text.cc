#include "poet/tell/compare_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "poet/base/json_out.h"
#include "poet/problem/facts.h"
#include "poet/problem/schedule_class.h"
#include "poet/problem/uncertainty.h"
#include "poet/report/figure_text.h"
#include "poet/tell/evidence_words.h"
#include "poet/tell/step_words.h"
#include "poet/tell/summary_text.h"
#include "poet/tell/text_table.h"

namespace poet {
namespace {

// How the overhead compares with the bound.
std::string times_the_bound(const CompareReport& report, const MethodRun& run) {
  if (!run.fits() || !report.bound) return "";
  const double least = *report.bound - report.unavoidable;
  const double overhead = objective_of(report.problem, run.replay) - report.unavoidable;
  if (least <= 1e-9 * report.unavoidable)
    return overhead <= 1e-9 * report.unavoidable ? "1.00x" : "";
  return fmt::format("{:.2f}x", overhead / least);
}

std::vector<std::string> cells(const CompareReport& report, const MethodRun& run) {
  std::vector<std::string> row = {run.method, verdict_of(run)};
  if (run.schedule) {
    const std::optional<double> overhead = overhead_ratio(report, run);
    row.insert(
        row.end(),
        {knows_energies(report.problem) ? energy_figure(run.replay.energy_j) : "-",
         time_figure(run.replay.time_s), overhead ? percent_figure(*overhead) : "",
         times_the_bound(report, run), count_figure(run.replay.peak_ram_bytes),
         count_figure(run.replay.recomputed_operations), count_figure(run.replay.paged_tensors)});
  } else {
    row.resize(9);
  }
  row.push_back(time_figure(run.plan_s));
  return row;
}

TextTable table_of(const CompareReport& report) {
  TextTable table{.columns = {{"method", Align::Left},
                              {"verdict", Align::Left},
                              {"energy"},
                              {"time"},
                              {"overhead"},
                              {"of the bound"},
                              {"peak RAM, B"},
                              {"recomputed"},
                              {"paged"},
                              {"planned in"}},
                  .rows = {}};
  for (const MethodRun& run : report.runs) table.rows.push_back(cells(report, run));
  return table;
}

std::string reasons(const CompareReport& report) {
  std::string text;
  for (const MethodRun& run : report.runs)
    if (!run.fits() && run.outcome != Outcome::OverRam && run.outcome != Outcome::OverDeadline)
      text += fmt::format("  {}: {}\n", run.method, run.why);
  return text.empty() ? text : "\n" + text;
}

std::string bound_sentence(const CompareReport& report) {
  if (!report.bound) return "";
  const bool time = report.problem.objective == Objective::Time;
  const double overhead = *report.bound - report.unavoidable;
  std::string text = fmt::format("No schedule of the class needs less than {:.8g} {}",
                                 *report.bound, time ? "s" : "J");
  if (report.unavoidable > 0)
    text += fmt::format(", {} above what no schedule of this step can save",
                        percent_figure(overhead / report.unavoidable));
  return text + fmt::format(" ({}). 'poet explain' says of which class.\n",
                            evidence_words(evidence_of_bound(report.problem, *report.bound),
                                           report.runs.back().backend));
}

// "proved best", "best by cbc 2.10.8".
std::string with_speaker(const std::string& word, const MethodRun& run) {
  if (run.evidence == Evidence::None) return word + ", no evidence kept";
  if (run.evidence != Evidence::Backend) return "proved " + word;
  return word + " by " + (run.backend.empty() ? "the search" : run.backend);
}

// Of what is called best or infeasible here on the word of who searched.
std::string word_sentence(const CompareReport& report) {
  const auto run = std::find_if(report.runs.begin(), report.runs.end(), [](const MethodRun& one) {
    return one.evidence == Evidence::Backend;
  });
  if (run == report.runs.end()) return "";
  const std::string speaker = run->backend.empty() ? "the search" : run->backend;
  return fmt::format("What is best or infeasible by {} is its word, without certificate.\n",
                     speaker);
}

// All methods have one step, and bounds are of that; POET by itself may plan another.
std::string own_step_text(const CompareReport& report) {
  if (!report.own_step) return "";
  const OwnStep& own = *report.own_step;
  std::string text = fmt::format(
      "All of this is of one step, which the methods share. 'poet solve' plans another: {:.8g} {}",
      objective_of(own.problem, own.run.replay),
      own.problem.objective == Objective::Time ? "s" : "J");
  if (!own.updates.sliced.empty()) text += fmt::format("; updates {}", updates_text(own.updates));
  if (own.parts.part_bytes) text += fmt::format("; parts {}", parts_text(own.parts));
  return text + ".\n";
}

}  // namespace

std::string verdict_of(const MethodRun& run) {
  switch (run.outcome) {
    case Outcome::Fits:
      return run.best_of_its_kind ? "fits, " + with_speaker("best", run) : "fits";
    case Outcome::OverRam:
      return "over RAM";
    case Outcome::OverDeadline:
      return "too slow";
    case Outcome::OverStorage:
      return "over storage";
    case Outcome::Infeasible:
      return with_speaker("infeasible", run);
    case Outcome::Unsupported:
      return "cannot";
    case Outcome::Stopped:
      break;
  }
  return "no answer";
}

std::string compare_text(const CompareReport& report) {
  const Question& question = report.request.question;
  const PlanOrigin origin{question.origin.model, question.origin.platform, question.origin.graph,
                          ""};
  std::string text = question_text(origin, report.problem);
  text += fmt::format(", {} B of RAM", count_figure(report.problem.ram_budget_bytes));
  if (const std::optional<double> deadline_s = asked_deadline_s(report.problem))
    text += fmt::format(", at most {}", time_figure(*deadline_s));
  if (report.problem.uncertainty)
    text += fmt::format(" where {}", uncertainty_words(*report.problem.uncertainty));
  text += "\n\n" + to_text(table_of(report)) + reasons(report) + "\n" + bound_sentence(report);
  text += word_sentence(report);
  if (!report.updates.sliced.empty())
    text += fmt::format("Updates {}.\n", updates_text(report.updates));
  if (report.parts.part_bytes) text += fmt::format("Parts {}.\n", parts_text(report.parts));
  text += own_step_text(report);
  for (const std::string& finding : report.findings) text += "Finding: " + finding + ".\n";
  return text;
}

JsonOut run_to_json(const Problem& problem, const MethodRun& run) {
  JsonOut out;
  out["method"] = run.method;
  out["outcome"] = name_of(kOutcomes, run.outcome);
  if (!run.why.empty()) out["reason"] = run.why;
  const auto figure = [&run](auto Replay::*field) {
    return run.schedule ? JsonOut(run.replay.*field) : JsonOut(nullptr);
  };
  out["objective"] = run.schedule ? JsonOut(objective_of(problem, run.replay)) : JsonOut(nullptr);
  out["energy_j"] = knows_energies(problem) ? figure(&Replay::energy_j) : JsonOut(nullptr);
  out["time_s"] = figure(&Replay::time_s);
  out["stall_s"] = figure(&Replay::stall_s);
  out["peak_ram_bytes"] = figure(&Replay::peak_ram_bytes);
  out["recomputed_operations"] = figure(&Replay::recomputed_operations);
  out["paged_tensors"] = figure(&Replay::paged_tensors);
  out["written_bytes"] = figure(&Replay::written_bytes);
  out["read_bytes"] = figure(&Replay::read_bytes);
  out["in_class"] = run.schedule ? JsonOut(run.in_class) : JsonOut(nullptr);
  out["best_of_its_kind"] = run.best_of_its_kind;
  out["evidence"] = name_of(kEvidenceNames, run.evidence);
  out["backend"] = run.backend;
  out["bound"] = or_null(run.bound);
  out["nodes"] = run.effort.nodes;
  out["iterations"] = run.effort.iterations;
  if (!run.notes.empty()) out["notes"] = run.notes;
  return out;
}

JsonOut bound_evidence_json(const Problem& problem, const std::optional<double>& bound) {
  return bound ? JsonOut(name_of(kEvidenceNames, evidence_of_bound(problem, *bound)))
               : JsonOut(nullptr);
}

JsonOut compare_to_json(const CompareReport& report) {
  const Question& question = report.request.question;
  JsonOut out = {{"format", "poet-compare"}, {"version", 1}};
  out["model"] = question.origin.model;
  out["platform"] =
      question.origin.platform.empty() ? JsonOut(nullptr) : JsonOut(question.origin.platform);
  out["graph"] = question.origin.graph;
  out["costs"] = costs_json(report.costs);
  out["updates"] = updates_json(report.updates);
  out["parts"] = parts_json(report.parts);
  out["objective"] = name_of(kObjectives, report.problem.objective);
  out["io"] = name_of(kTimeModes, report.problem.time_mode);
  out["paging"] = report.problem.paging_allowed;
  out["remat"] = report.problem.rematerialisation_allowed;
  out["ram_budget_bytes"] = report.problem.ram_budget_bytes;
  out["deadline_s"] = or_null(asked_deadline_s(report.problem));
  out["plain_peak_bytes"] = plain_peak_bytes(report.problem);
  out["largest_working_set_bytes"] = largest_working_set(report.problem).bytes;
  out["unavoidable"] = report.unavoidable;
  out["lower_bound"] = or_null(report.bound);
  out["lower_bound_evidence"] = bound_evidence_json(report.problem, report.bound);
  out["class"] = schedule_class_text(report.problem);
  out["methods"] = JsonOut::array();
  JsonOut timing = JsonOut::object();
  for (const MethodRun& run : report.runs) {
    JsonOut one = run_to_json(report.problem, run);
    one["overhead_ratio"] = or_null(overhead_ratio(report, run));
    if (run.schedule && report.bound) {
      const double objective = objective_of(report.problem, run.replay);
      one["gap"] =
          objective > 0 ? JsonOut((objective - *report.bound) / objective) : JsonOut(nullptr);
    }
    one["ended_by_clock"] = run.ended_by_clock;
    out["methods"].push_back(std::move(one));
    timing[run.method] = run.plan_s;
  }
  out["own_step"] = nullptr;
  if (report.own_step) {
    JsonOut& own = out["own_step"] = run_to_json(report.own_step->problem, report.own_step->run);
    own["ended_by_clock"] = report.own_step->run.ended_by_clock;
    own["updates"] = updates_json(report.own_step->updates);
    own["parts"] = parts_json(report.own_step->parts);
    own["class"] = schedule_class_text(report.own_step->problem);
  }
  out["findings"] = report.findings;
  out["warnings"] = report.warnings;
  out["timing"] = std::move(timing);
  return out;
}

std::string compare_csv(const CompareReport& report) {
  CsvText csv({"method", "outcome", "energy_j", "time_s", "peak_ram_bytes", "recomputed_operations",
               "paged_tensors", "overhead_ratio", "in_class", "plan_s", "reason",
               "best_of_its_kind", "evidence", "backend"});
  for (const MethodRun& run : report.runs) {
    const auto figure = [&run](auto value) {
      return run.schedule ? fmt::format("{}", value) : std::string();
    };
    const std::optional<double> overhead = overhead_ratio(report, run);
    csv.add({run.method, std::string(name_of(kOutcomes, run.outcome)),
             knows_energies(report.problem) ? figure(run.replay.energy_j) : "",
             figure(run.replay.time_s), figure(run.replay.peak_ram_bytes),
             figure(run.replay.recomputed_operations), figure(run.replay.paged_tensors),
             overhead ? fmt::format("{}", *overhead) : "",
             run.schedule ? (run.in_class ? "yes" : "no") : "", fmt::format("{}", run.plan_s),
             run.why, run.best_of_its_kind ? "yes" : "no",
             std::string(name_of(kEvidenceNames, run.evidence)), run.backend});
  }
  return csv.text();
}

}  // namespace poet
