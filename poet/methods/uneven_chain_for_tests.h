#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/problem/problem.h"

namespace poet {

// One layer of a small network with saved activations.
struct UnevenLayer {
  double forward_s = 1;  // also J
  double backward_s = 1;
  std::int64_t state_bytes = 1;     // of its input
  std::int64_t saved_bytes = 1;     // what only its adjoint reads
  std::int64_t gradient_bytes = 0;  // of its input's gradient
  double transfer_s = 1;            // of its input, or of what it saves, in one direction
};

// Layer i reads x_i, saves s_i and makes x_{i+1}; the last makes the loss. Its adjoint reads
// x_i, s_i and g_{i+1}, and makes g_i. Operation 0 makes x_0 at no cost and may run only once.
inline Problem uneven_chain(const std::vector<UnevenLayer>& layers, std::int64_t ram_budget_bytes) {
  Problem problem;
  problem.ram_budget_bytes = ram_budget_bytes;
  problem.time_mode = TimeMode::Overlapped;
  problem.objective = Objective::Time;
  const auto count = static_cast<std::int32_t>(layers.size());
  const auto add = [&](const std::string& name, std::int64_t size_bytes, double transfer_s) {
    Tensor tensor;
    tensor.name = name;
    tensor.size_bytes = size_bytes;
    tensor.page_in_s = tensor.page_out_s = transfer_s;
    problem.tensors.push_back(tensor);
  };
  const auto x = [](std::int32_t i) { return TensorId{i}; };
  const auto s = [count](std::int32_t i) { return TensorId{count + 1 + i}; };
  const auto g = [count](std::int32_t i) { return TensorId{2 * count + 1 + i}; };
  for (std::int32_t i = 0; i < count; ++i)
    add("x" + std::to_string(i), layers[i].state_bytes, layers[i].transfer_s);
  add("loss", 0, 0);
  for (std::int32_t i = 0; i < count; ++i)
    add("s" + std::to_string(i), layers[i].saved_bytes,
        layers[i].saved_bytes > 0 ? layers[i].transfer_s : 0);
  for (std::int32_t i = 0; i < count; ++i)
    add("g" + std::to_string(i), layers[i].gradient_bytes, layers[i].transfer_s);

  const auto run = [&](const std::string& name, std::vector<TensorId> inputs,
                       std::vector<TensorId> outputs, double cost) -> Operation& {
    Operation operation;
    operation.name = name;
    operation.inputs = std::move(inputs);
    operation.outputs = std::move(outputs);
    operation.compute_j = operation.compute_s = cost;
    problem.operations.push_back(operation);
    return problem.operations.back();
  };
  run("input", {}, {x(0)}, 0).once = true;
  for (std::int32_t i = 0; i < count; ++i)
    run("F" + std::to_string(i), {x(i)}, {s(i), x(i + 1)}, layers[i].forward_s);
  for (std::int32_t i = count - 1; i >= 0; --i)
    run("B" + std::to_string(i), {x(i), s(i), i + 1 == count ? x(count) : g(i + 1)}, {g(i)},
        layers[i].backward_s)
        .backward = true;
  return problem;
}

}  // namespace poet
