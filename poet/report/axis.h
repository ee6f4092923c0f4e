#pragma once

#include <span>
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

struct ScaleTick {
  double place = 0;         // from 0, the lower end of the axis, to 1
  std::string label;        // "10 %", or "50 s"
  std::string figure = {};  // of an overhead: what it amounts to, "600.2 mJ"
  bool minor = false;       // can be left out
};

// The vertical axis of values in joules or seconds. Overheads are told as a part of what no
// schedule can save; where they differ by orders of magnitude the scale is logarithmic above
// `knee_ratio`, and goes on to 0 below it.
struct ValueScale {
  enum class Kind { Plain, Overhead, LogOverhead };
  Kind kind = Kind::Plain;
  double bottom = 0, top = 1;  // of a plain scale values, otherwise ratios
  double knee_ratio = 0;
  double unavoidable = 0;
  std::vector<ScaleTick> ticks = {};

  // From 0 to 1; what lies beyond an end is put there.
  double place(double value) const;
};

// From a round number not above the least, or from 0 where the least is much less than the largest.
ValueScale plain_scale(std::span<const double> values, Quantity quantity);

// `bounds` lie on the scale too, but do not stretch it. `unavoidable` is positive.
ValueScale overhead_scale(std::span<const double> values, std::span<const double> bounds,
                          double unavoidable, Quantity quantity);

}  // namespace poet
