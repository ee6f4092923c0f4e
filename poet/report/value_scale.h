#pragma once

#include <span>
#include <string>
#include <vector>

#include "poet/report/axis.h"

namespace poet {

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
