// The cheapest walk of one chain through its events, and through each of them in particular
// (docs/model/bounds.md §1.2 and §2.1).
#include "poet/solve/chain_walk.h"

#include <algorithm>

namespace poet {

Places step_over(const WalkStop& stop, bool may_read, const Places& from) {
  const double in = from.in + stop.hold_before;
  double here = from.out + stop.make;
  if (may_read) here = std::min(here, from.out + stop.read);
  if (stop.first_production) return Places{here, here + stop.keep_after};
  here = std::min(here, in + stop.stay);
  return Places{std::min({from.out, in, here}), here + stop.keep_after};
}

Places step_back(const WalkStop& stop, bool may_read, const Places& to) {
  const double leave_or_keep = std::min(to.out, stop.keep_after + to.in);
  double enter = stop.make + leave_or_keep;
  if (may_read) enter = std::min(enter, stop.read + leave_or_keep);
  if (stop.first_production) return Places{enter, kNever};
  const double out = std::min(to.out, enter);
  const double in = stop.hold_before + std::min(stop.stay + leave_or_keep, out);
  return Places{out, in};
}

ChainWalk::ChainWalk(const std::vector<WalkStop>& stops, bool may_read)
    : stops_(stops), may_read_(may_read) {
  before_.resize(stops.size() + 1);
  after_.resize(stops.size() + 1);
  for (std::size_t n = 0; n < stops.size(); ++n)
    before_[n + 1] = step_over(stops[n], may_read, before_[n]);
  after_[stops.size()] = Places{0, 0};
  for (std::size_t n = stops.size(); n-- > 0;)
    after_[n] = step_back(stops[n], may_read, after_[n + 1]);
}

double ChainWalk::cheapest_making(std::size_t n) const {
  return before_[n].out + stops_[n].make + onwards(n);
}

double ChainWalk::cheapest_reading(std::size_t n) const {
  return may_read_ ? before_[n].out + stops_[n].read + onwards(n) : kNever;
}

double ChainWalk::cheapest_present(std::size_t n) const {
  const WalkStop& stop = stops_[n];
  return std::min(before_[n].in + stop.hold_before + stop.stay + onwards(n), cheapest_reading(n));
}

double ChainWalk::onwards(std::size_t n) const {
  return std::min(after_[n + 1].out, stops_[n].keep_after + after_[n + 1].in);
}

}  // namespace poet
