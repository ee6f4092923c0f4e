#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/service/fair_turns.h"
#include "poet/service/job_queue.h"
#include "poet/service/model_shelf.h"
#include "poet/service/work.h"
#include "poet/service/worker_process.h"

namespace poet {

struct WorkRoomOptions {
  std::string folder = {};                // where each work has a folder of its own while it runs
  std::vector<std::string> program = {};  // the words that start a worker, but for its folder
  double job_extra_s = 120;    // for preparing and verifying, beyond a search's own limit
  double most_curve_s = 1800;  // of all searches of a curve together
  double look_limit_s = 30;    // of describing a model
  LookTurnsOptions looks = {};
};

// What went wrong with a work, for whoever runs the service. May be empty.
using WorkComplaint = std::function<void(const std::string&)>;

// Who waits for a look.
struct Looker {
  std::string share = {};
  std::function<bool()> is_given_up = {};  // asked meanwhile; empty: it is not
};

// Has works done by processes of their own, each in a folder that is gone afterwards.
class WorkRoom {
 public:
  // Empties the folder, which is made when it is not there.
  static Failure prepare(const std::string& folder);

  WorkRoom(WorkRoomOptions options, const ModelShelf& shelf, const JobStore& store,
           ServiceClock clock, WorkComplaint complaint);

  // For the queue.
  JobOutcome do_job(const StoredJob& job, const ProgressLine& progress,
                    const std::function<WorkerWish()>& wish);

  // For requests that wait: in the calling thread, by turns, and no longer than somebody waits.
  // `model_path`: of a model that is not kept yet; empty: that of the order, if it is an upload.
  WorkOutput look(const WorkOrder& order, const std::string& model_path, const Looker& looker);

  // Ends looks; no more are done.
  void stop();

 private:
  struct Files {
    std::string model_path = {};  // of an upload that is not kept yet, to link to; empty: none
    std::string model_id = {};    // of one that is; empty: none
    std::optional<std::string> plan_text = {};
  };

  Result<std::string> make_folder(const WorkOrder& order, const Files& files);
  // `what`: that the worker does, for complaints.
  JobOutcome run(const std::string& what, WorkOrder order, const Files& files, double limit_s,
                 const ProgressLine& progress, const std::function<WorkerWish()>& wish);

  WorkRoomOptions options_;
  const ModelShelf& shelf_;
  const JobStore& store_;
  ServiceClock clock_;
  WorkComplaint complaint_;
  std::atomic<std::int64_t> next_folder_ = 0;

  LookTurns turns_;
};

}  // namespace poet
