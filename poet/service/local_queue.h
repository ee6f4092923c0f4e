#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "poet/base/result.h"
#include "poet/service/job_queue.h"
#include "poet/service/metrics.h"
#include "poet/store/sqlite_jobs.h"

namespace poet {

// Writes what a job came to, once there is room in the store for so many bytes; false: there is
// none.
using KeepEnd =
    std::function<Result<bool>(std::int64_t bytes, const std::function<Failure()>& write)>;

// The queue of one service (job_table.h says how its jobs live), over the file that keeps them all.
// Each place has a thread. Jobs that a former service left are begun again, but for those that were
// under way twice when a service ended: they may be what ended it. An error of the store loses no
// job: what could not be kept is told from memory.
class LocalQueue final : public JobQueue {
 public:
  LocalQueue(const QueueOptions& options, SqliteJobs& store, Metrics& metrics, ServiceClock clock,
             DoJob do_job, KeepEnd keep_end = {});
  ~LocalQueue() override;  // as stop()
  LocalQueue(const LocalQueue&) = delete;
  LocalQueue& operator=(const LocalQueue&) = delete;

  Failure start() override;
  void stop() override;
  Result<Submitted> submit(const JobQuestion& question, const std::string& model_name,
                           const Asker& asker = {}) override;
  Result<bool> has(const std::string& id) const override;
  bool may_want(const std::string& id, const Share& share) const override;
  Result<std::optional<JobView>> view(const std::string& id) const override;
  Failure cancel(const std::string& id, const std::optional<Share>& share = {}) override;
  Result<bool> forget(const std::string& id) override;
  Result<News> news_after(const std::string& id, std::int64_t number,
                          double limit_s) const override;
  bool wait_for_end(const std::string& id, double limit_s) const override;
  Result<InUse> in_use() const override;
  std::int64_t queued() const override;
  std::int64_t running() const override;
  bool stopping() const override;

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
  void wait_once_more(const std::string& id, SqliteJobs::Attempt attempt);
  void begin_again(const std::string& id);
  void note_progress(const std::string& id, const std::string& line);
  void add_event(Live& live, std::string name, std::string data);

  SqliteJobs& store_;
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

}  // namespace poet
