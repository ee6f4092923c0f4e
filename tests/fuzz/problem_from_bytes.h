#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "poet/problem/facts.h"
#include "poet/problem/problem.h"

namespace poet::fuzz {

// The largest sizes and costs that may come, beside small ones.
struct Scale {
  std::int64_t most_bytes = std::int64_t{1} << 62;
  double most_cost = 1e200;
};

// Makes a problem from bytes; most of them are well-formed.
class ProblemFromBytes {
 public:
  ProblemFromBytes(FuzzedDataProvider& bytes, Scale scale) : bytes_(bytes), scale_(scale) {}

  Problem take_problem() {
    Problem problem;
    problem.ram_budget_bytes = bytes_.ConsumeBool() ? scale_.most_bytes : take_size();
    if (bytes_.ConsumeBool()) problem.deadline_s = take_cost();
    if (bytes_.ConsumeBool()) problem.storage_capacity_bytes = take_size();
    if (bytes_.ConsumeBool()) problem.write_budget_bytes = take_size();
    problem.idle_w = take_cost();
    problem.paging_allowed = bytes_.ConsumeBool();
    problem.rematerialisation_allowed = bytes_.ConsumeBool();
    for (auto homes = bytes_.ConsumeIntegralInRange<int>(0, 3); homes > 0; --homes)
      problem.tensors.push_back(take_home());
    for (auto operations = bytes_.ConsumeIntegralInRange<int>(1, 8); operations > 0; --operations)
      take_operation(problem);
    return problem;
  }

 private:
  // Small sizes mostly: they share a budget in interesting ways. Sometimes the largest there are.
  std::int64_t take_size() {
    const auto small = bytes_.ConsumeIntegralInRange<std::int64_t>(0, 15);
    return small < 15 ? small : bytes_.ConsumeIntegralInRange<std::int64_t>(0, scale_.most_bytes);
  }

  double take_cost() {
    const auto small = bytes_.ConsumeIntegralInRange<int>(0, 15);
    return small < 15 ? small : bytes_.ConsumeFloatingPointInRange<double>(0, scale_.most_cost);
  }

  TensorId take_tensor(std::size_t count) {
    return TensorId{
        bytes_.ConsumeIntegralInRange<std::int32_t>(0, static_cast<std::int32_t>(count))};
  }

  Tensor take_home() {
    Tensor tensor{.size_bytes = take_size()};
    tensor.home = bytes_.PickValueInArray({Home::Storage, Home::Rom, Home::Resident});
    tensor.may_be_resident = tensor.home == Home::Storage && bytes_.ConsumeBool();
    tensor.page_in_j = take_cost();
    tensor.page_in_s = take_cost();
    return tensor;
  }

  // An operation and its outputs, which are the next tensors.
  void take_operation(Problem& problem) {
    const std::size_t before = problem.tensors.size();
    Operation operation;
    operation.workspace_bytes = take_size();
    operation.compute_j = take_cost();
    operation.compute_s = take_cost();
    operation.once = bytes_.ConsumeBool();
    if (operation.once && bytes_.ConsumeBool()) operation.written_bytes = take_size();
    for (auto inputs = bytes_.ConsumeIntegralInRange<int>(0, 3); inputs > 0 && before > 0;
         --inputs) {
      const TensorId input = take_tensor(before - 1);
      if (std::count(operation.inputs.begin(), operation.inputs.end(), input) == 0)
        operation.inputs.push_back(input);
    }
    for (auto outputs = bytes_.ConsumeIntegralInRange<int>(1, 2); outputs > 0; --outputs) {
      operation.outputs.push_back(TensorId{static_cast<std::int32_t>(problem.tensors.size())});
      Tensor tensor{.size_bytes = take_size()};
      tensor.page_in_j = tensor.page_out_j = take_cost();
      tensor.page_in_s = tensor.page_out_s = take_cost();
      problem.tensors.push_back(tensor);
    }
    Tensor& output = problem.tensors[before];
    switch (bytes_.ConsumeIntegralInRange<int>(0, 7)) {
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
        output.home = at(problem.tensors, operation.inputs[0]).home == Home::Resident
                          ? Home::Resident
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

  FuzzedDataProvider& bytes_;
  Scale scale_;
};

}  // namespace poet::fuzz
