#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "poet/base/result.h"
#include "poet/problem/problem.h"
// Their enumerators have names of types below, which g++ 12 only minds in this order.
#include "poet/problem/window_names.h"
#include "poet/solve/solver.h"
#include "poet/verify/replay.h"

namespace poet {

// A RAM budget as a user states it.
struct RamBytes {
  std::int64_t bytes = 0;
};
struct RamOfPlainPeak {
  double ratio = 1;
};  // 60% or 0.6x
struct RamOnTheWay {
  double ratio = 0;
};  // 40%way: from the largest working set (0) to the plain peak (1)
using RamBudget = std::variant<RamBytes, RamOfPlainPeak, RamOnTheWay>;

// "737719", "720KiB", "3MB", "60%", "0.6x", "40%way". Fractions of bytes round down.
Result<RamBudget> parse_ram_budget(std::string_view text);

// "40%way", in digits that parse_ram_budget() reads back as the same part.
std::string way_text(double ratio);

// A deadline as a user states it.
struct DeadlineSeconds {
  double seconds = 0;
};
struct DeadlineRatio {
  double ratio = 1;
};  // of the time of one execution of every operation
using Deadline = std::variant<DeadlineSeconds, DeadlineRatio>;

// "1.5" or "1.5x" (ratio), "200ms", "3s", "2min". Positive.
Result<Deadline> parse_deadline(std::string_view text);

// "20%", "0.2": every cost may be so much above its figure; "20%:8": at most 8 of them. Above 0, at
// most kMostUncertainty.
Result<Uncertainty> parse_uncertainty(std::string_view text);

// What parse_uncertainty() reads back as the same.
std::string uncertainty_text(const Uncertainty& uncertainty);

// A budget that is stated as a part of what the problem needs, in bytes. Refuses what does not fit
// in 62 bits.
Result<std::int64_t> budget_bytes(const RamBudget& budget, const Problem& problem);

// The same of a deadline that is stated as a part of the time of computing. Refuses what is not
// finite.
Result<double> deadline_s(const Deadline& deadline, const Problem& problem);

// `ratio` of `whole_bytes`, rounded down; exact when the ratio is the double nearest to a fraction
// of whole bytes, so that 60 % of 2,453,760 is 1,472,256 and not one byte less. Nothing when it
// does not fit in 62 bits.
std::optional<std::int64_t> part_of_bytes(double ratio, std::int64_t whole_bytes);

}  // namespace poet
