// A problem and a schedule are made from the bytes, most of them close to right. Whatever they are,
// the problem is judged, and the schedule of a well-formed problem is replayed in every time mode
// with figures that agree with each other.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "poet/base/check.h"
#include "poet/plan/plan.h"
#include "poet/plan/released_matrices.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"

namespace {

using namespace poet;

constexpr std::int64_t kBig = std::int64_t{1} << 62;

// Small sizes mostly: they share a budget in interesting ways. Sometimes the largest there are.
std::int64_t take_size(FuzzedDataProvider& bytes) {
  const auto small = bytes.ConsumeIntegralInRange<std::int64_t>(0, 15);
  return small < 15 ? small : bytes.ConsumeIntegralInRange<std::int64_t>(0, kBig);
}

double take_cost(FuzzedDataProvider& bytes) {
  const auto small = bytes.ConsumeIntegralInRange<int>(0, 15);
  return small < 15 ? small : bytes.ConsumeFloatingPointInRange<double>(0, 1e200);
}

TensorId take_tensor(FuzzedDataProvider& bytes, std::size_t count) {
  return TensorId{bytes.ConsumeIntegralInRange<std::int32_t>(0, static_cast<std::int32_t>(count))};
}

Tensor take_home(FuzzedDataProvider& bytes) {
  Tensor tensor{.size_bytes = take_size(bytes)};
  tensor.home = bytes.PickValueInArray({Home::Storage, Home::Rom, Home::Resident});
  tensor.may_be_resident = tensor.home == Home::Storage && bytes.ConsumeBool();
  tensor.page_in_j = take_cost(bytes);
  tensor.page_in_s = take_cost(bytes);
  return tensor;
}

// An operation and its outputs, which are the next tensors.
void take_operation(FuzzedDataProvider& bytes, Problem& problem) {
  const std::size_t before = problem.tensors.size();
  Operation operation;
  operation.workspace_bytes = take_size(bytes);
  operation.compute_j = take_cost(bytes);
  operation.compute_s = take_cost(bytes);
  operation.once = bytes.ConsumeBool();
  for (auto inputs = bytes.ConsumeIntegralInRange<int>(0, 3); inputs > 0 && before > 0; --inputs) {
    const TensorId input = take_tensor(bytes, before - 1);
    if (std::count(operation.inputs.begin(), operation.inputs.end(), input) == 0)
      operation.inputs.push_back(input);
  }
  for (auto outputs = bytes.ConsumeIntegralInRange<int>(1, 2); outputs > 0; --outputs) {
    operation.outputs.push_back(TensorId{static_cast<std::int32_t>(problem.tensors.size())});
    Tensor tensor{.size_bytes = take_size(bytes)};
    tensor.page_in_j = tensor.page_out_j = take_cost(bytes);
    tensor.page_in_s = tensor.page_out_s = take_cost(bytes);
    problem.tensors.push_back(tensor);
  }
  Tensor& output = problem.tensors[before];
  switch (bytes.ConsumeIntegralInRange<int>(0, 7)) {
    case 0:
      if (operation.inputs.empty()) break;
      output.view_of = root_of(problem, operation.inputs[0]);
      output.home = at(problem.tensors, *output.view_of).home;
      operation = {.inputs = {operation.inputs[0]}, .outputs = operation.outputs, .view = true};
      break;
    case 1:
      if (operation.inputs.empty()) break;
      output.updates = operation.inputs[0];
      output.size_bytes = at(problem.tensors, operation.inputs[0]).size_bytes;
      output.home = at(problem.tensors, operation.inputs[0]).home == Home::Resident ? Home::Resident
                                                                                    : Home::Made;
      operation.once = true;
      break;
    case 2:
    case 3:
      if (operation.inputs.empty()) break;
      operation.in_place = InPlace{operation.inputs[0], operation.outputs[0]};
      output.size_bytes =
          std::min(output.size_bytes, at(problem.tensors, operation.inputs[0]).size_bytes);
      break;
    default:
      break;
  }
  problem.operations.push_back(operation);
}

Problem take_problem(FuzzedDataProvider& bytes) {
  Problem problem;
  problem.ram_budget_bytes = bytes.ConsumeBool() ? kBig : take_size(bytes);
  if (bytes.ConsumeBool()) problem.deadline_s = take_cost(bytes);
  if (bytes.ConsumeBool()) problem.storage_capacity_bytes = take_size(bytes);
  if (bytes.ConsumeBool()) problem.write_budget_bytes = take_size(bytes);
  problem.idle_w = take_cost(bytes);
  problem.paging_allowed = bytes.ConsumeBool();
  problem.rematerialisation_allowed = bytes.ConsumeBool();
  for (auto homes = bytes.ConsumeIntegralInRange<int>(0, 3); homes > 0; --homes)
    problem.tensors.push_back(take_home(bytes));
  for (auto operations = bytes.ConsumeIntegralInRange<int>(1, 8); operations > 0; --operations)
    take_operation(bytes, problem);
  return problem;
}

Action take_action(FuzzedDataProvider& bytes, const Problem& problem) {
  const auto kind = bytes.ConsumeIntegralInRange<int>(0, 3);
  if (kind == 0)
    return Compute{OperationId{bytes.ConsumeIntegralInRange<std::int32_t>(
        -1, static_cast<std::int32_t>(problem.operations.size()))}};
  const TensorId tensor{bytes.ConsumeIntegralInRange<std::int32_t>(
      -1, static_cast<std::int32_t>(problem.tensors.size()))};
  if (kind == 1) return PageOut{tensor};
  if (kind == 2) return PageIn{tensor};
  return Drop{tensor};
}

// The plain schedule with some actions put in and taken out, or any actions at all.
Schedule take_schedule(FuzzedDataProvider& bytes, const Problem& problem) {
  Schedule schedule;
  if (bytes.ConsumeBool()) schedule = plain_schedule(problem);
  for (std::size_t i = 0; i < problem.tensors.size(); ++i)
    if (bytes.ConsumeIntegralInRange<int>(0, 15) == 1)
      schedule.resident.push_back(TensorId{static_cast<std::int32_t>(i)});
  while (bytes.remaining_bytes() > 0) {
    const auto place = static_cast<std::ptrdiff_t>(
        bytes.ConsumeIntegralInRange<std::size_t>(0, schedule.actions.size()));
    const auto at_place = schedule.actions.begin() + place;
    if (at_place != schedule.actions.end() && bytes.ConsumeIntegralInRange<int>(0, 3) == 0) {
      schedule.actions.erase(at_place);
    } else {
      schedule.actions.insert(at_place, take_action(bytes, problem));
    }
  }
  return schedule;
}

bool near(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

void check_figures(const Problem& problem, const Schedule& schedule, const Replay& replayed) {
  POET_CHECK(replayed.moments.size() == schedule.actions.size());
  POET_CHECK(near(replayed.energy_j,
                  replayed.compute_j + replayed.page_in_j + replayed.page_out_j + replayed.idle_j));
  POET_CHECK(replayed.time_s >= 0 && replayed.compute_s >= 0 &&
             replayed.stall_s >= -1e-9 * replayed.time_s);
  for (const Moment& moment : replayed.moments) {
    POET_CHECK(moment.begin_s <= moment.end_s);
    POET_CHECK(moment.ram_bytes <= replayed.peak_ram_bytes);
  }
  for (const Finding& finding : replayed.findings) POET_CHECK(!finding.message.empty());
  if (!replayed.valid()) return;
  POET_CHECK(replayed.peak_ram_bytes <= problem.ram_budget_bytes);
  POET_CHECK(largest_working_set(problem).bytes <= problem.ram_budget_bytes);
  released_matrices(problem, schedule, replayed, LossEdge::Once);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  Problem problem = take_problem(bytes);
  if (check_problem(problem)) return 0;
  const Schedule schedule = take_schedule(bytes, problem);
  buffers_of(problem, schedule);
  for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking, TimeMode::Overlapped}) {
    problem.time_mode = mode;
    check_figures(problem, schedule, replay(problem, schedule));
  }
  return 0;
}
