#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace poet {

// One execution of an operation.
struct OperationCost {
  double compute_j = 0;
  double compute_s = 0;

  bool operator==(const OperationCost&) const = default;
};

// One transfer of a whole tensor between storage and RAM.
struct TensorCost {
  double page_in_j = 0;
  double page_in_s = 0;
  double page_out_j = 0;
  double page_out_s = 0;

  bool operator==(const TensorCost&) const = default;
};

// Where the costs of operations come from. Views, which cost nothing, are counted as neither.
struct CostSource {
  std::string kernels = {};            // those that were measured: "reference"; empty: none were
  std::string measured = {};           // in words: on what, when, how often
  std::int64_t from_measurements = 0;  // operations
  std::int64_t from_formulas = 0;

  bool operator==(const CostSource&) const = default;
};

// "formulas"; "measured with reference kernels"; "measured with reference kernels, 3 of 52
// operations by formula".
std::string to_text(const CostSource& source);

// What everything in a graph costs on a device: one row per operation and per tensor, in the
// graph's order.
struct CostTable {
  std::vector<OperationCost> operations = {};
  std::vector<TensorCost> tensors = {};
  CostSource source = {};

  bool operator==(const CostTable&) const = default;
};

}  // namespace poet
