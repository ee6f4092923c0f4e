#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "poet/base/result.h"
#include "poet/service/access.h"
#include "poet/service/http_message.h"
#include "poet/service/job_queue.h"
#include "poet/service/metrics.h"
#include "poet/service/model_shelf.h"
#include "poet/service/store_budget.h"
#include "poet/service/team_places_options.h"
#include "poet/service/waiting_requests.h"
#include "poet/service/work_room.h"

namespace poet {

class Service;

struct ServiceOptions {
  std::string store_folder = {};      // jobs.db, models/ and work/ in it
  std::string team_uri = {};          // of a database instead of jobs.db; empty: none
  TeamPlacesOptions places = {};      // of this process in the team of the database
  std::string page_folder = {};       // of the built page; empty: there is none
  std::string trainings_folder = {};  // where trainings write their progress; empty: none is shown
  QueueOptions queue = {};
  QuestionLimits questions = {};
  AccessOptions access = {};
  std::vector<std::string> worker_program = {};  // WorkRoomOptions::program
  std::int64_t most_model_bytes = std::int64_t{64} << 20;
  std::int64_t most_body_bytes = 256 << 10;  // of other requests
  std::int64_t most_store_bytes = std::int64_t{10} << 30;
  // Requests that wait for jobs (streams of events, GET /solve); as many may wait for their turn to
  // have a model looked at.
  int most_waiting = 64;
  int most_waiting_each = 32;  // and of one address
  double solve_wait_s = 900;   // that GET /solve waits
  double most_curve_s = 1800;  // of all searches of a curve together
};

// Where a service keeps everything, and what the queue over that is.
struct ServiceStore {
  std::shared_ptr<JobStore> jobs = {};
  std::unique_ptr<ModelFiles> models = {};
  StoreBudget::UsedBytes used_bytes = {};  // empty: what lies in the folder
  std::function<std::unique_ptr<JobQueue>(Service& service, DoJob do_job)> make_queue = {};
};

// The service without sockets: plain requests to plain responses. answer() may be called from
// several threads.
class Service {
 public:
  // Opens the store and begins what a former service left. Complaints are for whoever runs it.
  static Result<std::unique_ptr<Service>> open(ServiceOptions options, ServiceClock clock,
                                               WorkComplaint complaint);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Checked::Yes: refuse_early() had nothing against it.
  enum class Checked { No, Yes };
  HttpResponse answer(const HttpRequest& request, Checked checked = Checked::No);

  // Before a body is read: refuses what would be refused with it, by its size, type or sender.
  std::optional<HttpResponse> refuse_early(const HttpRequest& head);

  // Streams end, jobs that run go back into the queue.
  void stop();

  // Who may ask from now on. Whose token is not among them any more is refused, and their streams
  // end; their jobs and models stay.
  void set_tokens(TokenOwners tokens);

  // For routes.
  const ServiceOptions& options() const { return options_; }
  const ServiceClock& clock() const { return clock_; }
  JobStore& store() { return *store_; }
  ModelShelf& shelf() { return shelf_; }
  JobQueue& queue() { return *queue_; }
  WorkRoom& works() { return *works_; }
  Metrics& metrics() { return metrics_; }
  WaitingPlaces& places() { return places_; }
  WaitedJobs& waited() { return waited_; }
  StoreBudget& budget() { return budget_; }
  // Whether a caller who was let in still would be.
  bool still_known(const Caller& caller) const;
  // A job as this caller may see it; nothing where it is not there, or is another's.
  Result<std::optional<JobView>> view_for(const Caller& caller, const std::string& id);

 private:
  Service(ServiceOptions options, ServiceClock clock, ServiceStore store, WorkComplaint complaint);
  std::shared_ptr<const std::optional<TokenOwners>> tokens() const;
  HttpResponse routed(const HttpRequest& request, Checked checked, std::string& route);

  ServiceOptions options_;
  ServiceClock clock_;
  std::shared_ptr<JobStore> store_;
  std::unique_ptr<ModelFiles> files_;
  ModelShelf shelf_;
  Metrics metrics_;
  RateLimit rate_;
  WaitingPlaces places_;
  WaitedJobs waited_;
  mutable std::mutex tokens_mutex_;
  std::shared_ptr<const std::optional<TokenOwners>> tokens_;
  StoreBudget budget_;
  std::unique_ptr<WorkRoom> works_;
  std::unique_ptr<JobQueue> queue_;  // last: it uses the others
};

}  // namespace poet
