#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace poet {

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
