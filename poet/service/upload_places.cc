#include "poet/service/upload_places.h"

#include <algorithm>
#include <utility>

#include "poet/service/access.h"

namespace poet {

UploadPlaces::Place UploadPlaces::take(const std::string& address) {
  auto upload = std::make_unique<Upload>();
  upload->who = rate_key(address);
  upload->since_s = options_.elapsed_s();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!make_way(upload->who)) return nullptr;
  uploads_.push_back(upload.get());
  return {upload.release(), [this](Upload* gone) {
            give_back(gone);
            delete gone;  // NOLINT: of the pointer that shares it
          }};
}

// Whether there is a place for one more of this address; the oldest upload that is not sure of its
// place any more may lose it.
bool UploadPlaces::make_way(const std::string& who) {
  const auto is_own = [&who](const Upload* one) { return one->who == who; };
  const bool own_full =
      std::count_if(uploads_.begin(), uploads_.end(), is_own) >= options_.most_each;
  if (!own_full && std::ssize(uploads_) < options_.most) return true;
  const double sure_since_s = options_.elapsed_s() - options_.sure_s;
  const auto found = std::find_if(uploads_.begin(), uploads_.end(), [&](const Upload* one) {
    return !one->has_come && one->since_s < sure_since_s && (!own_full || is_own(one));
  });
  if (found == uploads_.end()) return false;
  (*found)->gives_way = true;
  uploads_.erase(found);
  return true;
}

void UploadPlaces::give_back(const Upload* upload) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase(uploads_, upload);
}

}  // namespace poet
