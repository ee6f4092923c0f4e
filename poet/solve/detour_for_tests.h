#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/solve/event_choice.h"

namespace poet {

// A chain a -> b -> c, and d that reads a and c. Sizes 6 4 5 1; at 12 bytes a cannot stay while c
// is made from b (6 + 4 + 5) and must come back for d (6 + 5 + 1).
inline Problem detour() {
  Problem problem;
  const std::vector<std::int64_t> sizes = {6, 4, 5, 1};
  const std::vector<double> costs = {3, 1, 1, 1};
  for (std::int32_t i = 0; i < 4; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    problem.tensors.push_back(
        {.name = name, .size_bytes = sizes[i], .page_in_j = 1, .page_out_j = 1.5});
    problem.operations.push_back({.name = "make " + name,
                                  .outputs = {TensorId{i}},
                                  .compute_j = costs[i],
                                  .compute_s = costs[i]});
  }
  problem.operations[1].inputs = {TensorId{0}};
  problem.operations[2].inputs = {TensorId{1}};
  problem.operations[3].inputs = {TensorId{0}, TensorId{2}};
  problem.ram_budget_bytes = 12;
  problem.time_mode = TimeMode::Free;
  return problem;
}

// The same, where a is made from one byte at home in storage.
inline Problem detour_from_storage() {
  Problem problem = detour();
  problem.tensors.push_back({.name = "s", .size_bytes = 1, .home = Home::Storage});
  problem.operations[0].inputs = {TensorId{4}};
  return problem;
}

// a is written when it is made and read back for d: 2.5 beyond one execution of each.
inline EventChoice paged() {
  return {.executions = {{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 3}, {0}}},
          .stored = {true, false, false, false},
          .resident = std::vector<bool>(4)};
}

// a is made again for d: 3 beyond one execution of each.
inline EventChoice repeated() {
  return {.executions = {{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 0}}, {{3, 3}}},
          .stored = std::vector<bool>(4),
          .resident = std::vector<bool>(4)};
}

// a stays: 15 bytes while c is made.
inline EventChoice kept() {
  return {.executions = {{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 3}}},
          .stored = std::vector<bool>(4),
          .resident = std::vector<bool>(4)};
}

// A chain a -> b, c from nothing but 2 bytes of workspace, and d that reads b and c. Sizes
// 4 4 3 1; at 8 bytes b cannot stay while c is made (4 + 3 + 2). Made again it needs a, made again
// too; and c cannot stay beside them (4 + 4 + 3), nor be made after them.
inline Problem deep_detour() {
  Problem problem = detour();
  const std::vector<std::int64_t> sizes = {4, 4, 3, 1};
  for (std::size_t i = 0; i < sizes.size(); ++i) problem.tensors[i].size_bytes = sizes[i];
  problem.operations[2].inputs = {};
  problem.operations[2].workspace_bytes = 2;
  problem.operations[3].inputs = {TensorId{1}, TensorId{2}};
  problem.ram_budget_bytes = 8;
  return problem;
}

}  // namespace poet
