#pragma once

#include <cstdint>

#include "poet/autodiff/step_memory.h"

namespace poet {

// Bytes that a step moves between RAM and storage in `ram_bytes`, when its operations run once each
// in this order and, where there is no room, what is needed last leaves first (Belady's rule); new
// values that go home at the end are left out, as every order has them. What does not fit even so
// is in RAM all the same: an estimate, by which orders are compared, and no schedule.
std::int64_t paged_bytes(const StepMemory& memory, const Order& order, std::int64_t ram_bytes);

}  // namespace poet
