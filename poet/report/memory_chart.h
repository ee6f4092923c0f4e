#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "poet/report/chart.h"

namespace poet {

// What RAM holds, from the bottom of the chart to its top.
enum class MemoryKind { Parameters, Activations, Gradients, Workspace };
constexpr std::size_t kMemoryKinds = 4;

// RAM in use while one operation runs.
struct MemoryMoment {
  std::string operation = {};
  bool backward = false;
  std::array<std::int64_t, kMemoryKinds> bytes = {};  // by MemoryKind

  std::int64_t total_bytes() const { return bytes[0] + bytes[1] + bytes[2] + bytes[3]; }
  bool operator==(const MemoryMoment&) const = default;
};

// RAM over the operations of a step, stacked by what it is for, with the backward pass shaded and
// the highest moment named. There must be at least one moment.
Chart memory_chart(const std::vector<MemoryMoment>& moments, ChartWidth width);

}  // namespace poet
