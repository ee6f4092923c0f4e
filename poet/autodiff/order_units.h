#pragma once

#include <cstdint>
#include <vector>

#include "poet/autodiff/step_memory.h"

namespace poet {

// A step in units: the operations that follow each other directly are one, all others are one each.
// A search over the orders of units finds the orders of operations that leave those together.
struct OrderUnits {
  std::vector<std::vector<std::int32_t>> members = {};  // operations, in their order
  // With units in the place of operations: what each reads that it does not make, and all that it
  // makes. Workspaces and handovers, which are within operations, are left out.
  StepMemory memory = {};
};
OrderUnits order_units(const StepMemory& memory);

// The order of operations that an order of units is.
Order operations_of(const OrderUnits& units, const Order& order);

// RAM in use during each unit of an order, by position: the most during one of its operations.
std::vector<std::int64_t> bytes_in_use(const OrderUnits& units, const StepMemory& memory,
                                       const Order& order);

}  // namespace poet
