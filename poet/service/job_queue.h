#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/service/job_question.h"
#include "poet/service/job_table.h"
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
// again. Struck: its worker died of a signal that nobody here sent. Unreachable: what it needs is
// in a database that could not be asked, which is no fault of the job.
struct JobOutcome {
  WorkOutput output = {};
  bool lost = false;
  bool struck = false;
  bool unreachable = false;
  double wall_s = 0;
};

// Does a job in the calling thread.
using DoJob = std::function<JobOutcome(const StoredJob& job, const ProgressLine& progress,
                                       const std::function<WorkerWish()>& wish)>;

// How often a job is begun whose worker, or service, was ended by a signal.
inline constexpr std::int64_t kMostAttempts = 2;

// Who asks for a job.
struct Asker {
  std::optional<std::string> owner = {};  // who may see it from now on; none: everybody may
  Share share = {};
};

// The jobs that wait and run, for those who ask: over a store of one service (local_queue.h), or
// over a database that several services and workers share (team_queue.h). Its functions may be
// called from several threads.
class JobQueue {
 public:
  virtual ~JobQueue() = default;

  // Takes back what has not ended, and begins to work.
  virtual Failure start() = 0;
  // Jobs that run here are given up and stay queued in the store; waits for their threads.
  virtual void stop() = 0;

  enum class Submitted {
    Ended,     // the same was asked before and is answered
    Accepted,  // it waits or runs
    Full,
    ShareIsFull,  // of what one share may have waiting
  };
  virtual Result<Submitted> submit(const JobQuestion& question, const std::string& model_name,
                                   const Asker& asker = {}) = 0;
  // Whether submit() would find it, waiting, running or answered.
  virtual Result<bool> has(const std::string& id) const = 0;

  // Whether a job that has not ended may be wanted by the share already.
  virtual bool may_want(const std::string& id, const Share& share) const = 0;

  virtual Result<std::optional<JobView>> view(const std::string& id) const = 0;
  // The share does not want it any more; none: nobody does. It ends when nobody wants it. Nothing
  // happens to a job that has ended, or is not there.
  virtual Failure cancel(const std::string& id, const std::optional<Share>& share = {}) = 0;
  // Removes a job that has ended, with its files; false: it has not ended.
  virtual Result<bool> forget(const std::string& id) = 0;

  // What happened after `number`, waiting for it up to `limit_s`; `ended`: there will be no more.
  struct News {
    std::vector<JobEvent> events = {};
    bool ended = false;
  };
  virtual Result<News> news_after(const std::string& id, std::int64_t number,
                                  double limit_s) const = 0;
  // Whether it ended within the time.
  virtual bool wait_for_end(const std::string& id, double limit_s) const = 0;

  // What jobs that wait or run need of the store.
  struct InUse {
    std::set<std::string> models = {};
    std::set<std::string> jobs = {};
  };
  virtual Result<InUse> in_use() const = 0;

  virtual std::int64_t queued() const = 0;
  virtual std::int64_t running() const = 0;
  virtual bool stopping() const = 0;
};

// The document that `GET /v1/plans/{id}` answers, on several lines.
std::string job_text(const JobView& view);
// Of a list: without its result.
JsonOut job_line_json(const StoredJob& job);

}  // namespace poet
