#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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

// What an action of a step adds to an unknown of a fit: an execution of an operation, or bytes.
struct TermUse {
  std::int32_t term = 0;
  double count = 0;

  bool operator==(const TermUse&) const = default;
};

// An announcement of the board's, poet_trace(), and what it does until the next one: an action, or
// nothing between the last action of a micro-batch and what follows.
struct LoggedAction {
  std::vector<TermUse> terms = {};
  double expected_s = 0;  // by counted instructions; 0 where that is not known
};

// So many parts of a log are fitted by themselves, to see how far their fits lie apart.
inline constexpr std::size_t kLogParts = 8;

// Neighbouring actions of the step that are long enough to be told apart from others in the log,
// [begin, end), with the sums of all steps, by the parts of the log: the k-th step belongs to part
// k modulo their number.
struct PowerRow {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::array<double, kLogParts> seconds = {};
  std::array<double, kLogParts> joules = {};  // above idle
};

enum class LogAlignment { Pins, Durations };

// What a log says of a step, taken several times.
struct PowerRows {
  LogAlignment how = LogAlignment::Pins;
  std::vector<PowerRow> rows = {};
  std::array<std::int64_t, kLogParts> steps = {};  // in each part
  std::int64_t left_out = 0;                       // steps that began, and are not in the rows
  double idle_w = 0;
  double sample_s = 0;  // between two samples
  double stretch = 0;   // a step's time, in proportion to what was expected; 0: not known
  std::int64_t all_steps() const;
  double step_s() const;  // means of all steps
  double step_j() const;
};

struct AlignOptions {
  PowerLogOptions log = {};
  std::int64_t pins = 1;              // that the board counts its announcements on
  std::optional<double> idle_w = {};  // in place of what the log says of its pauses
};

// The log of a board whose poet_trace() counts its announcements on the lowest `pins` digital
// channels, and that waits before each step and after the last. Either order of the columns of
// channels is understood: the one that changes more often is the lowest. Announcements that follow
// each other within a sample are told apart as long as there are fewer than 2^pins. Refuses a log
// that is not of this step: one that does not wait where the step has ended.
Result<PowerRows> align_by_pins(const std::string& path, const std::vector<LoggedAction>& step,
                                const AlignOptions& options);

// The log of a board that says nothing: a step is where it draws more than when it is idle, for
// about as long as is expected, and actions follow each other within it as long as expected, in
// proportion. The log begins with a tenth of a second, or more, of idling. Rows are at least a
// fiftieth of a step, since nothing in the log says where an action ends.
Result<PowerRows> align_by_durations(const std::string& path, const std::vector<LoggedAction>& step,
                                     const AlignOptions& options);

// Neighbouring actions in rows that take `least_s` or more each, by what each action took; what is
// left at the end of the step belongs to the last row. A row that would have no action that counts
// is left out: it is what happens between micro-batches.
std::vector<PowerRow> rows_of_step(const std::vector<LoggedAction>& step,
                                   const std::vector<double>& action_s, double least_s);

// Edges of actions are known as well as samples are apart, so that a row of so many is known to a
// twentieth at worst, and better with every step.
inline constexpr double kLeastSamplesOfARow = 10;

}  // namespace poet
