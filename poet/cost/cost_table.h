#pragma once

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

// What everything in a graph costs on a device: one row per operation and per tensor, in the
// graph's order.
struct CostTable {
  std::vector<OperationCost> operations;
  std::vector<TensorCost> tensors;

  bool operator==(const CostTable&) const = default;
};

}  // namespace poet
