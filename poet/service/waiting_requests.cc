#include "poet/service/waiting_requests.h"

#include "poet/base/check.h"
#include "poet/service/access.h"

namespace poet {

void WaitedJobs::check(const Lock& held) const {
  POET_CHECK(held.owns_lock() && held.mutex() == &mutex_);
}

void WaitedJobs::wait(const Lock& held, const std::string& id, const Share& share, bool is_first) {
  check(held);
  const auto found = waiting_.find({id, share});
  if (found != waiting_.end())
    ++found->second;
  else if (is_first)
    waiting_[{id, share}] = 1;
}

bool WaitedJobs::leave(const Lock& held, const std::string& id, const Share& share) {
  check(held);
  const auto found = waiting_.find({id, share});
  if (found == waiting_.end() || --found->second > 0) return false;
  waiting_.erase(found);
  return true;
}

void WaitedJobs::keep(const Lock& held, const std::string& id, const Share& share) {
  check(held);
  waiting_.erase({id, share});
}

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
