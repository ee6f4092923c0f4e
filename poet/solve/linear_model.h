#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace poet {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class ColumnKind { Continuous, Integer };

struct LinearColumn {
  double cost = 0;
  double lower = 0;
  double upper = 1;
  ColumnKind kind = ColumnKind::Integer;
};

struct LinearTerm {
  std::int32_t column = 0;
  double coefficient = 0;
};

// lower <= sum of terms <= upper; each column at most once.
struct LinearRow {
  double lower = -kInfinity;
  double upper = kInfinity;
  std::vector<LinearTerm> terms = {};
};

// Minimise cost over integer and continuous columns within rows. Every formulation is written once,
// against this; a backend only translates it.
struct LinearModel {
  std::vector<LinearColumn> columns = {};
  std::vector<LinearRow> rows = {};

  std::int32_t add_column(LinearColumn column) {
    columns.push_back(column);
    return static_cast<std::int32_t>(columns.size()) - 1;
  }
  std::int32_t add_row(LinearRow row) {
    rows.push_back(std::move(row));
    return static_cast<std::int32_t>(rows.size()) - 1;
  }
};

}  // namespace poet
