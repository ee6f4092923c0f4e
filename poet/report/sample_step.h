#pragma once

#include <string>
#include <utility>
#include <vector>

#include "poet/problem/facts.h"
#include "poet/report/report_input.h"

// For tests of this room: a small step that recomputes and pages, and a long one.
namespace poet::sample {

inline Operation operation(std::string name, std::vector<int> inputs, int output) {
  Operation made;
  made.name = std::move(name);
  for (const int input : inputs) made.inputs.push_back(TensorId{input});
  made.outputs = {TensorId{output}};
  made.compute_j = 0.001;
  made.compute_s = 0.01;
  return made;
}

inline Tensor tensor(std::string name) {
  Tensor made;
  made.name = std::move(name);
  made.size_bytes = 100;
  made.page_in_j = 0.0002;
  made.page_out_j = 0.0003;
  made.page_in_s = 0.002;
  made.page_out_s = 0.003;
  return made;
}

// f0 -> f1 -> f2 -> b2 -> b1; b2 reads f1 again, and b1 reads f0.
inline Problem five_operations() {
  Problem problem;
  problem.name = "five";
  problem.operations = {operation("f0", {}, 0), operation("f1", {0}, 1), operation("f2", {1}, 2),
                        operation("b2", {1, 2}, 3), operation("b1", {0, 3}, 4)};
  problem.operations[3].backward = true;
  problem.operations[4].backward = true;
  for (const char* name : {"t0", "t1", "t2", "t3", "t4"}) problem.tensors.push_back(tensor(name));
  problem.ram_budget_bytes = 300;
  return problem;
}

// Writes t0 and reads it twice, and runs f1 twice.
inline Schedule paging_and_recomputing() {
  const auto run = [](int v) { return Compute{OperationId{v}}; };
  const auto drop = [](int i) { return Drop{TensorId{i}}; };
  const TensorId t0{0};
  return Schedule{
      {run(0), PageOut{t0}, run(1), drop(0), run(2), drop(1), PageIn{t0}, run(1), drop(0), run(3),
       drop(1), drop(2), PageIn{t0}, run(4), drop(0), drop(3), drop(4)},
      {}};
}

inline ReportInput answer(const Problem& problem, const Schedule& schedule) {
  ReportInput input;
  input.origin = {"five", "m4", "released", "poet solve --model five"};
  input.problem = problem;
  input.schedule = schedule;
  input.replay = replay(problem, schedule);
  input.unavoidable_j = unavoidable(problem).energy_j;
  input.solve.status = SolveStatus::Optimal;
  input.solve.evidence = Evidence::Certificate;
  input.solve.lower_bound = input.replay.energy_j;
  input.solve.method = "event";
  return input;
}

inline ReportInput five_answer() {
  return answer(five_operations(), paging_and_recomputing());
}

// `half` forward operations, then as many backward ones, each of which reads what its forward one
// made.
inline Problem long_chain(int half) {
  Problem problem;
  problem.name = "long";
  for (int v = 0; v < 2 * half; ++v) {
    std::vector<int> inputs;
    if (v > 0) inputs.push_back(v - 1);
    if (v > half) inputs.push_back(2 * half - 1 - v);
    problem.operations.push_back(
        operation("operation_with_a_long_name_" + std::to_string(v), inputs, v));
    problem.operations.back().backward = v >= half;
    problem.tensors.push_back(tensor("tensor_with_a_long_name_" + std::to_string(v)));
  }
  problem.ram_budget_bytes = 100 * (half + 3);
  return problem;
}

// Every forward tensor is written right after it is made, dropped, and read back for its backward
// operation.
inline Schedule page_everything(int half) {
  Schedule schedule;
  for (int v = 0; v < 2 * half; ++v) {
    const int partner = 2 * half - 1 - v;
    if (v > half) schedule.actions.push_back(PageIn{TensorId{partner}});
    schedule.actions.push_back(Compute{OperationId{v}});
    if (v < half - 1) schedule.actions.push_back(PageOut{TensorId{v}});
    if (v > 0) schedule.actions.push_back(Drop{TensorId{v - 1}});
    if (v > half) schedule.actions.push_back(Drop{TensorId{partner}});
  }
  return schedule;
}

}  // namespace poet::sample
