#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "poet/solve/linear_model.h"

namespace poet::testing {

// The least objective of a model whose columns are all integers with small bounds, by trying every
// assignment; nothing when there is none. Deliberately naive.
inline std::optional<double> least_objective_by_trying(const LinearModel& model) {
  std::optional<double> least;
  std::vector<double> values;
  for (const LinearColumn& column : model.columns) values.push_back(column.lower);
  while (true) {
    bool feasible = true;
    for (const LinearRow& row : model.rows) {
      double activity = 0;
      for (const LinearTerm& term : row.terms) activity += term.coefficient * values[term.column];
      if (activity < row.lower - 1e-9 || activity > row.upper + 1e-9) feasible = false;
    }
    double objective = 0;
    for (std::size_t j = 0; j < values.size(); ++j) objective += model.columns[j].cost * values[j];
    if (feasible && (!least || objective < *least)) least = objective;

    std::size_t next = 0;
    while (next < values.size() && values[next] == model.columns[next].upper) {
      values[next] = model.columns[next].lower;
      ++next;
    }
    if (next == values.size()) return least;
    values[next] += 1;
  }
}

// An integer program of up to 8 columns and 6 rows, about one in four without a solution.
inline LinearModel random_integer_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int from, int to) {
    return from + static_cast<int>(random() % static_cast<std::uint64_t>(to - from + 1));
  };
  LinearModel model;
  const int columns = draw(1, 8);
  for (int j = 0; j < columns; ++j) {
    const double lower = draw(-1, 0);
    model.add_column({.cost = draw(-20, 20) / 8.0, .lower = lower, .upper = lower + draw(0, 3)});
  }
  const int rows = draw(0, 6);
  for (int i = 0; i < rows; ++i) {
    LinearRow row;
    for (int j = 0; j < columns; ++j)
      if (draw(0, 2) > 0) row.terms.push_back({j, draw(-9, 9) / 2.0});
    const double middle = draw(-8, 8) / 2.0;
    const int kind = draw(0, 3);
    if (kind != 0) row.upper = middle + draw(0, 6);
    if (kind != 1) row.lower = kind == 2 ? row.upper : middle;
    model.add_row(row);
  }
  return model;
}

}  // namespace poet::testing
