#include "poet/report/axis.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "poet/report/figure_text.h"

namespace poet {
namespace {

struct AxisUnit {
  double factor;
  const char* name;  // with the space before it
};

constexpr double kKibi = 1024;
constexpr AxisUnit kByteUnits[] = {{1, " B"},
                                   {kKibi, " KiB"},
                                   {kKibi * kKibi, " MiB"},
                                   {kKibi * kKibi * kKibi, " GiB"},
                                   {kKibi * kKibi * kKibi * kKibi, " TiB"}};
constexpr AxisUnit kJouleUnits[] = {{1e-9, " nJ"}, {1e-6, " µJ"}, {1e-3, " mJ"},
                                    {1, " J"},     {1e3, " kJ"},  {1e6, " MJ"}};
constexpr AxisUnit kSecondUnits[] = {{1e-9, " ns"}, {1e-6, " µs"}, {1e-3, " ms"},
                                     {1, " s"},     {60, " min"},  {3600, " h"}};
constexpr AxisUnit kCountUnits[] = {{1, ""}};

std::span<const AxisUnit> units_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::Bytes:
      return kByteUnits;
    case Quantity::Joules:
      return kJouleUnits;
    case Quantity::Seconds:
      return kSecondUnits;
    case Quantity::Count:
      return kCountUnits;
  }
  return kCountUnits;
}

// A unit once there are at least two of it: ticks of one unit only would be fractions.
AxisUnit unit_for(double largest, Quantity quantity) {
  const std::span<const AxisUnit> units = units_of(quantity);
  AxisUnit best = units.front();
  for (const AxisUnit& unit : units)
    if (largest >= 1.5 * unit.factor) best = unit;
  return best;
}

int decimals_of(double step) {
  return std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
}

bool comes_whole(Quantity quantity, const AxisUnit& unit) {
  return quantity == Quantity::Count || (quantity == Quantity::Bytes && unit.factor == 1);
}

}  // namespace

double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= least * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

Axis axis_up_to(double largest, Quantity quantity, int wanted) {
  if (!(largest > 0) || !std::isfinite(largest)) largest = units_of(quantity).front().factor;
  const AxisUnit unit = unit_for(largest, quantity);
  const double in_units = largest / unit.factor;
  double step = round_step(in_units / std::max(1, wanted));
  if (comes_whole(quantity, unit)) step = std::max(step, 1.0);

  Axis axis;
  axis.top = largest;
  const int decimals = decimals_of(step);
  for (int i = 0; i * step <= in_units * (1 + 1e-9); ++i)
    axis.ticks.push_back(Tick{std::min(i * step * unit.factor, largest),
                              i == 0 ? "0" : short_number(i * step, decimals) + unit.name});
  return axis;
}

RangeAxis axis_around(double least, double largest, Quantity quantity, int wanted) {
  if (!std::isfinite(least) || !std::isfinite(largest)) least = largest = 0;
  if (largest < least) std::swap(least, largest);
  const AxisUnit unit = unit_for(std::max(std::abs(least), std::abs(largest)), quantity);
  const double first = least / unit.factor;
  const double last = largest / unit.factor;
  // What differs by less than rounding is one number.
  const double span = std::max(last - first, 1e-6 * std::abs(last));
  double step = span > 0 ? round_step(span / std::max(1, wanted)) : 1;
  if (comes_whole(quantity, unit)) step = std::max(step, 1.0);

  const double begin = std::floor(first / step + 1e-6);
  const double end = std::max(std::ceil(last / step - 1e-6), begin + 1);
  RangeAxis axis{begin * step * unit.factor, end * step * unit.factor, {}};
  for (double i = begin; i <= end; ++i)
    axis.ticks.push_back(
        Tick{i * step * unit.factor,
             i == 0 ? "0" : short_number(i * step, decimals_of(step)) + unit.name});
  return axis;
}

}  // namespace poet
