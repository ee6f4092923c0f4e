#include "poet/service/job_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "poet/base/json_out.h"

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
  const JsonOut list = JsonOut::parse(text, nullptr, false);
  if (!list.is_array()) return events;
  for (const JsonOut& one : list)
    if (one.is_array() && one.size() == 3 && one[1].is_string() && one[2].is_string())
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

JobState end_state(const JobOutcome& outcome, bool cancelled) {
  if (cancelled) return JobState::Cancelled;
  return outcome.output.error ? JobState::Failed : JobState::Done;
}

}  // namespace

// Of a job that waits or runs.
struct JobQueue::Live {
  std::vector<JobEvent> events;
  std::int64_t last_number = 0;
  std::string progress;
  bool running = false;
  bool cancelled = false;
};

JobQueue::JobQueue(const QueueOptions& options, JobStore& store, Metrics& metrics,
                   ServiceClock clock, DoJob do_job)
    : options_(options),
      store_(store),
      metrics_(metrics),
      clock_(std::move(clock)),
      do_job_(std::move(do_job)) {}

JobQueue::~JobQueue() {
  stop();
}

Failure JobQueue::start() {
  const Result<std::vector<StoredJob>> left = store_.unfinished();
  if (!left.ok()) return left.error();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const StoredJob& job : *left) {
      if (job.state == JobState::Running)
        if (Failure failure = store_.set_queued(job.id)) return failure;
      enqueue(job.id);
    }
  }
  for (int k = 0; k < options_.jobs; ++k)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  return std::nullopt;
}

void JobQueue::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

void JobQueue::add_event(Live& live, std::string name, std::string data) {
  live.events.push_back({++live.last_number, std::move(name), std::move(data)});
  if (live.events.size() > kMostEvents) thin_out(live.events);
  changed_.notify_all();
}

void JobQueue::enqueue(const std::string& id) {
  auto live = std::make_shared<Live>();
  live_[id] = live;
  waiting_.push_back(id);
  add_event(*live, "state", state_line(JobState::Queued, clock_.unix_s()));
}

Result<JobQueue::Submitted> JobQueue::submit(const JobQuestion& question,
                                             const std::string& model_name) {
  const std::string id = question_id(question);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (live_.contains(id)) return Submitted::Accepted;
  const Result<std::optional<StoredJob>> known = store_.find(id);
  if (!known.ok()) return known.error();
  const bool answered =
      *known && ((*known)->state == JobState::Done ||
                 ((*known)->state == JobState::Cancelled && !(*known)->result.empty()));
  if (answered) {
    metrics_.count_store_hit();
    return Submitted::Ended;
  }
  if (stopping_ || std::ssize(waiting_) >= options_.most_queued) return Submitted::Full;
  const Failure failure = store_.put({.id = id,
                                      .kind = std::string(name_of(kJobKinds, question.kind)),
                                      .request = json_line(question_to_json(question)),
                                      .model_name = model_name,
                                      .created_unix_s = clock_.unix_s()});
  if (failure) return *failure;
  enqueue(id);
  return Submitted::Accepted;
}

std::optional<std::int64_t> JobQueue::ahead_of(const std::string& id) const {
  const auto place = std::find(waiting_.begin(), waiting_.end(), id);
  if (place == waiting_.end()) return std::nullopt;
  return place - waiting_.begin();
}

Result<std::optional<JobView>> JobQueue::view(const std::string& id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Result<std::optional<StoredJob>> job = store_.find(id);
  if (!job.ok()) return job.error();
  if (!*job) return std::optional<JobView>();
  JobView view{.job = **std::move(job), .ahead = ahead_of(id)};
  const auto live = live_.find(id);
  if (live != live_.end() && !has_ended(view.job.state)) view.progress = live->second->progress;
  return std::optional(std::move(view));
}

Failure JobQueue::cancel(const std::string& id) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto found = live_.find(id);
  if (found == live_.end()) return std::nullopt;
  const std::shared_ptr<Live> live = found->second;
  const bool again = std::exchange(live->cancelled, true);
  if (again || live->running) return std::nullopt;
  std::erase(waiting_, id);
  Result<std::optional<StoredJob>> job = store_.find(id);
  lock.unlock();
  if (!job.ok()) return job.error();
  if (*job) end_job(**std::move(job), {}, live);
  return std::nullopt;
}

Result<JobQueue::News> JobQueue::news_after(const std::string& id, std::int64_t number,
                                            double limit_s) const {
  std::unique_lock<std::mutex> lock(mutex_);
  News news;
  const auto is_new = [number](const JobEvent& event) { return event.number > number; };
  const auto look = [&] {
    const auto live = live_.find(id);
    if (live == live_.end()) return true;
    for (const JobEvent& event : live->second->events)
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

bool JobQueue::wait_for_end(const std::string& id, double limit_s) const {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(limit_s),
                    [&] { return !live_.contains(id) || stopping_; });
  return !live_.contains(id);
}

std::int64_t JobQueue::queued() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::ssize(waiting_);
}

std::int64_t JobQueue::running() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return running_;
}

bool JobQueue::stopping() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopping_;
}

void JobQueue::work(const std::stop_token& stop) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, stop, [this] { return !waiting_.empty() || stopping_; });
    if (stop.stop_requested() || stopping_) return;
    const std::string id = waiting_.front();
    waiting_.pop_front();
    const std::shared_ptr<Live> live = live_.at(id);
    live->running = true;
    ++running_;
    lock.unlock();
    do_one(id, live);
    lock.lock();
    --running_;
  }
}

void JobQueue::note_progress(const std::shared_ptr<Live>& live, const std::string& line) {
  // Whatever a worker says that is no object of JSON is not passed on.
  const JsonOut news = JsonOut::parse(line, nullptr, false);
  if (!news.is_object()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  live->progress = json_line(news);
  add_event(*live, "progress", live->progress);
}

void JobQueue::do_one(const std::string& id, const std::shared_ptr<Live>& live) {
  const std::int64_t now_unix_s = clock_.unix_s();
  static_cast<void>(store_.set_running(id, now_unix_s));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    add_event(*live, "state", state_line(JobState::Running, now_unix_s));
  }
  const Result<std::optional<StoredJob>> job = store_.find(id);
  if (!job.ok() || !*job) {
    const std::lock_guard<std::mutex> lock(mutex_);
    live_.erase(id);
    changed_.notify_all();
    return;
  }
  const auto wish = [this, &live] {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) return WorkerWish::Die;
    return live->cancelled ? WorkerWish::Finish : WorkerWish::GoOn;
  };
  const JobOutcome outcome = do_job_(
      **job, [this, &live](const std::string& line) { note_progress(live, line); }, wish);
  if (!outcome.lost) return end_job(**job, outcome, live);
  // It stays in the store as running, and the next service begins it again.
  const std::lock_guard<std::mutex> lock(mutex_);
  live->running = false;
}

void JobQueue::end_job(StoredJob job, const JobOutcome& outcome,
                       const std::shared_ptr<Live>& live) {
  std::vector<StoredFile> files = outcome.output.files;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    job.state = end_state(outcome, live->cancelled);
    job.finished_unix_s = clock_.unix_s();
    add_event(*live, "state", state_line(job.state, *job.finished_unix_s));
    files.push_back({kEventsFile, events_text(live->events)});
  }
  job.result = outcome.output.result;
  job.summary = outcome.output.summary;
  if (outcome.output.error && job.state == JobState::Failed)
    job.error = json_line(error_object(*outcome.output.error));
  Failure failure = store_.finish(job, files);
  if (failure) {
    // Not even the sentence may fit on a full disk; the job is then begun again by the next
    // service.
    job.state = JobState::Failed;
    job.result.clear();
    job.error = json_line(error_object(service_error(*failure)));
    static_cast<void>(store_.finish(job, {}));
  }
  metrics_.count_job(job.kind, std::string(name_of(kJobStates, job.state)), outcome.wall_s);
  const std::lock_guard<std::mutex> lock(mutex_);
  live_.erase(job.id);
  changed_.notify_all();
}

}  // namespace poet
