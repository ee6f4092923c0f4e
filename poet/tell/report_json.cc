#include "poet/tell/report_json.h"

#include <algorithm>
#include <cmath>

#include "poet/ask/figures.h"
#include "poet/ask/status_name.h"
#include "poet/base/json_out.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/problem/uncertainty.h"
#include "poet/solve/claimed_class.h"
#include "poet/tell/certificate_text.h"
#include "poet/tell/step_words.h"

namespace poet {
namespace {

JsonOut head() {
  return {{"format", "poet-report"}, {"version", 1}};
}

void add_question(JsonOut& out, const PlanReport& report) {
  const Question& question = report.question;
  out["model"] = question.origin.model;
  out["platform"] =
      question.origin.platform.empty() ? JsonOut(nullptr) : JsonOut(question.origin.platform);
  out["graph"] = question.origin.graph;
  out["batch_size"] = question.batch_size;
  out["costs"] = costs_json(report.costs);
  out["updates"] = updates_json(report.updates);
  out["parts"] = parts_json(report.parts, bytes_of_all_memories(report.problem));
  out["order"] = order_json(report.order);
  out["choice"] = choice_json(report.choice);
  out["mem_power_scale"] = question.memory_power_scale;
  out["objective"] = name_of(kObjectives, report.problem.objective);
  out["io"] = name_of(kTimeModes, report.problem.time_mode);
  out["paging"] = report.problem.paging_allowed;
  out["remat"] = report.problem.rematerialisation_allowed;
  out["formulation"] = question.formulation->name;
  out["solver"] = question.solve.backend;
  out["backend"] = report.solve.backend;
  out["gap_ratio"] = question.solve.gap_ratio;
  out["seed"] = question.solve.seed;
  out["threads"] = question.solve.threads;
  out["class"] = claimed_class_text(report.problem, report.solve) +
                 step_scope_text(report.updates, report.parts);
}

void add_energy(JsonOut& out, const PlanReport& report) {
  const Replay* const replay = report.plan ? &report.replay : nullptr;
  const bool has_energies = knows_energies(report.problem);
  const Figures figures = figures_of(report);
  const auto figure = [replay](double Replay::*field) {
    return replay == nullptr ? JsonOut(nullptr) : JsonOut(replay->*field);
  };
  const auto energy = [&figure, has_energies](double Replay::*field) {
    return has_energies ? figure(field) : JsonOut(nullptr);
  };
  out["energy_j"] = energy(&Replay::energy_j);
  out["compute_j"] = energy(&Replay::compute_j);
  out["page_in_j"] = energy(&Replay::page_in_j);
  out["page_out_j"] = energy(&Replay::page_out_j);
  out["idle_j"] = energy(&Replay::idle_j);
  out["unavoidable_j"] = has_energies ? JsonOut(report.unavoidable_j) : JsonOut(nullptr);
  out["overhead_j"] = has_energies ? or_null(figures.overhead_j) : JsonOut(nullptr);
  out["lower_bound_j"] = or_null(figures.lower_bound_j);
  out["gap"] = or_null(figures.gap);
  out["overhead_gap"] = or_null(figures.overhead_gap);
  out["certified_bound"] = or_null(figures.certified_bound);
  out["certified_overhead_gap"] = or_null(figures.certified_overhead_gap);
  out["time_s"] = figure(&Replay::time_s);
  out["compute_s"] = figure(&Replay::compute_s);
  out["stall_s"] = figure(&Replay::stall_s);
  out["deadline_s"] = or_null(asked_deadline_s(report.problem));
  add_uncertainty(out, report.problem, replay == nullptr ? std::nullopt : replay->worst_case);
  out["unavoidable_s"] = report.unavoidable_s;
  out["overhead_s"] = or_null(figures.overhead_s);
  out["lower_bound_s"] = or_null(figures.lower_bound_s);
}

void add_memory(JsonOut& out, const PlanReport& report) {
  const Replay* const replay = report.plan ? &report.replay : nullptr;
  const auto figure = [replay](std::int64_t Replay::*field) {
    return replay == nullptr ? JsonOut(nullptr) : JsonOut(replay->*field);
  };
  out["peak_ram_bytes"] = figure(&Replay::peak_ram_bytes);
  out["ram_budget_bytes"] = report.problem.ram_budget_bytes;
  if (replay != nullptr) add_memories(out, report.problem, *replay);
  out["largest_working_set_bytes"] = largest_working_set(report.problem).bytes;
  out["plain_peak_bytes"] = plain_peak_bytes(report.problem);
  out["storage_bytes"] = figure(&Replay::storage_bytes);
  out["written_bytes"] = figure(&Replay::written_bytes);
  out["read_bytes"] = figure(&Replay::read_bytes);
  out["recomputed_operations"] = figure(&Replay::recomputed_operations);
  out["paged_tensors"] = figure(&Replay::paged_tensors);
}

void add_effort(JsonOut& out, const PlanReport& report) {
  const SolveEffort& effort = report.solve.effort;
  out["events"] = effort.events;
  out["all_events"] = effort.all_events;
  out["keys"] = effort.keys;
  out["columns"] = effort.columns;
  out["rows"] = effort.rows;
  out["cuts"] = effort.cuts;
  out["rounds"] = effort.rounds;
  out["nodes"] = effort.nodes;
  out["iterations"] = effort.iterations;
}

JsonOut infeasible(const PlanReport& report) {
  const Infeasibility& why = *report.solve.infeasibility;
  JsonOut out;
  out["kind"] = name_of(kInfeasibilityNames, why.kind);
  out["reason"] = why.reason;
  out["operation"] = why.operation ? JsonOut(at(report.problem.operations, *why.operation).name)
                                   : JsonOut(nullptr);
  out["working_set_bytes"] = why.operation ? JsonOut(why.working_set_bytes) : JsonOut(nullptr);
  out["least_budget_bytes"] = or_null(why.least_budget_bytes);
  out["working_budget_bytes"] = or_null(why.working_budget_bytes);
  out["least_time_s"] = or_null(why.least_time_s);
  out["working_time_s"] = or_null(why.working_time_s);
  return out;
}

}  // namespace

JsonOut report_to_json(const PlanReport& report) {
  JsonOut out = head();
  out["status"] = status_name(report.solve.status);
  out["evidence"] = name_of(kEvidenceNames, report.solve.evidence);
  out["proof"] = name_of(kProofKindNames, report.proof);
  out["scope"] = step_scope_name(report.updates, report.parts);
  add_question(out, report);
  add_energy(out, report);
  add_memory(out, report);
  add_effort(out, report);
  if (report.solve.infeasibility) out["infeasible"] = infeasible(report);
  if (report.certificate && report.question.solve.certificate == CertificateEffort::Whole)
    out["certificate"] = certificate_to_json(*report.solve.certificate, *report.certificate);
  out["warnings"] = report.warnings;
  out["solve_s"] = report.timing.solve_s;
  out["timing"] = {{"prepare_s", report.timing.prepare_s},
                   {"solve_s", report.timing.solve_s},
                   {"verify_s", report.timing.verify_s},
                   {"effort_s", report.timing.effort_s},
                   {"ended_by_clock", report.timing.ended_by_clock}};
  return out;
}

JsonOut error_to_json(const Error& error) {
  JsonOut out = head();
  out["error"] = to_string(error);
  return out;
}

}  // namespace poet
