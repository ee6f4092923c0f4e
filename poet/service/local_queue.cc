#include "poet/service/local_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/service/kept_best.h"

namespace poet {
namespace {

// Of a curve of progress, however long the search: the older points are thinned out.
constexpr std::size_t kMostEvents = 400;
constexpr const char* kEventsFile = "events";

std::string events_text(const std::vector<JobEvent>& events) {
  JsonOut list = JsonOut::array();
  for (const JobEvent& event : events) list.push_back({event.number, event.name, event.data});
  return json_line(list);
}

std::vector<JobEvent> events_in(const std::string& text) {
  std::vector<JobEvent> events;
  const JsonOut list = json_of_text(text);
  if (!list.is_array()) return events;
  for (const JsonOut& one : list)
    if (one.is_array() && one.size() == 3 && one[0].is_number() && one[1].is_string() &&
        one[2].is_string())
      events.push_back(
          {one[0].get<std::int64_t>(), one[1].get<std::string>(), one[2].get<std::string>()});
  return events;
}

// Every second one of the progress goes, but for the last.
void thin_out(std::vector<JobEvent>& events) {
  std::vector<JobEvent> kept;
  std::size_t seen = 0;
  for (std::size_t k = 0; k < events.size(); ++k) {
    const bool goes = events[k].name == "progress" && k + 1 < events.size() && seen++ % 2 == 1;
    if (!goes) kept.push_back(std::move(events[k]));
  }
  events = std::move(kept);
}

std::string state_line(JobState state, std::int64_t unix_s) {
  return json_line({{"state", name_of(kJobStates, state)}, {"at", utc_text(unix_s)}});
}

JobState end_state(LiveEnd end, const WorkOutput& output) {
  if (end == LiveEnd::Withdrawn) return JobState::Cancelled;
  return output.error ? JobState::Failed : JobState::Done;
}

// What was cancelled is no answer: who asked meanwhile, or asks now, wanted the whole of it.
bool is_answered(const StoredJob& job) {
  return job.state == JobState::Done;
}

std::string error_text(const ServiceError& error) {
  return json_line(error_object(error));
}

Lane lane_of(JobKind kind) {
  return kind == JobKind::Curve ? Lane::Curves : Lane::Plans;
}

std::int64_t size_of(const StoredJob& job, const std::vector<StoredFile>& files) {
  std::size_t size = job.result.size() + job.summary.size() + job.error.size();
  for (const StoredFile& file : files) size += file.name.size() + file.bytes.size();
  return static_cast<std::int64_t>(size);
}

}  // namespace

// Of a job of the table.
struct LocalQueue::Live {
  StoredJob stored;
  std::string model;    // that it needs
  std::string plan_id;  // of the job whose plan it needs; empty: none
  std::vector<JobEvent> events;
  std::int64_t last_number = 0;
  std::string progress;
};

LocalQueue::LocalQueue(const QueueOptions& options, SqliteJobs& store, Metrics& metrics,
                       ServiceClock clock, DoJob do_job, KeepEnd keep_end)
    : store_(store),
      metrics_(metrics),
      clock_(std::move(clock)),
      do_job_(std::move(do_job)),
      keep_end_(std::move(keep_end)),
      table_(options) {
  if (!keep_end_)
    keep_end_ = [](std::int64_t, const std::function<Failure()>& write) {
      const Failure failure = write();
      return failure ? Result<bool>(*failure) : Result<bool>(true);
    };
}

LocalQueue::~LocalQueue() {
  stop();
}

Failure LocalQueue::take_back(const StoredJob& job) {
  if (job.state == JobState::Running && job.attempts >= kMostAttempts) {
    StoredJob failed = job;
    failed.state = JobState::Failed;
    failed.finished_unix_s = clock_.unix_s();
    failed.error =
        error_text({.code = "unavailable",
                    .message = "the service ended twice while it ran, so it is not begun again"});
    // On a full disk only those hear of it who ask now.
    if (store_.finish(failed, {})) unsaved_[job.id] = failed;
    return std::nullopt;
  }
  if (job.state == JobState::Running)
    if (Failure failure = store_.set_queued(job.id, SqliteJobs::Attempt::Counts)) return failure;
  const Result<JobQuestion> question = parse_question(job.request);
  const Result<std::vector<std::string>> owners = store_.owners_of(job.id);
  if (!owners.ok()) return owners.error();
  std::vector<Share> shares = *owners;
  if (shares.empty()) shares.emplace_back();
  for (const Share& share : shares)
    table_.restore(job.id, share, job.kind == "curve" ? Lane::Curves : Lane::Plans);
  add_live(job, question.ok() ? *question : JobQuestion{});
  return std::nullopt;
}

Failure LocalQueue::start() {
  const Result<std::vector<StoredJob>> left = store_.unfinished();
  if (!left.ok()) return left.error();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const StoredJob& job : *left)
      if (Failure failure = take_back(job)) return failure;
  }
  for (const Lane lane : {Lane::Plans, Lane::Curves})
    for (int k = 0; k < table_.places(lane); ++k)
      threads_.emplace_back([this, lane](const std::stop_token& stop) { work(stop, lane); });
  return std::nullopt;
}

void LocalQueue::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

void LocalQueue::add_event(Live& live, std::string name, std::string data) {
  live.events.push_back({++live.last_number, std::move(name), std::move(data)});
  if (live.events.size() > kMostEvents) thin_out(live.events);
  changed_.notify_all();
}

void LocalQueue::add_live(const StoredJob& job, const JobQuestion& question) {
  Live& live = live_[job.id];
  live.stored = job;
  live.stored.state = JobState::Queued;
  live.stored.started_unix_s.reset();
  live.model = question.asked.model;
  live.plan_id = question.plan_id;
  add_event(live, "state", state_line(JobState::Queued, clock_.unix_s()));
}

Result<bool> LocalQueue::has(const std::string& id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (live_.contains(id)) return true;
  if (unsaved_.contains(id)) return false;
  const Result<std::optional<StoredJob>> known = store_.find(id);
  if (!known.ok()) return known.error();
  return *known && is_answered(**known);
}

bool LocalQueue::may_want(const std::string& id, const Share& share) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return table_.is_wanted_by(id, share);
}

Result<LocalQueue::Submitted> LocalQueue::submit(const JobQuestion& question,
                                                 const std::string& model_name,
                                                 const Asker& asker) {
  const std::string id = question_id(question);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto own = [&]() -> Failure {
    return asker.owner ? store_.add_owner(id, *asker.owner) : Failure();
  };
  if (live_.contains(id)) {
    if (Failure failure = own()) return *failure;
    table_.ask(id, asker.share, lane_of(question.kind));
    return Submitted::Accepted;
  }
  const Result<std::optional<StoredJob>> known = store_.find(id);
  if (!known.ok()) return known.error();
  if (*known && is_answered(**known) && !unsaved_.contains(id)) {
    if (Failure failure = own()) return *failure;
    store_.touch_job(id);
    metrics_.count_store_hit();
    return Submitted::Ended;
  }
  if (stopping_) return Submitted::Full;
  switch (table_.ask(id, asker.share, lane_of(question.kind))) {
    case JobTable::Asked::Full:
      return Submitted::Full;
    case JobTable::Asked::ShareIsFull:
      return Submitted::ShareIsFull;
    case JobTable::Asked::New:
    case JobTable::Asked::Joined:
      break;
  }
  const StoredJob job{.id = id,
                      .kind = std::string(name_of(kJobKinds, question.kind)),
                      .request = json_line(question_to_json(question)),
                      .model_name = model_name,
                      .created_unix_s = clock_.unix_s()};
  Failure failure = store_.put(job);
  if (!failure) failure = own();
  if (failure) {
    table_.drop(id);
    return *failure;
  }
  unsaved_.erase(id);
  add_live(job, question);
  return Submitted::Accepted;
}

Result<std::optional<JobView>> LocalQueue::view(const std::string& id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto live = live_.find(id);
  if (live != live_.end()) {
    JobView view{.job = live->second.stored,
                 .wait = table_.why_it_waits(id),
                 .progress = live->second.progress};
    if (view.wait) {
      view.job.state = JobState::Queued;
      view.ahead = view.wait->ahead;
    }
    return std::optional(std::move(view));
  }
  const auto unsaved = unsaved_.find(id);
  if (unsaved != unsaved_.end()) return std::optional(JobView{.job = unsaved->second});
  Result<std::optional<StoredJob>> job = store_.find(id);
  if (!job.ok()) return job.error();
  if (!*job) return std::optional<JobView>();
  return std::optional(JobView{.job = **std::move(job)});
}

Failure LocalQueue::cancel(const std::string& id, const std::optional<Share>& share) {
  Lock lock(mutex_);
  if (table_.withdraw(id, share) == JobTable::Withdrawn::Saving) {
    StoredJob job = live_.at(id).stored;
    job.state = JobState::Cancelled;
    save(lock, id, std::move(job), {});
  }
  return std::nullopt;
}

Result<bool> LocalQueue::forget(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (live_.contains(id)) return false;
  unsaved_.erase(id);
  if (Failure failure = store_.forget_job(id)) return *failure;
  return true;
}

Result<LocalQueue::News> LocalQueue::news_after(const std::string& id, std::int64_t number,
                                                double limit_s) const {
  Lock lock(mutex_);
  News news;
  const auto is_new = [number](const JobEvent& event) { return event.number > number; };
  const auto look = [&] {
    const auto live = live_.find(id);
    if (live == live_.end()) return true;
    for (const JobEvent& event : live->second.events)
      if (is_new(event)) news.events.push_back(event);
    return !news.events.empty() || stopping_;
  };
  changed_.wait_for(lock, std::chrono::duration<double>(limit_s), look);
  if (live_.contains(id)) return news;
  lock.unlock();
  news.ended = true;
  const Result<std::optional<std::string>> kept = store_.file(id, kEventsFile);
  if (!kept.ok()) return kept.error();
  if (*kept)
    for (JobEvent& event : events_in(**kept))
      if (is_new(event)) news.events.push_back(std::move(event));
  return news;
}

bool LocalQueue::wait_for_end(const std::string& id, double limit_s) const {
  Lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(limit_s),
                    [&] { return !live_.contains(id) || stopping_; });
  return !live_.contains(id);
}

Result<JobQueue::InUse> LocalQueue::in_use() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  InUse use;
  for (const auto& [id, live] : live_) {
    use.jobs.insert(id);
    if (!live.plan_id.empty()) use.jobs.insert(live.plan_id);
    use.models.insert(live.model);
  }
  return use;
}

std::int64_t LocalQueue::queued() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return table_.waiting();
}

std::int64_t LocalQueue::running() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return table_.running(Lane::Plans) + table_.running(Lane::Curves);
}

bool LocalQueue::stopping() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopping_;
}

void LocalQueue::work(const std::stop_token& stop, Lane lane) {
  Lock lock(mutex_);
  while (true) {
    std::optional<std::string> id;
    changed_.wait(lock, stop, [&] {
      if (!stopping_) id = table_.begin(lane);
      return stopping_ || id;
    });
    if (!id) return;
    Live& live = live_.at(*id);
    live.stored.state = JobState::Running;
    live.stored.started_unix_s = clock_.unix_s();
    ++live.stored.attempts;
    add_event(live, "state", state_line(JobState::Running, *live.stored.started_unix_s));
    lock.unlock();
    JobOutcome outcome = do_one(*id);
    lock.lock();
    settle(lock, *id, std::move(outcome));
  }
}

void LocalQueue::note_progress(const std::string& id, const std::string& line) {
  // Whatever a worker says that is no object of JSON is not passed on.
  const JsonOut news = json_of_text(line);
  if (!news.is_object()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  Live& live = live_.at(id);
  live.progress = json_line(news);
  add_event(live, "progress", live.progress);
}

JobOutcome LocalQueue::do_one(const std::string& id) {
  StoredJob job;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    job = live_.at(id).stored;
  }
  // A store that cannot note it now may still be able to keep the answer later.
  static_cast<void>(store_.set_running(id, *job.started_unix_s));
  const auto wish = [this, &id] {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) return WorkerWish::Die;
    return table_.state_of(id) == LiveState::Finishing ? WorkerWish::Finish : WorkerWish::GoOn;
  };
  return do_job_(
      job, [this, &id](const std::string& line) { note_progress(id, line); }, wish);
}

// It waits again, with the events that it had.
void LocalQueue::wait_once_more(const std::string& id, SqliteJobs::Attempt attempt) {
  Live& live = live_.at(id);
  table_.retry(id);
  live.stored.state = JobState::Queued;
  live.stored.started_unix_s.reset();
  live.progress.clear();
  // If it cannot be noted, the next service finds it under way, and begins it as well.
  static_cast<void>(store_.set_queued(id, attempt));
  add_event(live, "state", state_line(JobState::Queued, clock_.unix_s()));
}

// As if it were asked for the first time.
void LocalQueue::begin_again(const std::string& id) {
  Live& live = live_.at(id);
  live.stored = {.id = id,
                 .kind = live.stored.kind,
                 .request = live.stored.request,
                 .model_name = live.stored.model_name,
                 .created_unix_s = clock_.unix_s()};
  live.progress.clear();
  // If it cannot be put, it is done all the same, and only its answer is kept.
  static_cast<void>(store_.put(live.stored));
  add_event(live, "state", state_line(JobState::Queued, live.stored.created_unix_s));
}

void LocalQueue::settle(Lock& lock, const std::string& id, JobOutcome outcome) {
  Live& live = live_.at(id);
  const bool wanted = table_.state_of(id) == LiveState::Running;
  if (outcome.lost && wanted) return wait_once_more(id, SqliteJobs::Attempt::DoesNotCount);
  if (outcome.struck && wanted) {
    if (live.stored.attempts < kMostAttempts)
      return wait_once_more(id, SqliteJobs::Attempt::Counts);
    if (outcome.output.error) outcome.output.error->message += "; it was begun twice";
  }
  const LiveEnd end = table_.end(id);
  metrics_.count_worker(outcome.wall_s);
  StoredJob job = live.stored;
  job.state = end_state(end, outcome.output);
  save(lock, id, std::move(job), std::move(outcome.output));
}

void LocalQueue::save(Lock& lock, const std::string& id, StoredJob job, WorkOutput output) {
  const Live& live = live_.at(id);
  job.finished_unix_s = clock_.unix_s();
  job.result = std::move(output.result);
  job.summary = std::move(output.summary);
  if (output.error && job.state == JobState::Failed) job.error = error_text(*output.error);
  std::vector<StoredFile> files = std::move(output.files);
  // Whoever listens reads the last event from the store: it says what is kept.
  std::vector<JobEvent> events = live.events;
  events.push_back({live.last_number + 1, "state", state_line(job.state, *job.finished_unix_s)});
  files.push_back({kEventsFile, events_text(events)});

  lock.unlock();
  const Failure unsaved = keep(job, files);
  lock.lock();

  metrics_.count_job(job.kind, std::string(name_of(kJobStates, job.state)));
  if (table_.saved(id) == JobTable::Next::BeginAgain) return begin_again(id);
  live_.erase(id);
  if (unsaved) unsaved_[id] = std::move(job);
  changed_.notify_all();
}

// What an earlier, cancelled run of it came to stays where this one has nothing better. Without
// room for either, the job says so.
Failure LocalQueue::keep(StoredJob& job, const std::vector<StoredFile>& files) {
  const Result<std::optional<StoredJob>> former = store_.find(job.id);
  const bool anew = !former.ok() || !*former || takes_its_place(job, **former);
  const std::vector<StoredFile> events = {files.back()};
  const Result<bool> kept = keep_end_(anew ? size_of(job, files) : size_of({}, events), [&] {
    return anew ? store_.finish(job, files) : store_.finish_with_former(job, events);
  });
  if (kept.ok() && *kept) return std::nullopt;
  if (job.state == JobState::Done) job.state = JobState::Failed;
  job.result.clear();
  job.summary.clear();
  if (job.state == JobState::Failed)
    job.error = error_text(kept.ok() ? store_full() : service_error(kept.error()));
  // Not even the sentence may fit on a full disk.
  return store_.finish_with_former(job, {});
}

}  // namespace poet
