#include "poet/service/team_places.h"

#include <fmt/core.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "poet/base/file_calls.h"
#include "poet/base/json_out.h"
#include "poet/service/kept_best.h"

namespace poet {
namespace {

constexpr double kIdleS = 2;        // that a place waits without news before it looks by itself
constexpr double kPauseS = 1;       // after the database could not be asked
constexpr double kLookAroundS = 1;  // between looks at how much waits
// Of a lease: how often it is renewed, and how long one try may take.
constexpr double kBeatsOfALease = 5;
// An answer is not given up because the database was away for a while.
constexpr double kLongestKeepingS = 3600;
// Of a curve of progress, however long the search: lines come the more seldom the more there are.
constexpr double kFirstPaceS = 0.25;
constexpr int kLinesOfAPace = 100;

// Which lines of progress are told.
class ProgressPace {
 public:
  bool lets_pass(double now_s) {
    if (now_s < next_s_) return false;
    if (++lines_ % kLinesOfAPace == 0) pace_s_ *= 2;
    next_s_ = now_s + pace_s_;
    return true;
  }

 private:
  double pace_s_ = kFirstPaceS;
  double next_s_ = 0;
  int lines_ = 0;
};

std::string error_line(const ServiceError& error) {
  return json_line(error_object(error));
}

}  // namespace

std::string lane_name(Lane lane) {
  return lane == Lane::Curves ? "curves" : "plans";
}

TeamPlaces::TeamPlaces(TeamPlacesOptions options, TeamStore& store, Metrics& metrics,
                       ServiceClock clock, DoJob do_job, WorkComplaint complaint,
                       std::function<void(const std::string&)> told)
    : options_(std::move(options)),
      store_(store),
      metrics_(metrics),
      clock_(std::move(clock)),
      do_job_(std::move(do_job)),
      complaint_(std::move(complaint)),
      told_(std::move(told)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

TeamPlaces::~TeamPlaces() {
  stop();
  if (wake_ >= 0) close(wake_);
}

Failure TeamPlaces::start() {
  if (wake_ < 0) return Error{ErrorCode::Io, "cannot wait for a database: " + reason_of(errno), {}};
  threads_.emplace_back([this] { listen(); });
  for (int k = 0; k < options_.jobs; ++k) threads_.emplace_back([this] { work(Lane::Plans); });
  for (int k = 0; k < options_.curves; ++k) threads_.emplace_back([this] { work(Lane::Curves); });
  return std::nullopt;
}

void TeamPlaces::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
  }
  changed_.notify_all();
  const std::uint64_t one = 1;
  // Fails only when the counter is full: then the other side is awake already.
  static_cast<void>(!::write(wake_, &one, sizeof one));
  for (std::thread& thread : threads) thread.join();
}

bool TeamPlaces::stopping() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopping_;
}

TeamJobs::Counts TeamPlaces::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

// Whether it goes on afterwards.
bool TeamPlaces::wait(double seconds) {
  std::unique_lock<std::mutex> lock(mutex_);
  return !changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                            [this] { return stopping_; });
}

void TeamPlaces::work(Lane lane) {
  bool complained = false;
  while (true) {
    std::uint64_t seen = 0;
    std::string ticket;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (stopping_) return;
      seen = news_;
      ticket = fmt::format("{}:{}", options_.name, ++last_ticket_);
    }
    const Result<std::optional<TeamClaim>> claim =
        store_.live().claim(lane_name(lane), ticket, options_.lease_s, kQuestionVersion);
    if (claim.ok() && *claim) {
      do_one(**claim);
    } else if (claim.ok()) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait_for(lock, std::chrono::duration<double>(kIdleS),
                        [&] { return stopping_ || news_ != seen; });
    } else {
      if (!std::exchange(complained, true)) complaint_(to_string(claim.error()));
      if (!wait(kPauseS)) return;
      continue;
    }
    complained = false;
  }
}

WorkerWish TeamPlaces::wish_for(const std::string& ticket) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Held& held = held_.at(ticket);
  if (clock_.elapsed_s() > held.renewed_s + options_.lease_s) held.is_lost = true;
  if (stopping_ || held.is_lost) return WorkerWish::Die;
  return held.ends ? WorkerWish::Finish : WorkerWish::GoOn;
}

void TeamPlaces::do_one(const TeamClaim& claim) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_[claim.ticket] = {.renewed_s = clock_.elapsed_s()};
  }
  ProgressPace pace;
  JobOutcome outcome = do_job_(
      claim.job,
      [&](const std::string& line) {
        // Whatever a worker says that is no object of JSON is not passed on.
        const JsonOut news = json_of_text(line);
        if (!news.is_object() || !pace.lets_pass(clock_.elapsed_s())) return;
        // Another line comes, or the answer.
        static_cast<void>(store_.live().tell_progress(claim.job.id, claim.ticket, json_line(news)));
      },
      [&] { return wish_for(claim.ticket); });
  settle(claim, std::move(outcome));
  const std::lock_guard<std::mutex> lock(mutex_);
  held_.erase(claim.ticket);
}

void TeamPlaces::settle(const TeamClaim& claim, JobOutcome outcome) {
  bool is_lost = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_lost = held_.at(claim.ticket).is_lost;
  }
  const auto give_back = [&](TeamJobs::Attempt attempt) {
    // A lease that is not given back runs out.
    static_cast<void>(store_.live().give_back(claim.job.id, claim.ticket, attempt));
  };
  if (is_lost && outcome.lost)
    complaint_("the lease of a job was over before it was done: it is begun again");
  if (outcome.lost) return give_back(TeamJobs::Attempt::DoesNotCount);
  if (outcome.unreachable) {
    give_back(TeamJobs::Attempt::DoesNotCount);
    wait(kPauseS);
    return;
  }
  if (outcome.struck) {
    if (claim.job.attempts < kMostAttempts) return give_back(TeamJobs::Attempt::Counts);
    if (outcome.output.error) outcome.output.error->message += "; it was begun twice";
  }
  metrics_.count_worker(outcome.wall_s);
  StoredJob job = claim.job;
  job.state = outcome.output.error ? JobState::Failed : JobState::Done;
  job.result = std::move(outcome.output.result);
  job.summary = std::move(outcome.output.summary);
  if (outcome.output.error) job.error = error_line(*outcome.output.error);
  keep(std::move(job), claim.ticket, outcome.output.files);
}

void TeamPlaces::keep(StoredJob job, const std::string& ticket,
                      const std::vector<StoredFile>& files) {
  const double begin_s = clock_.elapsed_s();
  while (true) {
    const Result<std::optional<JobState>> kept =
        store_.live().end(job, ticket, files, takes_its_place);
    if (kept.ok()) {
      if (*kept) metrics_.count_job(job.kind, std::string(name_of(kJobStates, **kept)));
      return;
    }
    complaint_(to_string(kept.error()));
    if (kept.error().code != ErrorCode::Io) break;
    if (clock_.elapsed_s() - begin_s > kLongestKeepingS || !wait(kPauseS)) return;
  }
  // What the database does not take is told in place of it.
  job.state = JobState::Failed;
  job.result.clear();
  job.summary.clear();
  job.error = error_line({.code = "internal", .message = "its answer could not be kept"});
  static_cast<void>(store_.live().end(job, ticket, {}, takes_its_place));
}

void TeamPlaces::listen() {
  const double beat_s = options_.lease_s / kBeatsOfALease;
  std::unique_ptr<PostgresConnection> ear;
  double renewed_s = clock_.elapsed_s();
  double looked_s = renewed_s - kLookAroundS;
  while (!stopping()) {
    if (!ear) {
      Result<std::unique_ptr<PostgresConnection>> opened = store_.pool().open_one();
      if (opened.ok() && !(*opened)->tell("LISTEN poet_jobs")) {
        ear = *std::move(opened);
        take_in({""});
      }
    }
    bool concerns_us = false;
    if (ear) {
      const Result<std::vector<std::string>> heard =
          ear->hear(std::min(beat_s, kLookAroundS), wake_);
      if (heard.ok())
        concerns_us = take_in(*heard);
      else
        ear.reset();
    } else if (!wait(std::min(beat_s, kPauseS))) {
      return;
    }
    const double now_s = clock_.elapsed_s();
    if (concerns_us || now_s > renewed_s + beat_s) {
      renewed_s = now_s;
      renew();
    }
    if (now_s > looked_s + kLookAroundS) {
      looked_s = now_s;
      look_around();
    }
  }
}

bool TeamPlaces::take_in(const std::vector<std::string>& notices) {
  constexpr std::string_view kEnds = " ends";
  bool concerns_us = false;
  bool may_begin = false;
  for (const std::string& notice : notices) {
    const std::string id = notice.substr(0, notice.find(' '));
    if (notice.ends_with(kEnds)) concerns_us = true;
    if (notice.empty() || notice.ends_with(" queued")) may_begin = true;
    if (told_) told_(id);
  }
  if (may_begin) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++news_;
    }
    changed_.notify_all();
  }
  return concerns_us;
}

void TeamPlaces::renew() {
  std::vector<std::string> tickets;
  const double now_s = clock_.elapsed_s();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [ticket, held] : held_) tickets.push_back(ticket);
  }
  if (tickets.empty()) return;
  const Result<std::vector<TeamLease>> leases =
      store_.live().renew(tickets, options_.lease_s, options_.lease_s / kBeatsOfALease);
  // Who cannot ask gives up what runs when its lease is over.
  if (!leases.ok()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const std::string& ticket : tickets) {
    const auto held = held_.find(ticket);
    if (held == held_.end()) continue;
    const auto lease = std::find_if(leases->begin(), leases->end(),
                                    [&](const TeamLease& one) { return one.ticket == ticket; });
    if (lease == leases->end()) {
      held->second.is_lost = true;
    } else {
      held->second.renewed_s = now_s;
      held->second.ends = lease->ends;
    }
  }
}

void TeamPlaces::look_around() {
  const Result<TeamJobs::Counts> counts = store_.live().counts(/*patience_s=*/0);
  if (!counts.ok()) return;
  static_cast<void>(store_.jobs().write_uses());
  const std::lock_guard<std::mutex> lock(mutex_);
  counts_ = *counts;
}

}  // namespace poet
