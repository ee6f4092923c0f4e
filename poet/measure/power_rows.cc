#include "poet/measure/power_rows.h"

#include <algorithm>

namespace poet {
namespace {

bool counts(const std::vector<LoggedAction>& step, const PowerRow& row) {
  return std::any_of(step.begin() + row.begin, step.begin() + row.end,
                     [](const LoggedAction& action) { return !action.terms.empty(); });
}

double sum_of_parts(const PowerRow& row, const std::array<double, kLogParts> PowerRow::*figure) {
  double sum = 0;
  for (const double part : row.*figure) sum += part;
  return sum;
}

}  // namespace

std::vector<PowerRow> rows_of_step(const std::vector<LoggedAction>& step,
                                   const std::vector<double>& action_s, double least_s) {
  std::vector<PowerRow> rows;
  PowerRow row;
  double row_s = 0;
  for (std::size_t k = 0; k < step.size(); ++k) {
    row.end = static_cast<std::int64_t>(k) + 1;
    row_s += action_s[k];
    if (row_s < least_s) continue;
    if (counts(step, row)) rows.push_back(row);
    row = {.begin = row.end, .end = row.end};
    row_s = 0;
  }
  if (row.begin == row.end || !counts(step, row)) return rows;
  // Of a step that is shorter than a row there is one all the same.
  if (rows.empty() || rows.back().end != row.begin)
    rows.push_back(row);
  else
    rows.back().end = row.end;
  return rows;
}

std::int64_t PowerRows::all_steps() const {
  std::int64_t sum = 0;
  for (const std::int64_t part : steps) sum += part;
  return sum;
}

double PowerRows::step_s() const {
  double sum = 0;
  for (const PowerRow& row : rows) sum += sum_of_parts(row, &PowerRow::seconds);
  return sum / static_cast<double>(std::max<std::int64_t>(1, all_steps()));
}

double PowerRows::step_j() const {
  double sum = 0;
  for (const PowerRow& row : rows) sum += sum_of_parts(row, &PowerRow::joules);
  return sum / static_cast<double>(std::max<std::int64_t>(1, all_steps()));
}

}  // namespace poet
