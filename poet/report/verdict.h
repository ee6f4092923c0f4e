#pragma once

#include <optional>
#include <string>

#include "poet/report/report_input.h"

namespace poet {

// The answer in plain words.
struct Verdict {
  // Beyond: a schedule for more RAM than its device has.
  enum class Kind { Best, Found, Beyond, No, Unknown, Broken };
  Kind kind = Kind::Unknown;
  std::string title;     // "Proved best"
  std::string sentence;  // what that means here

  bool operator==(const Verdict&) const = default;
};

Verdict verdict_of(const ReportInput& input);

// How far the schedule can be from the best, as a part of its objective; nothing without a schedule
// or a useful bound.
std::optional<double> gap_ratio(const ReportInput& input);

// docs/model/problem.md §2.5; nothing when the objective is not energy, or without a bound.
std::optional<double> overhead_gap_ratio(const ReportInput& input);

}  // namespace poet
