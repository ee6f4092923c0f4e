#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "poet/base/result.h"
#include "poet/service/job_question.h"
#include "poet/service/job_table.h"
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
  std::optional<std::int64_t> ahead = {};  // jobs that are begun before it, while it waits
  std::optional<WaitReason> wait = {};     // while it waits
  std::string progress = {};               // the last line; empty: none
};

// What doing a job came to. Lost: it was not done because the service stops, and is to be done
// again. Struck: its worker died of a signal that nobody here sent.
struct JobOutcome {
  WorkOutput output = {};
  bool lost = false;
  bool struck = false;
  double wall_s = 0;
};

// Does a job in the calling thread.
using DoJob = std::function<JobOutcome(const StoredJob& job, const ProgressLine& progress,
                                       const std::function<WorkerWish()>& wish)>;

// Who asks for a job.
struct Asker {
  std::optional<std::string> owner = {};  // who may see it from now on; none: everybody may
  Share share = {};
};

// Writes what a job came to, once there is room in the store for so many bytes; false: there is
// none.
using KeepEnd =
    std::function<Result<bool>(std::int64_t bytes, const std::function<Failure()>& write)>;

// How often a job is begun whose worker, or service, was ended by a signal.
inline constexpr std::int64_t kMostAttempts = 2;

// The jobs that wait and run (job_table.h says how they live), over the store that keeps them all.
// Each place has a thread. Jobs that a former service left are begun again, but for those that were
// under way twice when a service ended: they may be what ended it. An error of the store loses no
// job: what could not be kept is told from memory. Its functions may be called from several
// threads.
class JobQueue {
 public:
  JobQueue(const QueueOptions& options, JobStore& store, Metrics& metrics, ServiceClock clock,
           DoJob do_job, KeepEnd keep_end = {});
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
    ShareIsFull,  // of what one share may have waiting
  };
  Result<Submitted> submit(const JobQuestion& question, const std::string& model_name,
                           const Asker& asker = {});
  // Whether submit() would find it, waiting, running or answered.
  Result<bool> has(const std::string& id) const;

  Result<std::optional<JobView>> view(const std::string& id) const;
  // The share does not want it any more; none: nobody does. It ends when nobody wants it. Nothing
  // happens to a job that has ended, or is not there.
  Failure cancel(const std::string& id, const std::optional<Share>& share = {});
  // Removes a job that has ended, with its files; false: it has not ended.
  Result<bool> forget(const std::string& id);

  // What happened after `number`, waiting for it up to `limit_s`; `ended`: there will be no more.
  struct News {
    std::vector<JobEvent> events = {};
    bool ended = false;
  };
  Result<News> news_after(const std::string& id, std::int64_t number, double limit_s) const;
  // Whether it ended within the time.
  bool wait_for_end(const std::string& id, double limit_s) const;

  // What jobs that wait or run need of the store.
  struct InUse {
    std::set<std::string> models = {};
    std::set<std::string> jobs = {};
  };
  InUse in_use() const;

  std::int64_t queued() const;
  std::int64_t running() const;
  bool stopping() const;

 private:
  struct Live;
  using Lock = std::unique_lock<std::mutex>;

  Failure take_back(const StoredJob& job);
  void add_live(const StoredJob& job, const JobQuestion& question);
  void work(const std::stop_token& stop, Lane lane);
  JobOutcome do_one(const std::string& id);
  // These are called, and return, with the mutex held.
  void settle(Lock& lock, const std::string& id, JobOutcome outcome);
  void save(Lock& lock, const std::string& id, StoredJob job, WorkOutput output);
  // This without: it writes.
  Failure keep(StoredJob& job, const std::vector<StoredFile>& files);
  void wait_once_more(const std::string& id, JobStore::Attempt attempt);
  void begin_again(const std::string& id);
  void note_progress(const std::string& id, const std::string& line);
  void add_event(Live& live, std::string name, std::string data);

  JobStore& store_;
  Metrics& metrics_;
  ServiceClock clock_;
  DoJob do_job_;
  KeepEnd keep_end_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  JobTable table_;
  std::map<std::string, Live> live_;          // of the table's jobs, by id
  std::map<std::string, StoredJob> unsaved_;  // that ended and could not be kept
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

// The document that `GET /v1/plans/{id}` answers, on several lines.
std::string job_text(const JobView& view);
// Of a list: without its result.
JsonOut job_line_json(const StoredJob& job);

}  // namespace poet
