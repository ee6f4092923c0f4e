#include "poet/store/sqlite_jobs.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <utility>

#include "poet/base/file_calls.h"
#include "poet/base/message_text.h"
#include "poet/store/disk_reserve.h"
#include "poet/store/job_row.h"

namespace poet {
namespace {

// "POEJ" as a number, in the file's head.
constexpr int kApplicationId = 0x504F454A;
constexpr int kVersion = 2;
constexpr std::size_t kMostUses = 4096;  // that are held in memory
// Of the database, that are moved in one step when it gives room back: each needs room itself.
constexpr std::int64_t kPagesAtATime = 4096;
constexpr std::int64_t kPagesOfAReserve = 64;

constexpr const char* kTables =
    "CREATE TABLE jobs (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
    " kind TEXT NOT NULL, state TEXT NOT NULL, request TEXT NOT NULL, model_name TEXT NOT NULL,"
    " created INTEGER NOT NULL, started INTEGER, finished INTEGER,"
    " result TEXT NOT NULL, summary TEXT NOT NULL, error TEXT NOT NULL,"
    " attempts INTEGER NOT NULL DEFAULT 0);"
    "CREATE INDEX jobs_by_state ON jobs (state);"
    "CREATE TABLE files (job TEXT NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL,"
    " PRIMARY KEY (job, name)) WITHOUT ROWID;"
    "CREATE TABLE notes (key TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;";

// What version 2 has besides: who may see a thing, and the turn in which it was last used.
constexpr const char* kTablesOfVersion2 =
    "CREATE TABLE owners (thing TEXT NOT NULL, owner TEXT NOT NULL,"
    " PRIMARY KEY (thing, owner)) WITHOUT ROWID;"
    "CREATE TABLE uses (thing TEXT PRIMARY KEY, turn INTEGER NOT NULL) WITHOUT ROWID;";
constexpr const char* kFromVersion1 =
    "ALTER TABLE jobs ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;";

constexpr std::int64_t kReserves = 32;  // that a store has room for at least, to have one
constexpr const char* kInMemory = ":memory:";

// One question to the database, with its values.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql) {
    ready_ = sqlite3_prepare_v2(database, sql.c_str(), -1, &handle_, nullptr) == SQLITE_OK;
  }
  ~Statement() { sqlite3_finalize(handle_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& text) {
    sqlite3_bind_text64(handle_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
  }
  Statement& bind_bytes(const std::string& bytes) {
    sqlite3_bind_blob64(handle_, ++bound_, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(std::int64_t number) {
    sqlite3_bind_int64(handle_, ++bound_, number);
    return *this;
  }
  Statement& bind(const std::optional<std::int64_t>& number) {
    if (number) return bind(*number);
    sqlite3_bind_null(handle_, ++bound_);
    return *this;
  }

  // SQLITE_ROW, SQLITE_DONE, or an error.
  int step() { return ready_ ? sqlite3_step(handle_) : SQLITE_ERROR; }

  std::string text(int column) const {
    const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
    return bytes == nullptr ? std::string() : std::string(bytes, size);
  }
  std::int64_t number(int column) const { return sqlite3_column_int64(handle_, column); }
  std::optional<std::int64_t> maybe(int column) const {
    if (sqlite3_column_type(handle_, column) == SQLITE_NULL) return std::nullopt;
    return number(column);
  }

 private:
  sqlite3_stmt* handle_ = nullptr;
  bool ready_ = false;
  int bound_ = 0;
};

std::string text_of(JobState state) {
  return std::string(name_of(kJobStates, state));
}

}  // namespace

struct SqliteJobs::Connection {
  sqlite3* handle = nullptr;
  std::string path;
  mutable std::mutex mutex;
  mutable std::map<std::string, std::int64_t> uses;  // that are not in the file yet
  mutable std::int64_t turn = 0;                     // of the last use
  bool has_reserve;
  mutable DiskReserve reserve;
  mutable bool disk_is_full = false;  // by the last error

  Connection(std::string of, std::int64_t most_bytes)
      : path(std::move(of)),
        has_reserve(path != kInMemory && most_bytes / kReserves >= DiskReserve::kBytes),
        reserve(SqliteJobs::reserve_of(path)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    if (!uses.empty()) static_cast<void>(in_one_step([] { return Failure(); }));
    sqlite3_close(handle);
  }

  Error error() const {
    const bool locked = sqlite3_errcode(handle) == SQLITE_BUSY;
    disk_is_full = system_error() == ENOSPC || system_error() == EDQUOT;
    return Error{
        ErrorCode::Io,
        locked ? fmt::format("{} is in use by another service", in_quotes(path))
               : fmt::format("cannot use {} as a store of jobs: {}", in_quotes(path), reason()),
        {}};
  }

  // Why it had no room, or what was written did not get to the disk; 0: it is something else.
  int system_error() const {
    const int code = sqlite3_errcode(handle) & 0xFF;
    if (code == SQLITE_FULL) return ENOSPC;
    return code == SQLITE_IOERR ? sqlite3_system_errno(handle) : 0;
  }

  // In the system's words where it was the system.
  std::string reason() const {
    return system_error() != 0 ? reason_of(system_error()) : sqlite3_errmsg(handle);
  }

  Failure run(const std::string& sql) const {
    if (sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return error();
    return std::nullopt;
  }

  // A statement that answers nothing.
  Failure finished(Statement& statement) const {
    if (statement.step() != SQLITE_DONE) return error();
    return std::nullopt;
  }

  Result<std::int64_t> number(const std::string& sql) const {
    Statement statement(handle, sql);
    if (statement.step() != SQLITE_ROW) return error();
    return statement.number(0);
  }

  // All of them or none.
  template <typename Steps>
  Failure in_one_step(const Steps& steps) const {
    if (Failure failure = run("BEGIN IMMEDIATE")) return failure;
    Failure failure = steps();
    if (!failure) failure = write_uses();
    if (!failure) failure = run("COMMIT");
    if (failure) static_cast<void>(sqlite3_exec(handle, "ROLLBACK", nullptr, nullptr, nullptr));
    if (!failure) uses.clear();
    return failure;
  }

  // What makes the database smaller, also on a full disk: with the room of the reserve, which is
  // kept again when something was given back. Until then nothing is written over what was deleted:
  // that would have to be kept until the end of the step.
  template <typename Steps>
  Failure with_reserve(const Steps& steps) const {
    disk_is_full = false;
    Failure failure = steps();
    if (!failure || !disk_is_full) return failure;
    static_cast<void>(reserve.give_back());  // without one, less to write may be enough
    const Result<std::int64_t> overwrites = number("PRAGMA secure_delete");
    static_cast<void>(run("PRAGMA secure_delete = OFF"));
    failure = steps();
    if (!failure) static_cast<void>(give_room_back(kPagesOfAReserve));
    if (overwrites.ok())
      static_cast<void>(run(fmt::format("PRAGMA secure_delete = {}", *overwrites)));
    keep_reserve();
    return failure;
  }

  template <typename Steps>
  Failure delete_in_one_step(const Steps& steps) const {
    return with_reserve([&] { return in_one_step(steps); });
  }

  Failure give_room_back(std::int64_t pages_at_a_time) const {
    std::int64_t before = -1;
    while (true) {
      const Result<std::int64_t> free_pages = number("PRAGMA freelist_count");
      if (!free_pages.ok()) return free_pages.error();
      if (*free_pages == 0 || *free_pages == before) return std::nullopt;
      before = *free_pages;
      if (Failure failure = run(fmt::format("PRAGMA incremental_vacuum({})", pages_at_a_time)))
        return failure;
    }
  }

  void keep_reserve() const {
    if (has_reserve) reserve.keep();
  }

  Failure write_uses() const {
    for (const auto& [thing, when] : uses) {
      Statement statement(handle, "INSERT OR REPLACE INTO uses VALUES (?, ?)");
      if (Failure failure = finished(statement.bind(thing).bind(when))) return failure;
    }
    return std::nullopt;
  }

  void touch(std::string thing) const {
    uses[std::move(thing)] = ++turn;
    if (uses.size() > kMostUses) static_cast<void>(in_one_step([] { return Failure(); }));
  }

  Failure forget(const std::string& thing) const {
    uses.erase(thing);
    Statement statement(handle, "DELETE FROM uses WHERE thing = ?");
    return finished(statement.bind(thing));
  }

  Failure forget_owners(const std::string& thing) const {
    Statement statement(handle, "DELETE FROM owners WHERE thing = ?");
    return finished(statement.bind(thing));
  }

  Failure put_files(const std::string& job, const std::vector<StoredFile>& files) const {
    for (const StoredFile& file : files) {
      Statement statement(handle, "INSERT OR REPLACE INTO files VALUES (?, ?, ?)");
      statement.bind(job).bind(file.name).bind_bytes(file.bytes);
      if (Failure failure = finished(statement)) return failure;
    }
    return std::nullopt;
  }

  Failure prepare_file() const {
    // Kept until the end, so that two services do not write one file.
    if (Failure failure = run("PRAGMA locking_mode = EXCLUSIVE")) return failure;
    const Result<std::int64_t> tables = number("SELECT count(*) FROM sqlite_master");
    if (!tables.ok()) return tables.error();
    if (*tables > 0) {
      if (Failure failure = check()) return failure;
    } else if (Failure failure = make_tables()) {
      return failure;
    }
    // A log of what is new would be as large as that, and on a full disk nobody could put it into
    // the file; this journal has what was there before, and so little for what is deleted. A store
    // with a log, of an earlier service, keeps it while the disk has no room to put it away.
    const Failure log = run("PRAGMA journal_mode = PERSIST");
    if (log && !disk_is_full) return log;
    // Every commit reaches the disk before it is reported; the journal does not stay large.
    if (Failure failure = run("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 65536;"
                              "BEGIN EXCLUSIVE; COMMIT"))
      return failure;
    if (path != kInMemory && !has_reserve) reserve.give_up();
    keep_reserve();
    const Result<std::int64_t> last = number("SELECT COALESCE(MAX(turn), 0) FROM uses");
    if (!last.ok()) return last.error();
    turn = *last;
    return std::nullopt;
  }

  Failure make_tables() const {
    // So that a store gives room back to the disk; it must be said before there is a table.
    if (Failure failure = run("PRAGMA auto_vacuum = INCREMENTAL")) return failure;
    return in_one_step([this] {
      return run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}; {} {}",
                             kApplicationId, kVersion, kTables, kTablesOfVersion2));
    });
  }

  Failure bring_from_version_1() const {
    const Failure failure = in_one_step([this] {
      return run(fmt::format("PRAGMA user_version = {}; {} {}", kVersion, kFromVersion1,
                             kTablesOfVersion2));
    });
    if (failure) return failure;
    // Writes the file once more; a disk without the room for that keeps the file as it is.
    static_cast<void>(run("PRAGMA auto_vacuum = INCREMENTAL; VACUUM"));
    return std::nullopt;
  }

  Failure check() const {
    const Result<std::int64_t> id = number("PRAGMA application_id");
    if (!id.ok()) return id.error();
    const Result<std::int64_t> version = number("PRAGMA user_version");
    if (!version.ok()) return version.error();
    if (*id == kApplicationId && *version == kVersion) return std::nullopt;
    if (*id == kApplicationId && *version == 1) return bring_from_version_1();
    return Error{ErrorCode::BadInput,
                 fmt::format("{} is not a store of jobs of this version of poet", in_quotes(path)),
                 {}};
  }

  Result<std::vector<StoredJob>> jobs(Statement& statement) const {
    std::vector<StoredJob> found;
    int status = statement.step();
    for (; status == SQLITE_ROW; status = statement.step()) found.push_back(job_of_row(statement));
    if (status != SQLITE_DONE) return error();
    return found;
  }

  // The first column of all rows.
  Result<std::vector<std::string>> texts(Statement& statement) const {
    std::vector<std::string> found;
    int status = statement.step();
    for (; status == SQLITE_ROW; status = statement.step()) found.push_back(statement.text(0));
    if (status != SQLITE_DONE) return error();
    return found;
  }

  // The first column of the first row.
  Result<std::optional<std::string>> one_text(Statement& statement) const {
    switch (statement.step()) {
      case SQLITE_ROW:
        return std::optional(statement.text(0));
      case SQLITE_DONE:
        return std::optional<std::string>();
      default:
        return error();
    }
  }
};

SqliteJobs::SqliteJobs(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}
SqliteJobs::SqliteJobs(SqliteJobs&&) noexcept = default;
SqliteJobs& SqliteJobs::operator=(SqliteJobs&&) noexcept = default;
SqliteJobs::~SqliteJobs() = default;

std::string SqliteJobs::reserve_of(const std::string& path) {
  return path + "-reserve";
}

Result<SqliteJobs> SqliteJobs::open(const std::string& path, std::int64_t most_bytes) {
  auto connection = std::make_unique<Connection>(path, most_bytes);
  if (sqlite3_open(path.c_str(), &connection->handle) != SQLITE_OK) return connection->error();
  if (Failure failure = connection->prepare_file()) return *failure;
  return SqliteJobs(std::move(connection));
}

Result<std::optional<StoredJob>> SqliteJobs::find(const std::string& id) const {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  Statement statement(connection_->handle,
                      fmt::format("SELECT {}, result FROM jobs WHERE id = ?", kJobColumns));
  const int status = statement.bind(id).step();
  if (status == SQLITE_DONE) return std::optional<StoredJob>();
  if (status != SQLITE_ROW) return connection_->error();
  StoredJob job = job_of_row(statement);
  job.result = statement.text(kJobColumnCount);
  return std::optional(std::move(job));
}

Result<std::vector<StoredJob>> SqliteJobs::list(const JobFilter& filter) const {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  Statement statement(
      connection_->handle,
      fmt::format("SELECT {} FROM jobs WHERE {} AND {} AND {} ORDER BY seq DESC LIMIT ?",
                  kJobColumns, filter.kind ? "kind = ?" : "kind IN ('plan', 'curve')",
                  filter.state ? "state = ?" : "1",
                  filter.owner ? "id IN (SELECT thing FROM owners WHERE owner = ?)" : "1"));
  if (filter.kind) statement.bind(*filter.kind);
  if (filter.state) statement.bind(text_of(*filter.state));
  if (filter.owner) statement.bind(*filter.owner);
  statement.bind(filter.most);
  return connection_->jobs(statement);
}

Result<std::vector<StoredJob>> SqliteJobs::unfinished() const {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  Statement statement(
      connection_->handle,
      fmt::format("SELECT {} FROM jobs WHERE state IN ('queued', 'running') ORDER BY seq",
                  kJobColumns));
  return connection_->jobs(statement);
}

Failure SqliteJobs::put(const StoredJob& job) {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  return connection_->in_one_step([&]() -> Failure {
    connection_->touch(job_thing(job.id));
    Statement statement(
        connection_->handle,
        "INSERT OR REPLACE INTO jobs (id, kind, state, request, model_name, created, result, "
        "summary, error) VALUES (?1, ?, ?, ?, ?, ?, "
        "COALESCE((SELECT result FROM jobs WHERE id = ?1), ''), "
        "COALESCE((SELECT summary FROM jobs WHERE id = ?1), ''), '')");
    return connection_->finished(statement.bind(job.id)
                                     .bind(job.kind)
                                     .bind(text_of(job.state))
                                     .bind(job.request)
                                     .bind(job.model_name)
                                     .bind(job.created_unix_s));
  });
}

Failure SqliteJobs::set_running(const std::string& id, std::int64_t started_unix_s) {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  Statement statement(connection_->handle,
                      "UPDATE jobs SET state = 'running', started = ?, attempts = attempts + 1 "
                      "WHERE id = ?");
  return connection_->finished(statement.bind(started_unix_s).bind(id));
}

Failure SqliteJobs::set_queued(const std::string& id, Attempt attempt) {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  const std::int64_t given_back = attempt == Attempt::DoesNotCount ? 1 : 0;
  // A service begins so, also on a full disk.
  return connection_->with_reserve([&] {
    Statement statement(connection_->handle,
                        "UPDATE jobs SET state = 'queued', started = NULL, "
                        "attempts = MAX(0, attempts - ?) WHERE id = ?");
    return connection_->finished(statement.bind(given_back).bind(id));
  });
}

Failure SqliteJobs::finish(const StoredJob& job, const std::vector<StoredFile>& files) {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  return connection_->in_one_step([&]() -> Failure {
    Statement former(connection_->handle, "DELETE FROM files WHERE job = ?");
    if (Failure failure = connection_->finished(former.bind(job.id))) return failure;
    if (Failure failure = connection_->put_files(job.id, files)) return failure;
    Statement statement(connection_->handle,
                        "UPDATE jobs SET state = ?, started = ?, finished = ?, result = ?, summary "
                        "= ?, error = ? WHERE id = ?");
    return connection_->finished(statement.bind(text_of(job.state))
                                     .bind(job.started_unix_s)
                                     .bind(job.finished_unix_s)
                                     .bind(job.result)
                                     .bind(job.summary)
                                     .bind(job.error)
                                     .bind(job.id));
  });
}

Failure SqliteJobs::finish_with_former(const StoredJob& job, const std::vector<StoredFile>& files) {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  return connection_->in_one_step([&]() -> Failure {
    if (Failure failure = connection_->put_files(job.id, files)) return failure;
    Statement statement(
        connection_->handle,
        "UPDATE jobs SET state = ?, started = ?, finished = ?, error = ? WHERE id = ?");
    return connection_->finished(statement.bind(text_of(job.state))
                                     .bind(job.started_unix_s)
                                     .bind(job.finished_unix_s)
                                     .bind(job.error)
                                     .bind(job.id));
  });
}

Result<std::optional<std::string>> SqliteJobs::file(const std::string& id,
                                                    const std::string& name) const {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  Statement statement(connection_->handle, "SELECT bytes FROM files WHERE job = ? AND name = ?");
  return connection_->one_text(statement.bind(id).bind(name));
}

Result<std::vector<std::string>> SqliteJobs::file_names(const std::string& id) const {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  Statement statement(connection_->handle, "SELECT name FROM files WHERE job = ? ORDER BY name");
  return connection_->texts(statement.bind(id));
}

Result<std::optional<std::string>> SqliteJobs::note(const std::string& key) const {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  Statement statement(connection_->handle, "SELECT text FROM notes WHERE key = ?");
  return connection_->one_text(statement.bind(key));
}

Failure SqliteJobs::put_note(const std::string& key, const std::string& text) {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  return connection_->in_one_step([&] {
    connection_->touch(note_thing(key));
    Statement statement(connection_->handle, "INSERT OR REPLACE INTO notes VALUES (?, ?)");
    return connection_->finished(statement.bind(key).bind(text));
  });
}

Result<std::vector<std::pair<std::string, std::string>>> SqliteJobs::notes(
    const std::string& begin) const {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  Statement statement(connection_->handle,
                      "SELECT key, text FROM notes WHERE substr(key, 1, ?) = ? ORDER BY key");
  statement.bind(static_cast<std::int64_t>(begin.size())).bind(begin);
  std::vector<std::pair<std::string, std::string>> found;
  int status = statement.step();
  for (; status == SQLITE_ROW; status = statement.step())
    found.emplace_back(statement.text(0), statement.text(1));
  if (status != SQLITE_DONE) return connection_->error();
  return found;
}

Failure SqliteJobs::add_owner(const std::string& thing, const std::string& owner) {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  Statement statement(connection_->handle, "INSERT OR IGNORE INTO owners VALUES (?, ?)");
  return connection_->finished(statement.bind(thing).bind(owner));
}

Result<std::vector<std::string>> SqliteJobs::owners_of(const std::string& thing) const {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  Statement statement(connection_->handle,
                      "SELECT owner FROM owners WHERE thing = ? ORDER BY owner");
  return connection_->texts(statement.bind(thing));
}

Result<bool> SqliteJobs::is_owner(const std::string& thing, const std::string& owner) const {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  Statement statement(connection_->handle,
                      "SELECT count(*) FROM owners WHERE thing = ? AND owner = ?");
  if (statement.bind(thing).bind(owner).step() != SQLITE_ROW) return connection_->error();
  return statement.number(0) > 0;
}

Result<std::int64_t> SqliteJobs::remove_owner(const std::string& thing, const std::string& owner) {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  const Failure failure = connection_->with_reserve([&] {
    Statement removal(connection_->handle, "DELETE FROM owners WHERE thing = ? AND owner = ?");
    return connection_->finished(removal.bind(thing).bind(owner));
  });
  if (failure) return *failure;
  Statement rest(connection_->handle, "SELECT count(*) FROM owners WHERE thing = ?");
  if (rest.bind(thing).step() != SQLITE_ROW) return connection_->error();
  return rest.number(0);
}

void SqliteJobs::touch_job(const std::string& id) const {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  connection_->touch(job_thing(id));
}

void SqliteJobs::touch_note(const std::string& key) const {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  connection_->touch(note_thing(key));
}

Result<std::vector<KeptThing>> SqliteJobs::least_recently_used(
    std::optional<std::int64_t> most) const {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  if (Failure failure = connection_->delete_in_one_step([] { return Failure(); })) return *failure;
  Statement statement(
      connection_->handle,
      fmt::format("SELECT id, '', length(request) + length(result) + length(summary) +"
                  " (SELECT COALESCE(SUM(length(bytes)), 0) FROM files WHERE job = id),"
                  " COALESCE(turn, 0) AS used, seq AS place"
                  " FROM jobs LEFT JOIN uses ON thing = '{}' || id"
                  " WHERE state NOT IN ('queued', 'running')"
                  " UNION ALL SELECT '', key, length(key) + length(text), COALESCE(turn, 0), 0"
                  " FROM notes LEFT JOIN uses ON thing = '{}' || key"
                  " ORDER BY used, place, 2 LIMIT ?",
                  kJobThing, kNoteThing));
  statement.bind(most.value_or(-1));  // SQLite's word for no limit
  std::vector<KeptThing> things;
  int status = statement.step();
  for (; status == SQLITE_ROW; status = statement.step())
    things.push_back({statement.text(0), statement.text(1), statement.number(2)});
  if (status != SQLITE_DONE) return connection_->error();
  return things;
}

Failure SqliteJobs::forget_job(const std::string& id) {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  return connection_->delete_in_one_step([&]() -> Failure {
    for (const char* const sql :
         {"DELETE FROM files WHERE job = ?", "DELETE FROM jobs WHERE id = ?"}) {
      Statement statement(connection_->handle, sql);
      if (Failure failure = connection_->finished(statement.bind(id))) return failure;
    }
    if (Failure failure = connection_->forget_owners(id)) return failure;
    return connection_->forget(job_thing(id));
  });
}

Failure SqliteJobs::forget_note(const std::string& key) {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  return connection_->delete_in_one_step([&]() -> Failure {
    Statement statement(connection_->handle, "DELETE FROM notes WHERE key = ?");
    if (Failure failure = connection_->finished(statement.bind(key))) return failure;
    if (Failure failure = connection_->forget_owners(key)) return failure;
    return connection_->forget(note_thing(key));
  });
}

Failure SqliteJobs::compact() {
  const std::lock_guard<std::mutex> lock(connection_->mutex);
  std::int64_t pages_at_a_time = kPagesAtATime;
  const Failure failure = connection_->with_reserve([&] {
    const std::int64_t pages = std::exchange(pages_at_a_time, kPagesOfAReserve);
    if (Failure unmoved = connection_->give_room_back(pages)) return unmoved;
    // Of a store that has a log still.
    return connection_->run("PRAGMA wal_checkpoint(TRUNCATE)");
  });
  if (!failure) connection_->keep_reserve();
  return failure;
}

}  // namespace poet
