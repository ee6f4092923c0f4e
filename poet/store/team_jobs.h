#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/store/job_store.h"
#include "poet/store/postgres_pool.h"

namespace poet {

// How often a job is begun anew whose workers were lost with it: it may be what ends them.
inline constexpr std::int64_t kMostLost = 5;

// What is asked of a team.
struct TeamAsk {
  StoredJob job = {};
  std::string lane = {};
  std::int64_t asks = 1;                  // the version of its question
  std::string needs_note = {};            // that is not forgotten meanwhile; empty: none
  std::string needs_job = {};             // whose files are not, either; empty: none
  std::optional<std::string> owner = {};  // who may see it from now on; none: everybody may
  std::string share = {};
  std::int64_t most_queued = 0;       // of the whole team
  std::int64_t most_queued_each = 0;  // of one share
};

enum class TeamAsked {
  Ended,     // the same was asked before and is answered
  Accepted,  // it waits or runs
  Full,
  ShareIsFull,
};

// A job as it stands in a team now.
struct TeamView {
  StoredJob job = {};
  std::optional<std::int64_t> ahead = {};  // jobs that are begun before it, while it waits
  bool is_ending = false;                  // it was cancelled, and begins again for who asked since
  std::string lane = {};
  std::string progress = {};  // the last line; empty: none
};

struct TeamEvent {
  std::int64_t number = 0;
  std::string name = {};
  std::string data = {};
};

struct TeamNews {
  std::vector<TeamEvent> events = {};
  bool ended = false;
};

// A job that a worker has, for as long as it renews its lease. The ticket is the worker's word for
// it, unlike all others.
struct TeamClaim {
  StoredJob job = {};
  std::string ticket = {};
};

// What a worker hears of a job that it has.
struct TeamLease {
  std::string ticket = {};
  bool ends = false;  // nobody wants it any more: it is to end with its best
};

// The jobs of a team that have not ended, in its database: which of them is begun next, by whoever
// asks; what a request, an end, or the loss of a worker changes. The rules are those of one service
// (poet/service/job_table.h), but for workers that may be gone: their leases run out, and their
// jobs wait again. Every function may be tried again, by this or another process, and does nothing
// then that it has done. Times are the database's.
class TeamJobs {
 public:
  explicit TeamJobs(const PostgresPool& pool) : pool_(pool) {}

  Result<TeamAsked> ask(const TeamAsk& asked);
  Result<bool> has(const std::string& id) const;
  Result<std::optional<TeamView>> view(const std::string& id) const;
  // The share does not want it any more; none: nobody does.
  Failure withdraw(const std::string& id, const std::optional<std::string>& share);
  // The events after `number`. What is not there has ended.
  Result<TeamNews> news(const std::string& id, std::int64_t number) const;
  Result<bool> is_live(const std::string& id) const;

  struct Needed {
    std::vector<std::string> notes = {};
    std::vector<std::string> jobs = {};  // with those that wait or run
  };
  Result<Needed> needed() const;
  struct Counts {
    std::int64_t queued = 0;
    std::int64_t running = 0;
  };
  Result<Counts> counts(double patience_s) const;

  // For workers. The job of a lane whose turn it is, if there is one whose question can be read;
  // what others have lost is taken back first.
  Result<std::optional<TeamClaim>> claim(const std::string& lane, const std::string& ticket,
                                         double lease_s, std::int64_t most_asks);
  // Of these tickets, those that still hold, for `lease_s` from now.
  Result<std::vector<TeamLease>> renew(const std::vector<std::string>& tickets, double lease_s,
                                       double patience_s);
  Failure tell_progress(const std::string& id, const std::string& ticket, const std::string& line);
  // It waits again. DoesNotCount: it was given up politely.
  enum class Attempt { Counts, DoesNotCount };
  Failure give_back(const std::string& id, const std::string& ticket, Attempt attempt);
  // What a job came to: its state (Done or Failed; cancelled where nobody wanted it any more),
  // result, summary, error and files, all or nothing, and once: nothing of whoever has lost it.
  // `takes_its_place`: whether it does so of what an earlier run came to. What was kept of it.
  using TakesPlace = std::function<bool(const StoredJob& job, const StoredJob& former)>;
  Result<std::optional<JobState>> end(StoredJob job, const std::string& ticket,
                                      const std::vector<StoredFile>& files,
                                      const TakesPlace& takes_its_place);

 private:
  const PostgresPool& pool_;
};

}  // namespace poet
