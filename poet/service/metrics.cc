#include "poet/service/metrics.h"

#include <fmt/core.h>

namespace poet {
namespace {

std::string head(const char* name, const char* type, const char* help) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

template <typename T>
std::string single(const char* name, const char* type, const char* help, T value) {
  return head(name, type, help) + fmt::format("{} {}\n", name, value);
}

}  // namespace

void Metrics::count_request(const std::string& route, int status, double seconds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++requests_[{route, status}];
  Durations& durations = durations_[route];
  ++durations.count;
  durations.sum_s += seconds;
  for (std::size_t k = 0; k < kBucketsS.size(); ++k)
    if (seconds <= kBucketsS[k]) ++durations.at_most[k];
}

void Metrics::count_job(const std::string& kind, const std::string& end) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++jobs_[{kind, end}];
}

void Metrics::count_worker(double wall_s) {
  const std::lock_guard<std::mutex> lock(mutex_);
  worker_s_ += wall_s;
}

std::string Metrics::prometheus_text(const Now& now) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text = head("poet_requests_total", "counter", "Requests by route and status.");
  for (const auto& [key, count] : requests_)
    text += fmt::format("poet_requests_total{{route=\"{}\",code=\"{}\"}} {}\n", key.first,
                        key.second, count);
  text += head("poet_request_seconds", "histogram", "Time to answer, by route.");
  for (const auto& [route, durations] : durations_) {
    for (std::size_t k = 0; k < kBucketsS.size(); ++k)
      text += fmt::format("poet_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route,
                          kBucketsS[k], durations.at_most[k]);
    text += fmt::format(
        "poet_request_seconds_bucket{{route=\"{0}\",le=\"+Inf\"}} {1}\n"
        "poet_request_seconds_sum{{route=\"{0}\"}} {2}\n"
        "poet_request_seconds_count{{route=\"{0}\"}} {1}\n",
        route, durations.count, durations.sum_s);
  }
  text += head("poet_jobs_total", "counter", "Jobs that ended, by kind and end.");
  for (const auto& [key, count] : jobs_)
    text +=
        fmt::format("poet_jobs_total{{kind=\"{}\",end=\"{}\"}} {}\n", key.first, key.second, count);
  return text +
         single("poet_store_hits_total", "counter", "Jobs answered from the store.", store_hits_) +
         single("poet_refused_total", "counter", "Requests answered with 429.", refused_) +
         single("poet_worker_seconds_total", "counter", "Wall time of workers.", worker_s_) +
         single("poet_queue_jobs", "gauge", "Jobs that wait.", now.queued) +
         single("poet_running_jobs", "gauge", "Jobs that run.", now.running) +
         single("poet_store_bytes", "gauge", "Size of the store.", now.store_bytes) +
         single("poet_uptime_seconds", "gauge", "Since the start.", now.uptime_s);
}

}  // namespace poet
