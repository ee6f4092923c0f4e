#pragma once

#include <vector>

namespace poet {

// Where a quarter, half and three quarters of the numbers lie below; between two numbers in
// proportion.
struct Quartiles {
  double first = 0;
  double median = 0;
  double third = 0;

  double spread() const { return third - first; }
  bool operator==(const Quartiles&) const = default;
};

// Of at least one number.
Quartiles quartiles_of(std::vector<double> numbers);

}  // namespace poet
