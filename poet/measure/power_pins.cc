#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "poet/measure/power_rows.h"

namespace poet {
namespace {

// A pause is as long as this, or more: much longer than what passes between two actions.
constexpr double kLeastPause_s = 0.02;
// Of a pause, its end is idle: what came before may be left of the step.
constexpr double kIdleEnd_s = 0.1;
constexpr double kIdleSlice_s = 0.01;
// So many times the usual distance of two samples is a hole: what was drawn there is not known.
constexpr double kHole = 8;
constexpr std::int64_t kSamplesOfUsualDistance = 32;

// What the end of a pause draws, from slices that are thrown away as it goes on.
class PauseEnd {
 public:
  void add(double seconds, double joules) {
    if (slices_.empty() || slices_.back().seconds >= kIdleSlice_s) slices_.push_back({});
    slices_.back().seconds += seconds;
    slices_.back().joules += joules;
    if (slices_.size() > static_cast<std::size_t>(kIdleEnd_s / kIdleSlice_s)) slices_.pop_front();
    seconds_ += seconds;
  }
  double seconds() const { return seconds_; }
  double mean_w() const {
    double seconds = 0;
    double joules = 0;
    for (const Slice& slice : slices_) {
      seconds += slice.seconds;
      joules += slice.joules;
    }
    return seconds > 0 ? joules / seconds : 0;
  }

 private:
  struct Slice {
    double seconds = 0;
    double joules = 0;
  };
  std::deque<Slice> slices_ = {};
  double seconds_ = 0;
};

// How the board's count is read from the channels of a sample.
struct PinCount {
  int pins = 1;
  bool lowest_is_last = false;  // the columns of channels begin with D7

  int count(std::uint8_t columns) const {
    int number = 0;
    for (int pin = 0; pin < pins; ++pin) {
      const int column = lowest_is_last ? kPowerLogPins - 1 - pin : pin;
      number |= (columns >> column & 1) << pin;
    }
    return number;
  }
};

// Follows the step from sample to sample. The channels of a sample were read when it was taken, and
// its power is the mean of the time since the one before.
class PinFollower {
 public:
  PinFollower(const std::string& path, const std::vector<LoggedAction>& step,
              const AlignOptions& options, PinCount pins)
      : path_(path), step_(step), options_(options), pins_(pins) {
    forget_step();
  }

  Failure take(const PowerSample& sample) {
    const int count = pins_.count(sample.pins);
    if (samples_++ == 0) {
      before_ = sample;
      count_ = count;
      return std::nullopt;
    }
    const double seconds = sample.time_s - before_.time_s;
    const int passed = (count - count_) & ((1 << pins_.pins) - 1);
    const double before_w = before_.power_w;
    before_ = sample;
    count_ = count;
    look_for_holes(seconds);
    if (passed == 0) {
      add(seconds, seconds * sample.power_w);
      return std::nullopt;
    }
    // Somewhere in this sample, so in its middle on the average: what came before drew until then
    // what it did, and the rest belongs to what comes. All of it to either would be a bias, which
    // more steps do not make smaller.
    add(seconds / 2, seconds / 2 * before_w);
    if (Failure failure = announce(passed, sample)) return failure;
    add(seconds / 2, seconds * (sample.power_w - before_w / 2));
    return std::nullopt;
  }

  Result<PowerRows> finish() {
    if (in_pause_ && has_step_) {
      // What ends with the log need not pause for long.
      keep_step();
    } else if (!in_pause_) {
      ++rows_.left_out;
    }
    if (rows_.all_steps() == 0)
      return bad_input(
          announcements_ == 0
              ? std::string("the digital channels never change: the board's poet_trace() counts "
                            "on D0, and it is exported with the log")
              : fmt::format("the log has no whole step: {} announcements of the board, and a step "
                            "has {}",
                            announcements_, step_.size()),
          {path_});
    rows_.idle_w = options_.idle_w.value_or(idle_sum_w_ / static_cast<double>(idles_));
    rows_.sample_s = usual_s_;
    double expected_s = 0;
    for (const LoggedAction& action : step_) expected_s += action.expected_s;
    rows_.stretch = expected_s > 0 ? rows_.step_s() / expected_s : 0;
    return std::move(rows_);
  }

 private:
  void look_for_holes(double seconds) {
    if (samples_ <= kSamplesOfUsualDistance) {
      usual_s_ += (seconds - usual_s_) / static_cast<double>(samples_ - 1);
    } else if (seconds > kHole * usual_s_ && !in_pause_) {
      has_hole_ = true;
    }
  }

  // `passed` announcements since the sample before.
  Failure announce(int passed, const PowerSample& sample) {
    announcements_ += passed;
    if (in_pause_)
      if (Failure failure = begin_step(sample)) return failure;
    announced_ += static_cast<std::size_t>(passed);
    if (announced_ > step_.size())
      return not_this_step(sample, "and the next one follows without a pause");
    if (announced_ == step_.size()) {
      in_pause_ = true;
      has_step_ = true;
      pause_ = {};
    }
    return std::nullopt;
  }

  Error not_this_step(const PowerSample& sample, std::string_view what) const {
    return bad_input(
        fmt::format("a step has {} announcements, {}: either the board skipped some between two "
                    "samples (count on more channels, --pins), does not wait {:g} ms between "
                    "steps, or runs another project",
                    step_.size(), what, kLeastPause_s * 1e3),
        power_log_line(path_, sample.line));
  }

  Failure begin_step(const PowerSample& sample) {
    if (pause_.seconds() < kLeastPause_s)
      return not_this_step(sample, fmt::format("and the board waited {:.3g} ms before the next one",
                                               pause_.seconds() * 1e3));
    if (has_step_) {
      const double step_w = step_seconds() > 0 ? step_joules() / step_seconds() : 0;
      if (pause_.mean_w() - idle_w_ > 0.5 * (step_w - idle_w_))
        return not_this_step(sample, "and where it should have ended the board still works");
      keep_step();
    }
    idle_w_ = options_.idle_w.value_or(pause_.mean_w());
    idle_sum_w_ += idle_w_;
    ++idles_;
    forget_step();
    return std::nullopt;
  }

  void forget_step() {
    action_s_.assign(step_.size(), 0);
    action_j_.assign(step_.size(), 0);
    announced_ = 0;
    in_pause_ = idles_ == 0;
    has_step_ = false;
    has_hole_ = false;
  }

  double step_seconds() const { return sum(action_s_); }
  double step_joules() const { return sum(action_j_); }
  static double sum(const std::vector<double>& numbers) {
    double total = 0;
    for (const double number : numbers) total += number;
    return total;
  }

  void add(double seconds, double joules) {
    if (in_pause_) {
      pause_.add(seconds, joules);
      return;
    }
    action_s_[announced_ - 1] += seconds;
    action_j_[announced_ - 1] += joules;
  }

  void keep_step() {
    has_step_ = false;
    if (has_hole_) {
      ++rows_.left_out;
      return;
    }
    if (rows_.rows.empty())
      rows_.rows = rows_of_step(step_, action_s_, kLeastSamplesOfARow * usual_s_);
    const auto part = static_cast<std::size_t>(rows_.all_steps()) % kLogParts;
    ++rows_.steps[part];
    for (PowerRow& row : rows_.rows) {
      for (std::int64_t k = row.begin; k < row.end; ++k) {
        const auto action = static_cast<std::size_t>(k);
        row.seconds[part] += action_s_[action];
        row.joules[part] += action_j_[action] - idle_w_ * action_s_[action];
      }
    }
  }

  const std::string& path_;
  const std::vector<LoggedAction>& step_;
  const AlignOptions& options_;
  PinCount pins_;
  PowerRows rows_ = {.how = LogAlignment::Pins};
  std::int64_t samples_ = 0;
  std::int64_t announcements_ = 0;
  PowerSample before_ = {};
  int count_ = 0;
  double usual_s_ = 0;
  PauseEnd pause_ = {};
  double idle_w_ = 0;  // before the step that is followed
  double idle_sum_w_ = 0;
  std::int64_t idles_ = 0;
  std::size_t announced_ = 0;  // of the step that is followed: its last one is what is done now
  bool in_pause_ = true;
  bool has_step_ = false;  // that has ended, and whose pause is not over
  bool has_hole_ = false;
  std::vector<double> action_s_ = {};
  std::vector<double> action_j_ = {};
};

Failure check_pins(const std::string& path, const PowerLogSummary& log, const PinCount& pins) {
  if (!log.has_pins)
    return bad_input(
        "the log has no digital channels: export 'D0' to 'D7' with it, or say --align durations",
        {path});
  for (int pin = 1; pin < pins.pins; ++pin) {
    const int column = pins.lowest_is_last ? kPowerLogPins - 1 - pin : pin;
    if (log.pin_changes[static_cast<std::size_t>(column)] == 0)
      return bad_input(
          fmt::format("D{} never changes, and --pins says that the board counts on {} channels",
                      pin, pins.pins),
          {path});
  }
  return std::nullopt;
}

}  // namespace

Result<PowerRows> align_by_pins(const std::string& path, const std::vector<LoggedAction>& step,
                                const AlignOptions& options) {
  const Result<PowerLogSummary> log =
      read_power_log(path, options.log, [](const PowerSample&) { return Failure(); });
  if (!log.ok()) return log.error();
  const PinCount pins{.pins = static_cast<int>(options.pins),
                      .lowest_is_last = log->pin_changes.back() > log->pin_changes.front()};
  if (Failure failure = check_pins(path, *log, pins)) return *failure;
  PinFollower follower(path, step, options, pins);
  const Result<PowerLogSummary> again = read_power_log(
      path, options.log, [&follower](const PowerSample& sample) { return follower.take(sample); });
  if (!again.ok()) return again.error();
  return follower.finish();
}

}  // namespace poet
