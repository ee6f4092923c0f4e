#pragma once

#include <functional>
#include <limits>
#include <stop_token>

namespace poet {

// The caller's word on when to give up, and the only clock that the library looks at. The default
// never stops and shows no time, so that nothing depends on the speed of the machine.
struct Stop {
  std::stop_token token;
  std::function<double()> elapsed_s;  // since the caller's start; may be empty
  double limit_s = std::numeric_limits<double>::infinity();  // on elapsed_s

  double now_s() const { return elapsed_s ? elapsed_s() : 0.0; }
  double remaining_s() const { return limit_s - now_s(); }
  bool requested() const { return token.stop_requested() || remaining_s() <= 0; }
};

// The same word, and a part of the time that it leaves.
inline Stop part_of(const Stop& stop, double part) {
  Stop sooner = stop;
  const bool limited = stop.limit_s < std::numeric_limits<double>::infinity();
  if (limited) sooner.limit_s = stop.now_s() + part * stop.remaining_s();
  return sooner;
}

}  // namespace poet
