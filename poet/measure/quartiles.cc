#include "poet/measure/quartiles.h"

#include <algorithm>
#include <cstddef>

#include "poet/base/check.h"

namespace poet {
namespace {

double at_part(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Quartiles quartiles_of(std::vector<double> numbers) {
  POET_CHECK(!numbers.empty());
  std::sort(numbers.begin(), numbers.end());
  return {at_part(numbers, 0.25), at_part(numbers, 0.5), at_part(numbers, 0.75)};
}

}  // namespace poet
