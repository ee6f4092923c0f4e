#pragma once

#include "poet/plan/plan.h"

namespace poet::testing {

// w and x (storage) -> a, in place -> b of half its size; a second tensor s is paged out and read
// again; w becomes w' in its place. Needs a workspace of 3 bytes once.
inline Plan paged_plan() {
  const auto t = [](int i) { return TensorId{i}; };
  const auto op = [](int v) { return OperationId{v}; };
  Plan plan;
  plan.problem.name = "paged";
  plan.problem.ram_budget_bytes = 1000;
  plan.problem.tensors = {{.name = "w", .size_bytes = 10, .home = Home::Storage},
                          {.name = "x", .size_bytes = 6, .home = Home::Storage},
                          {.name = "a", .size_bytes = 8},
                          {.name = "b", .size_bytes = 4},
                          {.name = "s", .size_bytes = 5},
                          {.name = "w'", .size_bytes = 10, .updates = t(0)},
                          {.name = "r", .size_bytes = 7, .home = Home::Resident}};
  plan.problem.operations = {
      {.name = "a", .inputs = {t(0), t(1), t(6)}, .outputs = {t(2)}, .workspace_bytes = 3},
      {.name = "s", .inputs = {t(1)}, .outputs = {t(4)}},
      {.name = "b", .inputs = {t(2)}, .outputs = {t(3)}, .in_place = InPlace{t(2), t(3)}},
      {.name = "w'", .inputs = {t(0), t(3), t(4)}, .outputs = {t(5)}, .once = true}};
  plan.schedule.actions = {PageIn{t(0)},  PageIn{t(1)},  Compute{op(0)}, Compute{op(1)},
                           Drop{t(1)},    PageOut{t(4)}, Drop{t(4)},     Compute{op(2)},
                           Drop{t(2)},    PageIn{t(4)},  Compute{op(3)}, Drop{t(0)},
                           PageOut{t(5)}, Drop{t(5)},    Drop{t(3)},     Drop{t(4)}};
  plan.buffers = buffers_of(plan.problem, plan.schedule);
  plan.proof.status = "feasible";
  return plan;
}

}  // namespace poet::testing
