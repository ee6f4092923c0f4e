#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "poet/measure/power_rows.h"

namespace poet {
namespace {

constexpr double kLead_s = 0.1;         // the log begins with so much idling
constexpr double kSlicesOfAStep = 500;  // edges of a step are found to one of them
constexpr double kBridge = 0.05;        // of a step: waiting within it is no pause
constexpr double kShortest = 0.5;       // of what is expected
constexpr double kLongest = 2;
constexpr double kRowsOfAStep = 50;
constexpr std::size_t kMostSteps = 100'000;

struct LoggedStep {
  double begin_s = 0;
  double end_s = 0;
};

// A mean of neighbouring samples, so that the noise of one is no edge.
struct LogSlice {
  double begin_s = 0;
  double seconds = 0;
  double joules = 0;

  double mean_w() const { return joules / seconds; }
};

// Gives `take` slices of `slice_s`, or samples where these are longer.
Failure read_slices(const std::string& path, const AlignOptions& options, double slice_s,
                    const std::function<void(const LogSlice&)>& take) {
  LogSlice slice;
  double before_s = 0;
  bool is_first = true;
  const Result<PowerLogSummary> log =
      read_power_log(path, options.log, [&](const PowerSample& sample) {
        if (!std::exchange(is_first, false)) {
          if (slice.seconds == 0) slice.begin_s = before_s;
          slice.seconds += sample.time_s - before_s;
          slice.joules += (sample.time_s - before_s) * sample.power_w;
          if (slice.seconds >= slice_s) take(std::exchange(slice, LogSlice{}));
        }
        before_s = sample.time_s;
        return Failure();
      });
  return log.ok() ? Failure() : log.error();
}

// What tells a step from a pause.
struct BusyLevel {
  double idle_w = 0;
  double busy_w = 0;
};

// Twice as far from idle as the noise of the lead reaches; a log without noise has its digits.
double above_noise_w(double idle_w, double lead_most_w) {
  return idle_w + std::max(2 * (lead_most_w - idle_w), 0.01 * std::abs(idle_w));
}

// A tenth of the way from idle to what is drawn on the average above it, which lies below any
// action, however much a card draws; and above what the noise of the lead reaches.
Result<BusyLevel> busy_level(const std::string& path, const AlignOptions& options, double slice_s) {
  std::optional<double> begin_s;
  double lead_s = 0;
  double lead_j = 0;
  double lead_most_w = 0;
  double above_s = 0;
  double above_j = 0;
  BusyLevel level;
  const Failure failure = read_slices(path, options, slice_s, [&](const LogSlice& slice) {
    if (!begin_s) begin_s = slice.begin_s;
    if (slice.begin_s + slice.seconds - *begin_s <= kLead_s) {
      lead_s += slice.seconds;
      lead_j += slice.joules;
      lead_most_w = std::max(lead_most_w, slice.mean_w());
      level.idle_w = lead_j / lead_s;
      return;
    }
    if (slice.mean_w() <= above_noise_w(level.idle_w, lead_most_w)) return;
    above_s += slice.seconds;
    above_j += slice.joules;
  });
  if (failure) return *failure;
  if (!(lead_s > 0) || !(above_s > 0))
    return bad_input(
        fmt::format("nothing in the log stands out from its first {:g} ms, in which the board must "
                    "be idle",
                    kLead_s * 1e3),
        {path});
  const double mean_above_w = above_j / above_s;
  level.busy_w = std::max(above_noise_w(level.idle_w, lead_most_w),
                          level.idle_w + 0.1 * (mean_above_w - level.idle_w));
  if (options.idle_w) level.idle_w = *options.idle_w;
  return level;
}

// Where the board works, without what is too short or too long for a step.
struct FoundSteps {
  std::vector<LoggedStep> steps = {};
  std::int64_t left_out = 0;
  double nearest_s = 0;  // of those that were left out, the length next to what was expected
};

void keep(const LoggedStep& one, double expected_s, FoundSteps& found) {
  const double length_s = one.end_s - one.begin_s;
  if (length_s >= kShortest * expected_s && length_s <= kLongest * expected_s) {
    if (found.steps.size() < kMostSteps)
      found.steps.push_back(one);
    else
      ++found.left_out;
    return;
  }
  ++found.left_out;
  if (found.nearest_s == 0 ||
      std::abs(std::log(length_s / expected_s)) < std::abs(std::log(found.nearest_s / expected_s)))
    found.nearest_s = length_s;
}

Result<FoundSteps> find_steps(const std::string& path, const AlignOptions& options, double slice_s,
                              double busy_w, double expected_s) {
  FoundSteps found;
  std::optional<LoggedStep> now;
  const Failure failure = read_slices(path, options, slice_s, [&](const LogSlice& slice) {
    if (slice.mean_w() > busy_w) {
      if (!now) now = LoggedStep{slice.begin_s, slice.begin_s};
      now->end_s = slice.begin_s + slice.seconds;
    } else if (now && slice.begin_s - now->end_s > kBridge * expected_s) {
      keep(*now, expected_s, found);
      now.reset();
    }
  });
  if (failure) return *failure;
  // One that the log ends in may not be whole.
  if (now) ++found.left_out;
  if (found.steps.empty())
    return bad_input(
        fmt::format("the log has no step: it would take about {:.4g} s{}", expected_s,
                    found.nearest_s > 0
                        ? fmt::format(", and the board works for {:.4g} s", found.nearest_s)
                        : ""),
        {path});
  return found;
}

// Adds each sample to the row of the step in which its middle lies.
class RowFiller {
 public:
  RowFiller(const std::vector<LoggedStep>& steps, std::vector<double> ends, PowerRows& rows)
      : steps_(steps), ends_(std::move(ends)), rows_(rows) {}

  void take(const PowerSample& sample) {
    if (has_before_) add(sample.time_s - before_s_, (sample.time_s + before_s_) / 2, sample);
    before_s_ = sample.time_s;
    has_before_ = true;
  }

 private:
  void add(double seconds, double middle_s, const PowerSample& sample) {
    while (step_ < steps_.size() && middle_s >= steps_[step_].end_s) {
      ++step_;
      row_ = 0;
    }
    if (step_ == steps_.size() || middle_s < steps_[step_].begin_s) return;
    const LoggedStep& step = steps_[step_];
    const double way = (middle_s - step.begin_s) / (step.end_s - step.begin_s);
    while (row_ + 1 < ends_.size() && way >= ends_[row_]) ++row_;
    PowerRow& row = rows_.rows[row_];
    row.seconds[step_ % kLogParts] += seconds;
    row.joules[step_ % kLogParts] += seconds * (sample.power_w - rows_.idle_w);
  }

  const std::vector<LoggedStep>& steps_;
  std::vector<double> ends_;  // of rows, as parts of the step
  PowerRows& rows_;
  bool has_before_ = false;
  double before_s_ = 0;
  std::size_t step_ = 0;
  std::size_t row_ = 0;
};

std::vector<double> ends_of(const std::vector<PowerRow>& rows, const std::vector<double>& action_s,
                            double all_s) {
  std::vector<double> ends;
  double until_s = 0;
  std::int64_t action = 0;
  for (const PowerRow& row : rows) {
    for (; action < row.end; ++action) until_s += action_s[static_cast<std::size_t>(action)];
    ends.push_back(until_s / all_s);
  }
  return ends;
}

}  // namespace

Result<PowerRows> align_by_durations(const std::string& path, const std::vector<LoggedAction>& step,
                                     const AlignOptions& options) {
  std::vector<double> action_s;
  double expected_s = 0;
  for (const LoggedAction& action : step) {
    action_s.push_back(action.expected_s);
    expected_s += action.expected_s;
  }
  POET_CHECK(expected_s > 0);
  const double slice_s = std::min(expected_s / kSlicesOfAStep, kLead_s / 10);
  const Result<BusyLevel> level = busy_level(path, options, slice_s);
  if (!level.ok()) return level.error();
  const Result<FoundSteps> found = find_steps(path, options, slice_s, level->busy_w, expected_s);
  if (!found.ok()) return found.error();

  PowerRows rows{
      .how = LogAlignment::Durations, .left_out = found->left_out, .idle_w = level->idle_w};
  rows.rows = rows_of_step(step, action_s, expected_s / kRowsOfAStep);
  double took_s = 0;
  for (std::size_t k = 0; k < found->steps.size(); ++k) {
    ++rows.steps[k % kLogParts];
    took_s += found->steps[k].end_s - found->steps[k].begin_s;
  }
  rows.stretch = took_s / (expected_s * static_cast<double>(found->steps.size()));
  RowFiller filler(found->steps, ends_of(rows.rows, action_s, expected_s), rows);
  const Result<PowerLogSummary> log =
      read_power_log(path, options.log, [&filler](const PowerSample& sample) {
        filler.take(sample);
        return Failure();
      });
  if (!log.ok()) return log.error();
  rows.sample_s = log->sample_s();
  return rows;
}

}  // namespace poet
