#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace poet {

// Counts for GET /metrics. Its functions may be called from several threads.
class Metrics {
 public:
  // A request that was answered: its route's pattern, and how long it took.
  void count_request(const std::string& route, int status, double seconds);
  void count_store_hit() { add(store_hits_); }
  void count_refused() { add(refused_); }  // queue full or too many requests
  void count_job(const std::string& kind, const std::string& end);
  void count_worker(double wall_s);

  // What it does not count itself.
  struct Now {
    std::int64_t queued = 0;
    std::int64_t running = 0;
    std::int64_t store_bytes = 0;
    double uptime_s = 0;
  };
  std::string prometheus_text(const Now& now) const;

 private:
  static constexpr std::array<double, 10> kBucketsS = {0.001, 0.0025, 0.005, 0.01, 0.025,
                                                       0.05,  0.1,    0.5,   2,    10};
  struct Durations {
    std::array<std::int64_t, kBucketsS.size()> at_most = {};
    std::int64_t count = 0;
    double sum_s = 0;
  };

  void add(std::int64_t& counter) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++counter;
  }

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::int64_t> requests_;
  std::map<std::string, Durations> durations_;
  std::map<std::pair<std::string, std::string>, std::int64_t> jobs_;
  std::int64_t store_hits_ = 0;
  std::int64_t refused_ = 0;
  double worker_s_ = 0;
};

}  // namespace poet
