#include "poet/service/team_queue.h"

#include <chrono>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/service/model_shelf.h"
#include "poet/service/request_fields.h"

namespace poet {
namespace {

constexpr std::size_t kMostWords = 4096;  // that are remembered by job, and as many looks
constexpr double kLookAgainS = 2;         // whatever was told or not

Lane lane_for(JobKind kind) {
  return kind == JobKind::Curve ? Lane::Curves : Lane::Plans;
}

JobQueue::Submitted submitted(TeamAsked asked) {
  switch (asked) {
    case TeamAsked::Ended:
      return JobQueue::Submitted::Ended;
    case TeamAsked::Full:
      return JobQueue::Submitted::Full;
    case TeamAsked::ShareIsFull:
      return JobQueue::Submitted::ShareIsFull;
    case TeamAsked::Accepted:
      break;
  }
  return JobQueue::Submitted::Accepted;
}

// Why a job waits, if it does.
std::optional<WaitReason> wait_of(const TeamView& view) {
  WaitReason reason{.lane = view.lane == lane_name(Lane::Curves) ? Lane::Curves : Lane::Plans};
  if (view.is_ending) {
    reason.kind = WaitReason::Kind::Ending;
    return reason;
  }
  if (!view.ahead) return std::nullopt;
  reason.ahead = *view.ahead;
  reason.kind = reason.ahead > 0 ? WaitReason::Kind::Turn : WaitReason::Kind::Worker;
  return reason;
}

}  // namespace

TeamQueue::TeamQueue(const QueueOptions& options, TeamPlacesOptions places, TeamStore& store,
                     Metrics& metrics, ServiceClock clock, DoJob do_job, WorkComplaint complaint)
    : options_(options),
      store_(store),
      metrics_(metrics),
      clock_(clock),
      places_(std::move(places), store, metrics, std::move(clock), std::move(do_job),
              std::move(complaint), [this](const std::string& id) { hear(id); }) {}

void TeamQueue::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  told_.notify_all();
  places_.stop();
  store_.pool().stop();
}

Result<JobQueue::Submitted> TeamQueue::submit(const JobQuestion& question,
                                              const std::string& model_name, const Asker& asker) {
  const std::string& model = question.asked.model;
  TeamAsk ask{.job = {.id = question_id(question),
                      .kind = std::string(name_of(kJobKinds, question.kind)),
                      .request = json_line(question_to_json(question)),
                      .model_name = model_name},
              .lane = lane_name(lane_for(question.kind)),
              .asks = kQuestionVersion,
              .needs_note = names_upload(model) ? ModelShelf::note_of(model) : std::string(),
              .needs_job = question.plan_id,
              .owner = asker.owner,
              .share = asker.share,
              .most_queued = options_.most_queued,
              .most_queued_each = options_.most_queued_each};
  const Result<TeamAsked> asked = store_.live().ask(ask);
  if (!asked.ok()) return asked.error();
  if (*asked == TeamAsked::Ended) {
    store_.jobs().touch_job(ask.job.id);
    metrics_.count_store_hit();
  }
  return submitted(*asked);
}

Result<std::optional<JobView>> TeamQueue::view(const std::string& id) const {
  Result<std::optional<TeamView>> found = store_.live().view(id);
  if (!found.ok()) return found.error();
  if (!*found) return std::optional<JobView>();
  TeamView& team = **found;
  JobView view{.job = std::move(team.job), .wait = wait_of(team), .progress = team.progress};
  if (view.wait) {
    view.job.state = JobState::Queued;
    view.ahead = view.wait->ahead;
  }
  return std::optional(std::move(view));
}

Result<bool> TeamQueue::forget(const std::string& id) {
  const Result<bool> live = store_.live().is_live(id);
  if (!live.ok()) return live.error();
  if (*live) return false;
  if (Failure failure = store_.jobs().forget_job(id)) return *failure;
  return true;
}

void TeamQueue::hear(const std::string& id) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++last_word_;
    if (words_.size() >= kMostWords) {
      words_.clear();
      word_for_all_ = last_word_;
    }
    if (id.empty())
      word_for_all_ = last_word_;
    else
      words_[id] = last_word_;
  }
  told_.notify_all();
}

std::uint64_t TeamQueue::heard_of(const std::string& id) const {
  const auto word = words_.find(id);
  return std::max(word_for_all_, word == words_.end() ? 0 : word->second);
}

bool TeamQueue::wait_for_word(const std::string& id, std::uint64_t seen, double limit_s) const {
  std::unique_lock<std::mutex> lock(mutex_);
  return told_.wait_for(lock, std::chrono::duration<double>(limit_s),
                        [&] { return ended_ || heard_of(id) > seen; });
}

bool TeamQueue::had_nothing(const std::string& id, std::int64_t number) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto look = looks_.find(id);
  return look != looks_.end() && look->second.number == number &&
         heard_of(id) <= look->second.seen && clock_.elapsed_s() < look->second.at_s + kLookAgainS;
}

void TeamQueue::note_nothing(const std::string& id, const Look& look) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (looks_.size() >= kMostWords) looks_.clear();
  looks_[id] = look;
}

Result<JobQueue::News> TeamQueue::news_after(const std::string& id, std::int64_t number,
                                             double limit_s) const {
  // Once more at the end of the time, and now and then whatever was told: a word may get lost with
  // a connection.
  for (const bool last : {false, true}) {
    std::uint64_t seen = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      seen = last_word_;
    }
    if (!had_nothing(id, number)) {
      const double at_s = clock_.elapsed_s();
      const Result<TeamNews> team = store_.live().news(id, number);
      if (!team.ok()) return team.error();
      News news{.ended = team->ended};
      for (const TeamEvent& event : team->events)
        news.events.push_back({event.number, event.name, event.data});
      if (news.ended || !news.events.empty()) return news;
      note_nothing(id, {number, seen, at_s});
    }
    if (last) break;
    wait_for_word(id, seen, limit_s);
    if (stopping()) return News();
  }
  return News();
}

bool TeamQueue::wait_for_end(const std::string& id, double limit_s) const {
  const double end_s = clock_.elapsed_s() + limit_s;
  while (true) {
    std::uint64_t seen = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      seen = last_word_;
    }
    const Result<bool> live = store_.live().is_live(id);
    if (live.ok() && !*live) return true;
    const double left_s = end_s - clock_.elapsed_s();
    if (left_s <= 0 || stopping()) return false;
    wait_for_word(id, seen, left_s);
  }
}

Result<JobQueue::InUse> TeamQueue::in_use() const {
  const Result<TeamJobs::Needed> needed = store_.live().needed();
  if (!needed.ok()) return needed.error();
  InUse use;
  use.jobs.insert(needed->jobs.begin(), needed->jobs.end());
  for (const std::string& note : needed->notes)
    if (const std::optional<std::string> model = ModelShelf::model_of_note(note))
      use.models.insert(*model);
  return use;
}

}  // namespace poet
