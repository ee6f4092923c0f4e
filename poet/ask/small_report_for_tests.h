#pragma once

#include "poet/ask/plan_instance.h"
#include "poet/overlap/planner.h"

namespace poet {

// A chain a -> b -> c whose answer computes `a` twice and writes and reads `b`: every figure of a
// report is a different round number. Energy: 1 + 1 + 2 + 4 to compute, 0.5 to write, 0.25 to read;
// unavoidable 7.
inline PlanReport small_report() {
  const TensorId a{0};
  const TensorId b{1};
  const TensorId c{2};
  Problem problem;
  problem.name = "chain";
  problem.tensors = {
      {.name = "a", .size_bytes = 100},
      {.name = "b",
       .size_bytes = 200,
       .page_in_j = 0.25,
       .page_out_j = 0.5,
       .page_in_s = 3,
       .page_out_s = 5},
      {.name = "c", .size_bytes = 400},
  };
  problem.operations = {
      {.name = "make_a", .inputs = {}, .outputs = {a}, .compute_j = 1, .compute_s = 10},
      {.name = "make_b", .inputs = {a}, .outputs = {b}, .compute_j = 2, .compute_s = 20},
      {.name = "make_c",
       .inputs = {a, b},
       .outputs = {c},
       .compute_j = 4,
       .compute_s = 40,
       .backward = true},
  };
  problem.ram_budget_bytes = 1'000;
  problem.deadline_s = 100;
  problem.time_mode = TimeMode::Free;

  PlanReport report;
  report.question.origin = {"chain", "board", "released", "poet solve --model chain"};
  report.question.formulation = &planner_table().front();
  report.problem = problem;
  report.costs = "formulas";
  report.solve.status = SolveStatus::Feasible;
  report.solve.best =
      Schedule{.actions = {Compute{OperationId{0}}, Compute{OperationId{1}}, Drop{a}, PageOut{b},
                           Drop{b}, Compute{OperationId{0}}, PageIn{b}, Compute{OperationId{2}},
                           Drop{a}, Drop{b}, Drop{c}},
               .resident = {}};
  report.solve.objective = 8.75;
  report.solve.lower_bound = 7.875;
  report.solve.effort = {.events = 4,
                         .all_events = 6,
                         .keys = 10,
                         .columns = 11,
                         .rows = 12,
                         .cuts = 13,
                         .rounds = 14,
                         .nodes = 15,
                         .iterations = 16};
  report.solve.method = "event";
  report.solve.backend = "cbc 2.10";
  report.replay = replay(problem, *report.solve.best);
  report.plan = Plan{.origin = report.question.origin,
                     .proof = {"feasible", "event", "cbc 2.10", 7.875},
                     .problem = problem,
                     .schedule = *report.solve.best,
                     .buffers = buffers_of(problem, *report.solve.best)};
  report.unavoidable_j = 7;
  report.unavoidable_s = 70;
  report.timing = {.prepare_s = 0.125, .solve_s = 2, .verify_s = 0.0625, .effort_s = 1.5};
  return report;
}

// The same question, answered with no.
inline PlanReport infeasible_report() {
  PlanReport report = small_report();
  report.plan.reset();
  report.replay = {};
  report.problem.ram_budget_bytes = 600;
  report.solve = {};
  report.solve.status = SolveStatus::Infeasible;
  report.solve.evidence = Evidence::Arithmetic;
  report.proof = ProofKind::Exact;
  report.solve.infeasibility =
      Infeasibility{.kind = Infeasibility::Kind::RamBudget,
                    .reason = "operation 'make_c' needs 700 bytes of RAM, and the budget is 600",
                    .operation = OperationId{2},
                    .working_set_bytes = 700,
                    .least_budget_bytes = 700,
                    .working_budget_bytes = 700};
  return report;
}

}  // namespace poet
