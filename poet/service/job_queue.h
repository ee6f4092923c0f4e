#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "poet/base/result.h"
#include "poet/service/job_question.h"
#include "poet/service/metrics.h"
#include "poet/service/service_clock.h"
#include "poet/service/work.h"
#include "poet/service/worker_process.h"
#include "poet/store/job_store.h"

namespace poet {

// A thing that happened to a job, in the order of `number`, which counts from 1.
struct JobEvent {
  std::int64_t number = 0;
  std::string name = {};  // "state", "progress"
  std::string data = {};  // a line of JSON

  bool operator==(const JobEvent&) const = default;
};

// A job as it stands now.
struct JobView {
  StoredJob job = {};
  std::optional<std::int64_t> ahead = {};  // in the queue, while it waits
  std::string progress = {};               // the last line; empty: none
};

// What doing a job came to. Lost: it was not done because the service stops, and is to be done
// again.
struct JobOutcome {
  WorkOutput output = {};
  bool lost = false;
  double wall_s = 0;
};

// Does a job in the calling thread.
using DoJob = std::function<JobOutcome(const StoredJob& job, const ProgressLine& progress,
                                       const std::function<WorkerWish()>& wish)>;

struct QueueOptions {
  int jobs = 1;                   // that run at the same time
  std::int64_t most_queued = 64;  // that wait
};

// The jobs that wait and run, over the store that keeps them all. At most `jobs` threads do them,
// the oldest first. Jobs that a former service left are begun again. Its functions may be called
// from several threads.
class JobQueue {
 public:
  JobQueue(const QueueOptions& options, JobStore& store, Metrics& metrics, ServiceClock clock,
           DoJob do_job);
  ~JobQueue();  // as stop()
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // Takes back what has not ended, and begins to work.
  Failure start();
  // Jobs that run are given up and stay queued in the store; waits for their threads.
  void stop();

  enum class Submitted {
    Ended,     // the same was asked before and is answered
    Accepted,  // it waits or runs
    Full,
  };
  Result<Submitted> submit(const JobQuestion& question, const std::string& model_name);

  Result<std::optional<JobView>> view(const std::string& id) const;
  // Nothing happens to a job that has ended, or is not there.
  Failure cancel(const std::string& id);

  // What happened after `number`, waiting for it up to `limit_s`; `ended`: there will be no more.
  struct News {
    std::vector<JobEvent> events = {};
    bool ended = false;
  };
  Result<News> news_after(const std::string& id, std::int64_t number, double limit_s) const;
  // Whether it ended within the time.
  bool wait_for_end(const std::string& id, double limit_s) const;

  std::int64_t queued() const;
  std::int64_t running() const;
  bool stopping() const;

 private:
  struct Live;

  void work(const std::stop_token& stop);
  void do_one(const std::string& id, const std::shared_ptr<Live>& live);
  void note_progress(const std::shared_ptr<Live>& live, const std::string& line);
  void end_job(StoredJob job, const JobOutcome& outcome, const std::shared_ptr<Live>& live);
  void add_event(Live& live, std::string name, std::string data);
  void enqueue(const std::string& id);
  std::optional<std::int64_t> ahead_of(const std::string& id) const;

  QueueOptions options_;
  JobStore& store_;
  Metrics& metrics_;
  ServiceClock clock_;
  DoJob do_job_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::deque<std::string> waiting_;
  std::map<std::string, std::shared_ptr<Live>> live_;  // waiting and running, by id
  std::int64_t running_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

// The document that `GET /v1/plans/{id}` answers, on several lines.
std::string job_text(const JobView& view);
// Of a list: without its result.
JsonOut job_line_json(const StoredJob& job);

}  // namespace poet
