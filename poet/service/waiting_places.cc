#include "poet/service/waiting_places.h"

#include "poet/service/access.h"

namespace poet {

WaitingPlaces::Place WaitingPlaces::take(const std::string& address) {
  const std::string who = rate_key(address);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    int& own = taken_by_[who];
    const bool full = taken_ >= most_ || own >= most_each_;
    if (full && own == 0) taken_by_.erase(who);
    if (full) return nullptr;
    ++taken_;
    ++own;
  }
  return {this, [who](WaitingPlaces* places) { places->give_back(who); }};
}

void WaitingPlaces::give_back(const std::string& who) {
  const std::lock_guard<std::mutex> lock(mutex_);
  --taken_;
  if (--taken_by_[who] == 0) taken_by_.erase(who);
}

}  // namespace poet
