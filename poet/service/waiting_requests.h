#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "poet/service/job_table.h"

namespace poet {

// Which jobs are wanted only by requests that wait for them: when the last of these leaves, nobody
// was told where the answer will be, and the job need not be done. May be called from several
// threads; whoever asks for a job, or withdraws it, holds the lock from before until after.
class WaitedJobs {
 public:
  using Lock = std::unique_lock<std::mutex>;
  Lock hold() { return Lock(mutex_); }

  // A request waits for it. `is_first`: its share did not want the job before. Where it did, and is
  // not counted here, it asked in another way.
  void wait(const Lock& held, const std::string& id, const Share& share, bool is_first);
  // One that waited does no longer. True: it was the last, and nobody else wants the job for this
  // share.
  bool leave(const Lock& held, const std::string& id, const Share& share);
  // Somebody of the share knows its name, and may come back for it.
  void keep(const Lock& held, const std::string& id, const Share& share);

 private:
  void check(const Lock& held) const;

  std::mutex mutex_;
  std::map<std::pair<std::string, Share>, int> waiting_;
};

// How many requests may keep waiting for a job, of one address and in all: each of them has a
// thread for as long as it waits. May be called from several threads.
class WaitingPlaces {
 public:
  WaitingPlaces(int most, int most_each) : most_(most), most_each_(most_each) {}

  // Held until the last copy of it is gone; null: there is none for this address.
  using Place = std::shared_ptr<void>;
  Place take(const std::string& address);

 private:
  void give_back(const std::string& who);

  int most_;
  int most_each_;
  std::mutex mutex_;
  int taken_ = 0;
  std::map<std::string, int> taken_by_;
};

}  // namespace poet
