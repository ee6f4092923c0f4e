#pragma once

#include <cstdint>
#include <string>

#include "poet/problem/problem.h"

namespace poet {

// A chain of equal steps as publications on adjoints assume it, written as a problem.
struct UniformChain {
  std::int32_t steps = 1;        // adjoints B_0 .. B_{l-1}; forward steps F_0 .. F_{l-2}
  std::int32_t checkpoints = 1;  // states in RAM beside the one that is worked on
  double forward_cost = 1;       // J and s
  double adjoint_cost = 1;
  double write_cost = 0;
  double read_cost = 0;
  bool paging = false;
};

// State x_0 is given: made by an operation that costs nothing and may run only once. F_i makes
// x_{i+1} from x_i, in the same place where x_i is needed no more. B_i reads x_i and the gradient
// g_{i+1}, and includes its own forward step, so that F_{l-1} is nowhere but in B_{l-1}; an
// operation without costs makes g_l. States have size 1, gradients size 0; c + 1 states fit.
inline Problem uniform_chain(const UniformChain& chain) {
  Problem problem;
  problem.name = "uniform chain";
  problem.ram_budget_bytes = chain.checkpoints + 1;
  problem.paging_allowed = chain.paging;
  const std::int32_t l = chain.steps;
  const auto add = [&](const std::string& name, std::int64_t size_bytes, double write,
                       double read) {
    Tensor tensor;
    tensor.name = name;
    tensor.size_bytes = size_bytes;
    tensor.page_out_j = tensor.page_out_s = write;
    tensor.page_in_j = tensor.page_in_s = read;
    problem.tensors.push_back(tensor);
  };
  const auto x = [](std::int32_t i) { return TensorId{i}; };
  const auto g = [l](std::int32_t i) { return TensorId{l + i}; };
  for (std::int32_t i = 0; i < l; ++i)
    add("x" + std::to_string(i), 1, chain.write_cost, chain.read_cost);
  for (std::int32_t i = 0; i <= l; ++i) add("g" + std::to_string(i), 0, 0, 0);

  const auto run = [&](const std::string& name, std::vector<TensorId> inputs, TensorId output,
                       double cost) -> Operation& {
    Operation operation;
    operation.name = name;
    operation.inputs = std::move(inputs);
    operation.outputs = {output};
    operation.compute_j = operation.compute_s = cost;
    problem.operations.push_back(operation);
    return problem.operations.back();
  };
  run("input", {}, x(0), 0).once = true;
  for (std::int32_t i = 0; i + 1 < l; ++i)
    run("F" + std::to_string(i), {x(i)}, x(i + 1), chain.forward_cost).in_place =
        InPlace{x(i), x(i + 1)};
  run("loss", {x(l - 1)}, g(l), 0);
  for (std::int32_t i = l - 1; i >= 0; --i)
    run("B" + std::to_string(i), {x(i), g(i + 1)}, g(i), chain.adjoint_cost).backward = true;
  return problem;
}

}  // namespace poet
