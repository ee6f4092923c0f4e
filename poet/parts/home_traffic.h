#pragma once

#include <cstdint>

#include "poet/autodiff/training_graph.h"

namespace poet {

// What tensors at home in storage oblige every schedule of a step to move, however its operations
// are cut along the axes that the operator table declares: docs/model/traffic.md §1.
struct HomeTraffic {
  std::int64_t read_bytes = 0;        // of all that is read
  std::int64_t read_again_bytes = 0;  // of that: needed on both sides of one moment
  std::int64_t written_bytes = 0;     // new values
  std::int64_t may_stay_bytes = 0;    // that a schedule may keep in RAM for good

  bool operator==(const HomeTraffic&) const = default;
};

// Of a whole step, with updates apart from gradients. Rows that are looked up in storage, and what
// is read through a slice, are left out.
HomeTraffic home_traffic(const TrainingGraph& whole);

// No schedule in so much RAM reads, or writes, fewer bytes than these: §1.3.
std::int64_t least_read_bytes(const HomeTraffic& traffic, std::int64_t ram_budget_bytes);
std::int64_t least_written_bytes(const HomeTraffic& traffic, std::int64_t ram_budget_bytes);

}  // namespace poet
