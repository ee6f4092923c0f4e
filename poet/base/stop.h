#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stop_token>

namespace poet {

// Of counted effort, where a unit is what the machines that we know do in about a nanosecond.
inline constexpr double kEffortUnitsPerSecond = 1e9;

// The caller's word on when to give up, and the only clock that the library looks at. The default
// never stops and shows no time, so that nothing depends on the speed of the machine.
//
// Only the caller's own limit is a clock. Parts of a search end by counted effort (part_of), so
// that an answer that no limit cut short is the same on every machine and in every run.
struct Stop {
  std::stop_token token = {};
  std::function<double()> elapsed_s = {};  // since the caller's start; may be empty
  double limit_s = std::numeric_limits<double>::infinity();  // on elapsed_s

  // What the caller's limit was meant to be, whatever the clock says by now: of which part_of()
  // takes its parts.
  double whole_s = std::numeric_limits<double>::infinity();
  // Counted so far, in units of kEffortUnitsPerSecond; shared by every copy.
  std::shared_ptr<std::atomic<std::int64_t>> effort =
      std::make_shared<std::atomic<std::int64_t>>(0);
  double effort_limit = std::numeric_limits<double>::infinity();

  double now_s() const { return elapsed_s ? elapsed_s() : 0.0; }
  double remaining_s() const { return limit_s - now_s(); }
  void count(double units) const { *effort += static_cast<std::int64_t>(units); }
  double counted() const { return static_cast<double>(effort->load()); }
  // By the caller, or by the clock, and not because a part was used up.
  bool requested_outside() const { return token.stop_requested() || remaining_s() <= 0; }
  bool requested() const { return counted() >= effort_limit || requested_outside(); }
};

// The same word, with a limit and a count of its own.
inline Stop with_own_limit(const Stop& stop, double limit_s) {
  Stop own = stop;
  own.limit_s = std::min(stop.limit_s, stop.now_s() + limit_s);
  own.whole_s = limit_s;
  own.effort = std::make_shared<std::atomic<std::int64_t>>(0);
  own.effort_limit = std::numeric_limits<double>::infinity();
  return own;
}

// The same word, with a count of its own: for what runs side by side, whose effort is added up
// afterwards, in an order that depends on nothing.
inline Stop counted_apart(const Stop& stop) {
  return with_own_limit(stop, std::numeric_limits<double>::infinity());
}

// The same word, for so many seconds of counted effort at most, with a count of its own.
inline Stop with_own_effort(const Stop& stop, double most_effort_s) {
  Stop own = counted_apart(stop);
  own.whole_s = std::min(most_effort_s, std::isfinite(stop.whole_s) ? stop.whole_s : stop.limit_s);
  own.effort_limit =
      std::min(most_effort_s * kEffortUnitsPerSecond, stop.effort_limit - stop.counted());
  return own;
}

// The same word, for a part of the effort that is left: of what a machine is expected to do in the
// time of the limit, at least a twentieth. All of what is left only the caller's limit ends, and so
// it does what nobody counts.
inline Stop part_of(const Stop& stop, double part) {
  if (part >= 1) return stop;
  constexpr double kLeastLeft = 0.05;
  const double whole_s = std::isfinite(stop.whole_s) ? stop.whole_s : stop.limit_s;
  const double whole = std::min(whole_s * kEffortUnitsPerSecond, stop.effort_limit);
  if (!std::isfinite(whole)) return stop;
  Stop sooner = stop;
  const double left =
      std::max(whole - stop.counted(), kLeastLeft * whole_s * kEffortUnitsPerSecond);
  sooner.effort_limit = std::min(stop.effort_limit, stop.counted() + part * left);
  return sooner;
}

}  // namespace poet
