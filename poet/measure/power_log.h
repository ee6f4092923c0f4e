#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "poet/base/result.h"

namespace poet {

inline constexpr int kPowerLogPins = 8;

// One line of a log of what a board draws.
struct PowerSample {
  double time_s = 0;
  double power_w = 0;
  std::uint8_t pins = 0;  // the bit of 2^k is the digital channel in the k-th column of them
  std::int64_t line = 0;
};

struct PowerLogOptions {
  std::optional<double> supply_v = {};  // of a log of currents
};

// What a log is, once it is read.
struct PowerLogSummary {
  std::int64_t samples = 0;
  double begin_s = 0;
  double end_s = 0;
  bool has_pins = false;
  std::array<std::int64_t, kPowerLogPins> pin_changes = {};

  // The mean time between two samples.
  double sample_s() const {
    return samples > 1 ? (end_s - begin_s) / static_cast<double>(samples - 1) : 0;
  }
};

// Reads a log of comma-separated values, one line in memory at a time: its first line names the
// columns, which are a time (`Timestamp(ms)`, as a Power Profiler Kit II exports it, `time_s`,
// `time_ms`, `time_us`), a current (`Current(uA)`, `current_a`, `current_ma`, `current_ua`) or a
// power (`power_w`, `power_mw`, `power_uw`), where there is one, and digital channels (`D0` to
// `D7`, or `D0-D7` with eight digits); others are not looked at. Refuses, with file and line, a log
// without these, currents without `supply_v`, numbers that are not finite, times that do not
// increase, a log of fewer than two samples, and what `take` refuses.
Result<PowerLogSummary> read_power_log(const std::string& path, const PowerLogOptions& options,
                                       const std::function<Failure(const PowerSample&)>& take);

// A place in a log, for messages.
SourcePos power_log_line(const std::string& path, std::int64_t line);

}  // namespace poet
