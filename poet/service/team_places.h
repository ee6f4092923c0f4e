#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "poet/base/result.h"
#include "poet/service/job_queue.h"
#include "poet/service/metrics.h"
#include "poet/service/team_places_options.h"
#include "poet/service/work_room.h"
#include "poet/store/team_store.h"

namespace poet {

// The newest version of questions (JobQuestion) that this program reads and writes. It goes up when
// an older program would misread them: workers of a team leave alone what is too new for them.
inline constexpr std::int64_t kQuestionVersion = 1;

// The words for lanes in the database.
std::string lane_name(Lane lane);

// The places of one process of a team: each has a thread, which takes the job whose turn it is in
// the whole team and does it. One more thread renews the leases of what runs here and hears what
// others tell: that there is a job, that one is not wanted any more, that something happened. While
// the database cannot be reached, what runs goes on until its lease is over; then another may have
// taken it, and it is given up. What cannot be kept is tried again until it can.
class TeamPlaces {
 public:
  // `told`: what happened to a job, by its id; "" after a while in which nothing was heard.
  TeamPlaces(TeamPlacesOptions options, TeamStore& store, Metrics& metrics, ServiceClock clock,
             DoJob do_job, WorkComplaint complaint,
             std::function<void(const std::string& job)> told = {});
  ~TeamPlaces();  // as stop()
  TeamPlaces(const TeamPlaces&) = delete;
  TeamPlaces& operator=(const TeamPlaces&) = delete;

  Failure start();
  // Jobs that run here are given back and begun again elsewhere; waits for their threads.
  void stop();
  bool stopping() const;
  // Of the whole team, a moment ago.
  TeamJobs::Counts counts() const;

 private:
  // A job that runs here.
  struct Held {
    double renewed_s = 0;  // its lease lasts from then
    bool ends = false;
    bool is_lost = false;
  };

  void work(Lane lane);
  void do_one(const TeamClaim& claim);
  void settle(const TeamClaim& claim, JobOutcome outcome);
  void keep(StoredJob job, const std::string& ticket, const std::vector<StoredFile>& files);
  WorkerWish wish_for(const std::string& ticket);
  bool wait(double seconds);

  void listen();
  // Whether something was heard of a job that runs here.
  bool take_in(const std::vector<std::string>& notices);
  void renew();
  void look_around();

  const TeamPlacesOptions options_;
  TeamStore& store_;
  Metrics& metrics_;
  ServiceClock clock_;
  DoJob do_job_;
  WorkComplaint complaint_;
  std::function<void(const std::string&)> told_;
  int wake_ = -1;  // eventfd: ends listening

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool stopping_ = false;
  std::uint64_t news_ = 0;  // goes up when there may be a job to begin
  std::int64_t last_ticket_ = 0;
  std::map<std::string, Held> held_;  // by ticket
  TeamJobs::Counts counts_;
  std::vector<std::thread> threads_;
};

}  // namespace poet
