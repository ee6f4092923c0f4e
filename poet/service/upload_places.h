#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace poet {

struct UploadPlacesOptions {
  std::function<double()> elapsed_s;
  int most = 4;        // at the same time: each has its bytes in memory
  int most_each = 2;   // and of one address
  double sure_s = 30;  // that a place is its own, whoever waits
};

// Which large bodies may be received at the same time. One that takes long gives its place to
// somebody who has none, so that slow clients keep nobody out. May be called from several threads.
class UploadPlaces {
 public:
  explicit UploadPlaces(UploadPlacesOptions options) : options_(std::move(options)) {}

  struct Upload {
    std::string who = {};
    double since_s = 0;
    std::atomic<bool> has_come = false;   // all of its body: it keeps its place
    std::atomic<bool> gives_way = false;  // it has lost its place, and must end
  };
  // Held until the last copy of it is gone; null: there is none for this address.
  using Place = std::shared_ptr<Upload>;
  Place take(const std::string& address);

 private:
  bool make_way(const std::string& who);
  void give_back(const Upload* upload);

  UploadPlacesOptions options_;
  std::mutex mutex_;
  std::vector<Upload*> uploads_;  // that have a place, the oldest first
};

}  // namespace poet
