#include "poet/service/store_budget.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/service/request_fields.h"
#include "poet/service/work_room.h"
#include "poet/store/sqlite_jobs.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

// What a new file system has in its first folder; and what a service leaves that ended before it
// had a store: the empty file of one, and what the database has beside that.
bool may_be_in_a_new_store(const std::string& name, bool has_empty_store) {
  if (has_empty_store && (name == "jobs.db" || name.starts_with("jobs.db-"))) return true;
  return name == "lost+found";
}

Error cannot_use(const std::string& path, const std::error_code& why) {
  return {ErrorCode::Io,
          fmt::format("cannot make the folder {}: {}", in_quotes(path), why.message()),
          {}};
}

namespace fs = std::filesystem;

constexpr std::int64_t kThingsAtATime = 256;

// Adds up the files of folders, each once: workers have a second name for the models they read.
class FolderSum {
 public:
  Failure add(const fs::path& folder) {
    std::error_code error;
    for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator();
         at.increment(error)) {
      struct stat status {};
      if (lstat(at->path().c_str(), &status) != 0) continue;
      if (S_ISDIR(status.st_mode))
        if (Failure failure = add(at->path())) return failure;
      if (S_ISREG(status.st_mode) && seen_.insert({status.st_dev, status.st_ino}).second)
        bytes_ += status.st_size;
    }
    // Folders of workers come and go meanwhile.
    if (!error || error == std::errc::no_such_file_or_directory) return std::nullopt;
    return Error{
        ErrorCode::Io,
        fmt::format("cannot look into {}: {}", in_quotes(folder.string()), error.message()),
        {}};
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::set<std::pair<dev_t, ino_t>> seen_;
  std::int64_t bytes_ = 0;
};

Result<std::int64_t> bytes_in(const std::string& folder) {
  FolderSum sum;
  if (Failure failure = sum.add(folder)) return *failure;
  return sum.bytes();
}

void add(const StoreBudget::InUse& from, StoreBudget::InUse& to) {
  to.models.insert(from.models.begin(), from.models.end());
  to.jobs.insert(from.jobs.begin(), from.jobs.end());
}

bool stays(const KeptThing& thing, const StoreBudget::InUse& in_use) {
  if (!thing.job.empty()) return in_use.jobs.contains(thing.job);
  const std::optional<std::string> model = ModelShelf::model_of_note(thing.note);
  return model && in_use.models.contains(*model);
}

}  // namespace

bool is_store_folder(const std::string& path) {
  std::error_code error;
  const fs::path jobs = fs::path(path) / "jobs.db";
  return fs::is_regular_file(jobs, error) && fs::file_size(jobs, error) > 0 && !error;
}

Failure make_store_folder(const std::string& path) {
  std::error_code error;
  const bool is_new = fs::create_directories(path, error);
  if (!error && is_new) fs::permissions(path, fs::perms::owner_all, error);
  if (error) return cannot_use(path, error);
  if (is_new || is_store_folder(path)) return std::nullopt;
  std::error_code unknown;
  const bool has_empty_store = fs::is_regular_file(fs::path(path) / "jobs.db", unknown);
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (!may_be_in_a_new_store(name, has_empty_store))
      return bad_input(fmt::format(
          "the folder {} has {} in it and is not the store of a service: name one that is "
          "new or empty, so that nothing of yours is taken for the service's",
          in_quotes(path), in_quotes(name)));
  }
  if (error) return cannot_use(path, error);
  return std::nullopt;
}

Result<std::int64_t> StoreBudget::used_bytes() const {
  return used_bytes_ ? used_bytes_() : bytes_in(folder_);
}

StoreBudget::Forgotten StoreBudget::forgotten() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return forgotten_;
}

Failure StoreBudget::forget(const KeptThing& thing) {
  if (!thing.job.empty()) {
    ++forgotten_.results;
    return store_.forget_job(thing.job);
  }
  const std::optional<std::string> model = ModelShelf::model_of_note(thing.note);
  if (!model) return store_.forget_note(thing.note);
  ++forgotten_.models;
  return shelf_.remove(*model);
}

Result<std::vector<KeptThing>> StoreBudget::oldest_of(std::int64_t bytes,
                                                      const InUse& in_use) const {
  std::vector<KeptThing> oldest;
  // A few at first, and all where they are not enough.
  for (const std::optional<std::int64_t> most : {std::optional(kThingsAtATime), {}}) {
    const Result<std::vector<KeptThing>> things = store_.least_recently_used(most);
    if (!things.ok()) return things.error();
    oldest.clear();
    std::int64_t sum_bytes = 0;
    for (KeptThing thing : *things) {
      if (stays(thing, in_use)) continue;
      if (const auto model = ModelShelf::model_of_note(thing.note))
        thing.size_bytes += shelf_.size_bytes(*model);
      sum_bytes += thing.size_bytes;
      oldest.push_back(std::move(thing));
      if (sum_bytes >= bytes) return oldest;
    }
    if (std::ssize(*things) < kThingsAtATime) break;
  }
  return oldest;
}

Result<bool> StoreBudget::make_room(const std::unique_lock<std::mutex>& held, std::int64_t bytes,
                                    const InUse& besides, IfTooLittle otherwise) {
  POET_CHECK(held.owns_lock() && held.mutex() == &mutex_);
  Result<InUse> in_use = in_use_();
  if (!in_use.ok()) return in_use.error();
  add(besides, *in_use);
  bool compacted = false;
  std::optional<std::int64_t> used_before;  // something was forgotten then
  while (true) {
    const Result<std::int64_t> used = used_bytes();
    if (!used.ok()) return used.error();
    // A file that does not give back what was forgotten (a disk too full to write it anew) is no
    // reason to forget the rest.
    if (used_before && *used >= *used_before) return false;
    const std::int64_t missing_bytes = *used - most_bytes_ + bytes;
    if (missing_bytes <= 0) return true;
    // What was forgotten before may not have been given back to the disk.
    if (!std::exchange(compacted, true)) {
      if (Failure failure = store_.compact()) return *failure;
      continue;
    }
    const Result<std::vector<KeptThing>> things = oldest_of(missing_bytes, *in_use);
    if (!things.ok()) return things.error();
    std::int64_t sum_bytes = 0;
    for (const KeptThing& thing : *things) sum_bytes += thing.size_bytes;
    // Nothing is lost for what does not find room all the same.
    const bool enough = sum_bytes >= missing_bytes;
    if (things->empty() || (!enough && otherwise == IfTooLittle::ForgetNothing)) return false;
    for (const KeptThing& thing : *things)
      if (Failure failure = forget(thing)) return *failure;
    if (Failure failure = store_.compact()) return *failure;
    used_before = *used;
  }
}

Result<bool> StoreBudget::write(std::int64_t bytes, const std::function<Failure()>& write) {
  const std::unique_lock<std::mutex> held = hold();
  const Result<bool> room = make_room(held, bytes);
  if (!room.ok() || !*room) return room;
  if (Failure failure = write()) return *failure;
  // The database rounds to pages, and its log has what was written once more.
  static_cast<void>(make_room(held, 0));
  return true;
}

Result<PruneReport> prune_store(const std::string& folder, std::int64_t most_bytes) {
  const fs::path place(folder);
  if (!is_store_folder(folder))
    return bad_input(fmt::format("{} is not the store of a service", in_quotes(folder)));
  Result<SqliteJobs> store = SqliteJobs::open((place / "jobs.db").string(), most_bytes);
  if (!store.ok()) return store.error();
  PruneReport report;
  const Result<std::int64_t> before = bytes_in(folder);
  if (!before.ok()) return before.error();
  report.before_bytes = *before;
  if (Failure failure = WorkRoom::prepare((place / "work").string())) return *failure;
  if (Failure failure = ModelShelf::prepare((place / "models").string())) return *failure;
  FolderModels files((place / "models").string(), *store);
  ModelShelf shelf((place / "models").string(), files, *store);
  const Result<std::int64_t> leftovers = shelf.tidy();
  if (!leftovers.ok()) return leftovers.error();
  report.leftovers = *leftovers;
  StoreBudget::InUse waiting;
  const Result<std::vector<StoredJob>> unfinished = store->unfinished();
  if (!unfinished.ok()) return unfinished.error();
  for (const StoredJob& job : *unfinished) {
    const Result<JobQuestion> question = parse_question(job.request);
    if (!question.ok()) continue;
    waiting.models.insert(question->asked.model);
    waiting.jobs.insert(question->plan_id);
  }
  StoreBudget budget(folder, most_bytes, *store, shelf, [&waiting] { return waiting; });
  if (Failure failure = store->compact()) return *failure;
  {
    const std::unique_lock<std::mutex> held = budget.hold();
    const Result<bool> small_enough =
        budget.make_room(held, 0, {}, StoreBudget::IfTooLittle::ForgetAll);
    if (!small_enough.ok()) return small_enough.error();
  }
  const Result<std::int64_t> after = budget.used_bytes();
  if (!after.ok()) return after.error();
  report.after_bytes = *after;
  report.forgotten = budget.forgotten();
  return report;
}

}  // namespace poet
