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

// Overheads that differ by more than this cannot be read from one linear scale.
constexpr double kMostLinear = 20;
// Less is as good as nothing: 0.01 %.
constexpr double kLeastKnee = 1e-4;
// The part of a logarithmic axis that is given to what is below the knee.
constexpr double kBelowKnee = 0.13;
constexpr int kWantedTicks = 5;

std::string figure_of(double value, Quantity quantity) {
  return quantity == Quantity::Joules ? energy_figure(value) : time_figure(value);
}

ScaleTick overhead_tick(const ValueScale& scale, double ratio, Quantity quantity) {
  const double value = scale.unavoidable * (1 + ratio);
  return {scale.place(value), percent_figure(ratio), figure_of(value, quantity)};
}

// 1, 2, 5, 10, 20, ... times a power of ten: the largest such number that is not above `most`.
double round_down(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most) + 1e-9));
  for (const double digit : {5.0, 2.0})
    if (digit * power <= most * (1 + 1e-9)) return digit * power;
  return power;
}

bool is_power_of_ten(double value) {
  const double power = std::log10(value);
  return std::abs(power - std::round(power)) < 1e-6;
}

// Round ratios above the knee: 1, 2, 5, 10, ... or, where those are too many, 1, 10, 100, ...
std::vector<double> log_ticks(double knee, double top) {
  constexpr double kMostDenseDecades = 4.2;
  const bool dense = std::log10(top / knee) < kMostDenseDecades;
  std::vector<double> ticks;
  double power = std::pow(10.0, std::floor(std::log10(knee) + 1e-9));
  for (; power <= top; power *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (const double tick = digit * power; tick > knee * 1.5 && tick <= top * (1 + 1e-9))
        if (dense || is_power_of_ten(tick)) ticks.push_back(tick);
  return ticks;
}

ValueScale linear_overhead(ValueScale scale, double most, Quantity quantity) {
  scale.kind = ValueScale::Kind::Overhead;
  const double step = most > 0 ? round_step(most / kWantedTicks) : 0.01;
  const double steps = std::max(1.0, std::ceil(most / step - 1e-9));
  scale.top = steps * step;
  for (double i = 0; i <= steps; ++i)
    scale.ticks.push_back(overhead_tick(scale, i * step, quantity));
  return scale;
}

ValueScale log_overhead(ValueScale scale, double least, double most, Quantity quantity) {
  scale.kind = ValueScale::Kind::LogOverhead;
  scale.knee_ratio = std::max(kLeastKnee, round_down(least));
  scale.top = most * 1.15;
  scale.ticks = {overhead_tick(scale, 0, quantity),
                 overhead_tick(scale, scale.knee_ratio, quantity)};
  for (const double ratio : log_ticks(scale.knee_ratio, scale.top)) {
    scale.ticks.push_back(overhead_tick(scale, ratio, quantity));
    scale.ticks.back().minor = !is_power_of_ten(ratio);
  }
  // Small overheads may not show in four digits of the whole.
  for (std::size_t i = scale.ticks.size() - 1; i > 0; --i)
    if (scale.ticks[i].figure == scale.ticks[i - 1].figure) scale.ticks[i].figure = "";
  return scale;
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

double ValueScale::place(double value) const {
  if (kind == Kind::Plain) return std::clamp((value - bottom) / (top - bottom), 0.0, 1.0);
  const double ratio = std::clamp((value - unavoidable) / unavoidable, 0.0, top);
  if (kind == Kind::Overhead) return ratio / top;
  if (ratio <= knee_ratio) return kBelowKnee * ratio / knee_ratio;
  return kBelowKnee + (1 - kBelowKnee) * std::log(ratio / knee_ratio) / std::log(top / knee_ratio);
}

ValueScale plain_scale(std::span<const double> values, Quantity quantity) {
  ValueScale scale;
  if (values.empty()) return scale;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const bool from_zero = *least < 0.35 * *most;
  const RangeAxis axis = axis_around(from_zero ? 0 : *least, *most, quantity, kWantedTicks);
  scale.bottom = axis.bottom;
  scale.top = axis.top;
  for (const Tick& tick : axis.ticks)
    scale.ticks.push_back({scale.place(tick.value), tick.label, ""});
  return scale;
}

ValueScale overhead_scale(std::span<const double> values, std::span<const double> bounds,
                          double unavoidable, Quantity quantity) {
  ValueScale scale;
  scale.unavoidable = unavoidable;
  double most = 0;
  double least = 0;  // of those that are more than nothing
  const auto count = [&](double value, double least_counted) {
    const double ratio = value / unavoidable - 1;
    most = std::max(most, ratio);
    if (ratio >= least_counted) least = least > 0 ? std::min(least, ratio) : ratio;
  };
  for (const double value : values) count(value, kLeastKnee);
  // A bound far below every schedule may be cut; how far it is below says the table.
  const double least_bound = least > 0 ? least / 5 : kLeastKnee;
  for (const double bound : bounds) count(bound, std::max(kLeastKnee, least_bound));
  if (least > 0 && most > kMostLinear * least) return log_overhead(scale, least, most, quantity);
  return linear_overhead(scale, most, quantity);
}

}  // namespace poet
