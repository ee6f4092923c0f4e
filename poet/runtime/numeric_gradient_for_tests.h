#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace poet {

using Doubles = std::vector<double>;

inline Doubles as_doubles(const std::vector<float>& values) {
  return Doubles(values.begin(), values.end());
}

inline std::vector<float> as_floats(const Doubles& values) {
  std::vector<float> floats;
  for (const double value : values) floats.push_back(static_cast<float>(value));
  return floats;
}

inline double inner_product(const Doubles& x, const std::vector<float>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * static_cast<double>(y[i]);
  return sum;
}

// The gradient at x of <f(x), dy>, by central differences.
inline std::vector<float> numeric_gradient(const std::function<Doubles(const Doubles&)>& f,
                                           const std::vector<float>& x,
                                           const std::vector<float>& dy) {
  const double step = 1e-4;
  Doubles place = as_doubles(x);
  std::vector<float> gradient;
  for (double& value : place) {
    const double centre = value;
    value = centre + step;
    const double above = inner_product(f(place), dy);
    value = centre - step;
    const double below = inner_product(f(place), dy);
    value = centre;
    gradient.push_back(static_cast<float>((above - below) / (2 * step)));
  }
  return gradient;
}

}  // namespace poet
