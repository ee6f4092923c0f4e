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

// An axis that need not begin at 0: from the round number at or below `least` to that at or above
// `largest`, with a tick at both and about `wanted` in all. Where the two are equal, or not finite,
// there is one step.
struct RangeAxis {
  double bottom = 0;
  double top = 1;
  std::vector<Tick> ticks;
};
RangeAxis axis_around(double least, double largest, Quantity quantity, int wanted);

// The smallest of 1, 2, 5, 10, 20, ... times a power of ten that is not less than `least`, which is
// positive.
double round_step(double least);

}  // namespace poet
