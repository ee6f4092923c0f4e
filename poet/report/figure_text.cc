#include "poet/report/figure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "poet/base/message_text.h"

namespace poet {
namespace {

struct Unit {
  double factor;
  const char* name;
};

constexpr Unit kSizes[] = {{1, "B"},
                           {1024, "KiB"},
                           {1024.0 * 1024, "MiB"},
                           {1024.0 * 1024 * 1024, "GiB"},
                           {1024.0 * 1024 * 1024 * 1024, "TiB"}};
constexpr Unit kEnergies[] = {{1e-9, "nJ"}, {1e-6, "µJ"}, {1e-3, "mJ"},
                              {1, "J"},     {1e3, "kJ"},  {1e6, "MJ"}};
constexpr Unit kTimes[] = {{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}};

// Four significant digits, as far as decimals go.
int decimals_for(double magnitude) {
  if (magnitude >= 999.95) return 0;
  if (magnitude >= 99.995) return 1;
  if (magnitude >= 9.9995) return 2;
  return 3;
}

// The largest unit in which the rounded number is at least 1.
std::string scaled(double value, std::span<const Unit> units, int most_decimals, const char* zero) {
  if (value == 0) return zero;
  if (!std::isfinite(value)) return "unlimited";
  const double magnitude = std::abs(value);
  const Unit* best = &units.front();
  for (const Unit& unit : units)
    if (magnitude >= unit.factor * 0.99995) best = &unit;
  const double number = value / best->factor;
  return short_number(number, std::min(most_decimals, decimals_for(std::abs(number)))) + " " +
         best->name;
}

}  // namespace

std::string short_number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string size_figure(std::int64_t bytes) {
  if (std::abs(bytes) < 1024) return fmt::format("{} B", bytes);
  return scaled(static_cast<double>(bytes), kSizes, 2, "0 B");
}

std::string energy_figure(double joules) {
  return scaled(joules, kEnergies, 3, "0 J");
}

std::string time_figure(double seconds) {
  if (!std::isfinite(seconds) || seconds < 100) return scaled(seconds, kTimes, 3, "0 s");
  if (seconds >= 1e9) return fmt::format("{:.4g} s", seconds);
  const std::int64_t whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string percent_figure(double ratio) {
  const double percent = ratio * 100;
  if (!std::isfinite(percent)) return "unknown";
  // Sums of doubles differ by so much where nothing does.
  constexpr double kRoundingRatio = 1e-12;
  if (std::abs(ratio) <= kRoundingRatio) return "0 %";
  if (std::abs(percent) < 0.005) return "under 0.01 %";
  const int decimals = std::abs(percent) < 1 ? 2 : std::abs(percent) < 100 ? 1 : 0;
  // What is not all of it never reads 100 %.
  if (percent < 100 && percent >= 99.95)
    return percent < 99.995 ? short_number(percent, 2) + " %" : "over 99.99 %";
  return short_number(percent, decimals) + " %";
}

std::string loss_figure(double loss) {
  return std::abs(loss) < 1e6 ? fmt::format("{:.4f}", loss) : fmt::format("{:.3g}", loss);
}

std::string count_figure(std::int64_t count) {
  return grouped_digits(count);
}

}  // namespace poet
