#include "poet/store/point_store.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "poet/base/message_text.h"

namespace poet {
namespace {

// "POET" as a number: SQLite keeps it in the file's head, so that others' files are told apart.
constexpr int kApplicationId = 0x504F4554;
constexpr int kVersion = 1;

constexpr const char* kTables =
    "CREATE TABLE question (text TEXT NOT NULL);"
    "CREATE TABLE points (id INTEGER PRIMARY KEY, answer TEXT NOT NULL);";

struct Statement {
  sqlite3_stmt* handle = nullptr;
  ~Statement() { sqlite3_finalize(handle); }

  std::string text(int column) const {
    const auto* const bytes =
        reinterpret_cast<const char*>(sqlite3_column_text(handle, column));  // NOLINT
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle, column));
    return bytes == nullptr ? std::string() : std::string(bytes, size);
  }
};

}  // namespace

struct PointStore::Connection {
  sqlite3* handle = nullptr;
  std::string path;

  explicit Connection(std::string of) : path(std::move(of)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { sqlite3_close(handle); }

  Error error() const {
    const bool locked = sqlite3_errcode(handle) == SQLITE_BUSY;
    return Error{ErrorCode::Io,
                 locked ? fmt::format("{} is in use by another sweep", in_quotes(path))
                        : fmt::format("cannot use {} as a results file: {}", in_quotes(path),
                                      sqlite3_errmsg(handle)),
                 {}};
  }

  Failure run(const std::string& sql) {
    if (sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return error();
    return std::nullopt;
  }

  Failure prepare(const char* sql, Statement& statement) const {
    if (sqlite3_prepare_v2(handle, sql, -1, &statement.handle, nullptr) != SQLITE_OK)
      return error();
    return std::nullopt;
  }

  Result<std::int64_t> number(const char* sql) const {
    Statement statement;
    if (Failure failure = prepare(sql, statement)) return *failure;
    if (sqlite3_step(statement.handle) != SQLITE_ROW) return error();
    return static_cast<std::int64_t>(sqlite3_column_int64(statement.handle, 0));
  }

  Failure insert(const char* sql, std::optional<std::int64_t> id, const std::string& text) {
    Statement statement;
    if (Failure failure = prepare(sql, statement)) return failure;
    int column = 1;
    if (id) sqlite3_bind_int64(statement.handle, column++, *id);
    sqlite3_bind_text(statement.handle, column, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
    if (sqlite3_step(statement.handle) != SQLITE_DONE) return error();
    return std::nullopt;
  }

  Failure begin_new(const std::string& question) {
    if (Failure failure = run(
            fmt::format("BEGIN IMMEDIATE; PRAGMA application_id = {}; PRAGMA user_version = {}; {}",
                        kApplicationId, kVersion, kTables)))
      return failure;
    if (Failure failure = insert("INSERT INTO question VALUES (?)", {}, question)) return failure;
    return run("COMMIT");
  }

  // Of a file that was there before.
  Failure check(const std::string& question) {
    const Result<std::int64_t> id = number("PRAGMA application_id");
    if (!id.ok()) return id.error();
    const Result<std::int64_t> version = number("PRAGMA user_version");
    if (!version.ok()) return version.error();
    if (*id != kApplicationId || *version != kVersion)
      return Error{ErrorCode::BadInput,
                   fmt::format("{} is not a results file of this version of poet", in_quotes(path)),
                   {}};
    Statement statement;
    if (Failure failure = prepare("SELECT text FROM question", statement)) return failure;
    const int step = sqlite3_step(statement.handle);
    if (step == SQLITE_DONE)
      return bad_input(fmt::format(
          "{} does not say of which sweep its points are; name another file", in_quotes(path)));
    if (step != SQLITE_ROW) return error();
    if (statement.text(0) == question) return std::nullopt;
    return Error{ErrorCode::BadInput,
                 fmt::format("{} holds the points of another sweep; name another file, or repeat "
                             "that sweep's options",
                             in_quotes(path)),
                 {}};
  }
};

PointStore::PointStore(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}
PointStore::PointStore(PointStore&&) noexcept = default;
PointStore& PointStore::operator=(PointStore&&) noexcept = default;
PointStore::~PointStore() = default;

Result<PointStore> PointStore::open(const std::string& path, const std::string& question) {
  auto connection = std::make_unique<Connection>(path);
  if (sqlite3_open(path.c_str(), &connection->handle) != SQLITE_OK) return connection->error();
  // Kept until the end, so that two sweeps do not write one file.
  if (Failure failure = connection->run("PRAGMA locking_mode = EXCLUSIVE")) return *failure;
  const Result<std::int64_t> tables = connection->number("SELECT count(*) FROM sqlite_master");
  if (!tables.ok()) return tables.error();
  if (*tables == 0) {
    if (Failure failure = connection->begin_new(question)) return *failure;
  } else {
    if (Failure failure = connection->check(question)) return *failure;
    if (Failure failure = connection->run("BEGIN IMMEDIATE; COMMIT")) return *failure;
  }
  return PointStore(std::move(connection));
}

Result<std::optional<std::string>> PointStore::find(std::int64_t point) const {
  Statement statement;
  if (Failure failure = connection_->prepare("SELECT answer FROM points WHERE id = ?", statement))
    return *failure;
  sqlite3_bind_int64(statement.handle, 1, point);
  switch (sqlite3_step(statement.handle)) {
    case SQLITE_ROW:
      return std::optional(statement.text(0));
    case SQLITE_DONE:
      return std::optional<std::string>();
    default:
      return connection_->error();
  }
}

Failure PointStore::put(std::int64_t point, const std::string& answer) {
  return connection_->insert("INSERT OR REPLACE INTO points VALUES (?, ?)", point, answer);
}

Result<std::optional<std::int64_t>> PointStore::take(const PointRange& range) {
  taken_up_to_ = std::max(taken_up_to_, range.begin);
  while (taken_up_to_ < range.end) {
    const std::int64_t point = taken_up_to_++;
    const Result<std::optional<std::string>> answer = find(point);
    if (!answer.ok()) return answer.error();
    if (!answer->has_value()) return std::optional(point);
  }
  return std::optional<std::int64_t>();
}

Result<std::string> PointStore::keep(std::int64_t point, const std::string& answer) {
  if (Failure failure = put(point, answer)) return *failure;
  return answer;
}

Result<std::int64_t> PointStore::count() const {
  return connection_->number("SELECT count(*) FROM points");
}

std::string PointStore::place() const {
  return "the results file " + in_quotes(connection_->path);
}

bool PointStore::in_place() const {
  int moved = 0;
  sqlite3_file_control(connection_->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved == 0;
}

}  // namespace poet
