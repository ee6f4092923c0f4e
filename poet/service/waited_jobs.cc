#include "poet/service/waited_jobs.h"

#include "poet/base/check.h"

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

}  // namespace poet
