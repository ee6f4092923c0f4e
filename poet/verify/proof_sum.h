#pragma once

#include <cmath>

namespace poet {

// What arithmetic in doubles may lose, as a part of every term that goes into a bound: a sum of
// some thousand terms loses less.
inline constexpr double kProofRounding = 1e-12;

// Larger multipliers are refused, so that no product of what a bound is made of overflows: where
// infinities meet, comparisons no longer mean what they say.
inline constexpr double kLargestMultiplier = 1e100;
inline constexpr double kLargestCoefficient = 1e150;  // of a cut

inline bool is_multiplier(double value) {
  return value >= 0 && value <= kLargestMultiplier;
}

// A sum that only ever comes out too small: each term is lowered by its share of rounding.
class ProofSum {
 public:
  void add(double term) {
    sum_ += term;
    magnitude_ += std::abs(term);
  }
  double value() const { return sum_ - kProofRounding * magnitude_; }

 private:
  double sum_ = 0;
  double magnitude_ = 0;
};

}  // namespace poet
