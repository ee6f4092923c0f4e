#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "poet/base/result.h"
#include "poet/service/job_queue.h"
#include "poet/service/metrics.h"
#include "poet/service/team_places.h"
#include "poet/store/team_store.h"

namespace poet {

// The queue of a team, as one of its services sees it: the jobs are in the database, whoever asked
// for them and whoever does them, here (TeamPlaces) or elsewhere.
class TeamQueue final : public JobQueue {
 public:
  TeamQueue(const QueueOptions& options, TeamPlacesOptions places, TeamStore& store,
            Metrics& metrics, ServiceClock clock, DoJob do_job, WorkComplaint complaint);

  Failure start() override { return places_.start(); }
  void stop() override;
  Result<Submitted> submit(const JobQuestion& question, const std::string& model_name,
                           const Asker& asker = {}) override;
  Result<bool> has(const std::string& id) const override { return store_.live().has(id); }
  // It may have asked another service.
  bool may_want(const std::string&, const Share&) const override { return true; }
  Result<std::optional<JobView>> view(const std::string& id) const override;
  Failure cancel(const std::string& id, const std::optional<Share>& share = {}) override {
    return store_.live().withdraw(id, share);
  }
  Result<bool> forget(const std::string& id) override;
  Result<News> news_after(const std::string& id, std::int64_t number,
                          double limit_s) const override;
  bool wait_for_end(const std::string& id, double limit_s) const override;
  Result<InUse> in_use() const override;
  std::int64_t queued() const override { return places_.counts().queued; }
  std::int64_t running() const override { return places_.counts().running; }
  bool stopping() const override { return places_.stopping(); }

 private:
  void hear(const std::string& id);
  std::uint64_t heard_of(const std::string& id) const;
  // Whether something was told of it after `seen`, within the time.
  bool wait_for_word(const std::string& id, std::uint64_t seen, double limit_s) const;
  // What had nothing new when somebody looked has nothing as long as no word comes, or for so long
  // as a lost word may go unnoticed.
  struct Look {
    std::int64_t number = 0;
    std::uint64_t seen = 0;
    double at_s = 0;
  };
  bool had_nothing(const std::string& id, std::int64_t number) const;
  void note_nothing(const std::string& id, const Look& look) const;

  QueueOptions options_;
  TeamStore& store_;
  Metrics& metrics_;
  ServiceClock clock_;

  mutable std::mutex mutex_;
  mutable std::condition_variable told_;
  std::uint64_t last_word_ = 0;
  std::uint64_t word_for_all_ = 0;              // what was told before may have been missed
  std::map<std::string, std::uint64_t> words_;  // the last of each job
  mutable std::map<std::string, Look> looks_;   // the last of each job that found nothing
  bool ended_ = false;

  TeamPlaces places_;  // last: it tells the others
};

}  // namespace poet
