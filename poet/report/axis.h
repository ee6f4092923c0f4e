#pragma once

#include <string>
#include <vector>

namespace poet {

enum class Quantity { Bytes, Joules, Seconds, Count };

struct Tick {
  double value = 0;
  std::string label;

  bool operator==(const Tick&) const = default;
};

// An axis from 0 to `top`, with ticks at round numbers of one unit. Ticks never exceed `top`.
struct Axis {
  double top = 1;
  std::vector<Tick> ticks;
};

// The axis for values up to `largest`, with about `wanted` ticks (at least 2, at most twice as
// many). A `largest` that is not a positive number gets an axis up to one unit.
Axis axis_up_to(double largest, Quantity quantity, int wanted);

}  // namespace poet
