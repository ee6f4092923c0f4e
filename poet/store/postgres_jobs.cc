#include "poet/store/postgres_jobs.h"

#include <fmt/core.h>

#include "poet/store/job_row.h"

namespace poet {
namespace {

constexpr std::int64_t kGate = 0x504F455400000002;  // "POET" and a number, beside kSchemaLock
constexpr std::size_t kMostUses = 64;               // that are held in memory
// Bytes go in parts, so that the database's limit on one value, 1 GB, is none on a model.
constexpr std::size_t kPartBytes = std::size_t{8} << 20;

}  // namespace

StoredJob job_in(const PostgresRows& rows, int row) {
  struct Row {
    const PostgresRows& rows;
    int row;
    std::string text(int column) const { return rows.text(row, column); }
    std::int64_t number(int column) const { return rows.number(row, column); }
    std::optional<std::int64_t> maybe(int column) const { return rows.maybe(row, column); }
  };
  return job_of_row(Row{rows, row});
}

Failure pass_gate(PostgresConnection& connection) {
  return connection.tell("SELECT pg_advisory_xact_lock($1)", {kGate});
}

// The first columns of all rows.
Result<std::vector<std::vector<std::string>>> PostgresJobs::texts(const char* question,
                                                                  const Values& values,
                                                                  int columns) const {
  std::vector<std::vector<std::string>> found;
  const Failure failure = pool_.ask([&](PostgresConnection& connection) -> Failure {
    const Result<PostgresRows> rows =
        connection.ask(question, values, PostgresConnection::Answers::Bytes);
    if (!rows.ok()) return rows.error();
    found.clear();
    for (int row = 0; row < rows->count(); ++row) {
      found.emplace_back();
      for (int column = 0; column < columns; ++column)
        found.back().push_back(rows->text(row, column));
    }
    return std::nullopt;
  });
  if (failure) return *failure;
  return found;
}

Failure PostgresJobs::tell(const char* command, const Values& values) const {
  return pool_.ask(
      [&](PostgresConnection& connection) { return connection.tell(command, values); });
}

namespace {

using TextRows = Result<std::vector<std::vector<std::string>>>;

Result<std::optional<std::string>> first_text(TextRows rows) {
  if (!rows.ok()) return rows.error();
  if (rows->empty()) return std::optional<std::string>();
  return std::optional(std::move(rows->front().front()));
}

Result<std::vector<std::string>> first_column(TextRows rows) {
  if (!rows.ok()) return rows.error();
  std::vector<std::string> column;
  for (std::vector<std::string>& row : *rows) column.push_back(std::move(row.front()));
  return column;
}

Failure put_bytes(PostgresConnection& connection, const std::string& key,
                  const std::string& bytes) {
  if (Failure failure = connection.tell("DELETE FROM blobs WHERE key = $1", {key})) return failure;
  std::int64_t part = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kPartBytes)
    if (Failure failure =
            connection.tell("INSERT INTO blobs VALUES ($1, $2, $3)",
                            {key, part++, PostgresValue::bytes(bytes.substr(at, kPartBytes))}))
      return failure;
  return std::nullopt;
}

constexpr const char* kPutNote =
    "INSERT INTO notes VALUES ($1, $2, nextval('numbers')) "
    "ON CONFLICT (key) DO UPDATE SET text = excluded.text, used = excluded.used";

}  // namespace

Result<std::optional<StoredJob>> PostgresJobs::find(const std::string& id) const {
  std::optional<StoredJob> found;
  const std::string question =
      fmt::format("SELECT {}, result FROM jobs WHERE id = $1", kJobColumns);
  const Failure failure = pool_.ask([&](PostgresConnection& connection) -> Failure {
    const Result<PostgresRows> rows = connection.ask(question.c_str(), {id});
    if (!rows.ok()) return rows.error();
    found.reset();
    if (rows->count() == 0) return std::nullopt;
    found = job_in(*rows, 0);
    found->result = rows->text(0, kJobColumnCount);
    return std::nullopt;
  });
  if (failure) return *failure;
  return found;
}

Result<std::vector<StoredJob>> PostgresJobs::list(const JobFilter& filter) const {
  Values values = {filter.most};
  const auto given = [&values](std::string value) {
    values.emplace_back(std::move(value));
    return fmt::format("${}", values.size());
  };
  const std::string kind =
      filter.kind ? "kind = " + given(*filter.kind) : "kind IN ('plan', 'curve')";
  const std::string state =
      filter.state ? "state = " + given(std::string(name_of(kJobStates, *filter.state))) : "true";
  const std::string owner =
      filter.owner
          ? fmt::format("id IN (SELECT thing FROM owners WHERE owner = {})", given(*filter.owner))
          : "true";
  const std::string question =
      fmt::format("SELECT {} FROM jobs WHERE {} AND {} AND {} ORDER BY seq DESC LIMIT $1",
                  kJobColumns, kind, state, owner);
  std::vector<StoredJob> jobs;
  const Failure failure = pool_.ask([&](PostgresConnection& connection) -> Failure {
    const Result<PostgresRows> rows = connection.ask(question.c_str(), values);
    if (!rows.ok()) return rows.error();
    jobs.clear();
    for (int row = 0; row < rows->count(); ++row) jobs.push_back(job_in(*rows, row));
    return std::nullopt;
  });
  if (failure) return *failure;
  return jobs;
}

Result<std::optional<std::string>> PostgresJobs::file(const std::string& id,
                                                      const std::string& name) const {
  return first_text(texts("SELECT bytes FROM files WHERE job = $1 AND name = $2", {id, name}, 1));
}

Result<std::vector<std::string>> PostgresJobs::file_names(const std::string& id) const {
  return first_column(texts("SELECT name FROM files WHERE job = $1 ORDER BY name", {id}, 1));
}

Result<std::optional<std::string>> PostgresJobs::note(const std::string& key) const {
  return first_text(texts("SELECT text FROM notes WHERE key = $1", {key}, 1));
}

Failure PostgresJobs::put_note(const std::string& key, const std::string& text) {
  return tell(kPutNote, {key, text});
}

Result<std::vector<std::pair<std::string, std::string>>> PostgresJobs::notes(
    const std::string& begin) const {
  TextRows rows =
      texts("SELECT key, text FROM notes WHERE starts_with(key, $1) ORDER BY key", {begin}, 2);
  if (!rows.ok()) return rows.error();
  std::vector<std::pair<std::string, std::string>> found;
  for (std::vector<std::string>& row : *rows)
    found.emplace_back(std::move(row[0]), std::move(row[1]));
  return found;
}

Failure PostgresJobs::put_note_with_bytes(const std::string& key, const std::string& text,
                                          const std::string& bytes) {
  return pool_.in_one_step([&](PostgresConnection& connection) -> Failure {
    if (Failure failure = connection.tell(kPutNote, {key, text})) return failure;
    return put_bytes(connection, key, bytes);
  });
}

Result<std::optional<std::string>> PostgresJobs::bytes_of_note(const std::string& key) const {
  TextRows rows = texts("SELECT bytes FROM blobs WHERE key = $1 ORDER BY part", {key}, 1);
  if (!rows.ok()) return rows.error();
  if (rows->empty()) return std::optional<std::string>();
  std::string bytes;
  for (const std::vector<std::string>& row : *rows) bytes += row.front();
  return std::optional(std::move(bytes));
}

Failure PostgresJobs::add_owner(const std::string& thing, const std::string& owner) {
  return tell("INSERT INTO owners VALUES ($1, $2) ON CONFLICT DO NOTHING", {thing, owner});
}

Result<std::vector<std::string>> PostgresJobs::owners_of(const std::string& thing) const {
  return first_column(
      texts("SELECT owner FROM owners WHERE thing = $1 ORDER BY owner", {thing}, 1));
}

Result<bool> PostgresJobs::is_owner(const std::string& thing, const std::string& owner) const {
  const TextRows rows =
      texts("SELECT owner FROM owners WHERE thing = $1 AND owner = $2", {thing, owner}, 1);
  if (!rows.ok()) return rows.error();
  return !rows->empty();
}

Result<std::int64_t> PostgresJobs::remove_owner(const std::string& thing,
                                                const std::string& owner) {
  std::int64_t left = 0;
  const Failure failure = pool_.in_one_step([&](PostgresConnection& connection) -> Failure {
    if (Failure removal =
            connection.tell("DELETE FROM owners WHERE thing = $1 AND owner = $2", {thing, owner}))
      return removal;
    const Result<PostgresRows> rows =
        connection.ask("SELECT count(*) FROM owners WHERE thing = $1", {thing});
    if (!rows.ok()) return rows.error();
    left = rows->number(0, 0);
    return std::nullopt;
  });
  if (failure) return *failure;
  return left;
}

void PostgresJobs::touch(std::string thing) const {
  bool many = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase(uses_, thing);
    uses_.push_back(std::move(thing));
    many = uses_.size() > kMostUses;
  }
  if (many) static_cast<void>(write_uses());
}

void PostgresJobs::touch_job(const std::string& id) const {
  touch(job_thing(id));
}

void PostgresJobs::touch_note(const std::string& key) const {
  touch(note_thing(key));
}

Failure PostgresJobs::write_uses() const {
  std::vector<std::string> uses;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    uses.swap(uses_);
  }
  if (uses.empty()) return std::nullopt;
  return pool_.in_one_step([&uses](PostgresConnection& connection) -> Failure {
    for (const std::string& thing : uses) {
      const bool is_job = thing.starts_with(kJobThing);
      const std::string name = thing.substr((is_job ? kJobThing : kNoteThing).size());
      // A row that somebody else changes right now is in use without our word for it.
      const char* const command =
          is_job ? "UPDATE jobs SET used = nextval('numbers') WHERE id IN "
                   "(SELECT id FROM jobs WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED)"
                 : "UPDATE notes SET used = nextval('numbers') WHERE key IN "
                   "(SELECT key FROM notes WHERE key = $1 FOR NO KEY UPDATE SKIP LOCKED)";
      if (Failure failure = connection.tell(command, {name})) return failure;
    }
    return std::nullopt;
  });
}

Result<std::vector<KeptThing>> PostgresJobs::least_recently_used(
    std::optional<std::int64_t> most) const {
  if (Failure failure = write_uses()) return *failure;
  std::vector<KeptThing> things;
  const Failure failure = pool_.ask([&](PostgresConnection& connection) -> Failure {
    const Result<PostgresRows> rows = connection.ask(
        "SELECT id, '', octet_length(request) + octet_length(result) + octet_length(summary) + "
        "(SELECT COALESCE(sum(octet_length(bytes)), 0) FROM files WHERE job = id) + "
        "(SELECT COALESCE(sum(octet_length(data)), 0) FROM events WHERE job = id), used AS turn "
        "FROM jobs WHERE state NOT IN ('queued', 'running') "
        "UNION ALL SELECT '', key, octet_length(key) + octet_length(text) + "
        "(SELECT COALESCE(sum(octet_length(bytes)), 0) FROM blobs WHERE blobs.key = notes.key), "
        "used FROM notes ORDER BY turn LIMIT NULLIF($1::bigint, -1)",
        {most.value_or(-1)});
    if (!rows.ok()) return rows.error();
    things.clear();
    for (int row = 0; row < rows->count(); ++row)
      things.push_back({rows->text(row, 0), rows->text(row, 1), rows->number(row, 2)});
    return std::nullopt;
  });
  if (failure) return *failure;
  return things;
}

Failure PostgresJobs::forget_job(const std::string& id) {
  return pool_.in_one_step([&id](PostgresConnection& connection) -> Failure {
    if (Failure failure = pass_gate(connection)) return failure;
    if (Failure failure = connection.tell(
            "DELETE FROM jobs WHERE id = $1 AND state NOT IN ('queued', 'running') AND NOT EXISTS "
            "(SELECT FROM jobs AS live WHERE state IN ('queued', 'running') AND needs_job = $1)",
            {id}))
      return failure;
    return connection.tell(
        "DELETE FROM owners WHERE thing = $1 AND NOT EXISTS (SELECT FROM jobs WHERE id = $1)",
        {id});
  });
}

Failure PostgresJobs::forget_note(const std::string& key) {
  return pool_.in_one_step([&key](PostgresConnection& connection) -> Failure {
    if (Failure failure = pass_gate(connection)) return failure;
    if (Failure failure = connection.tell(
            "DELETE FROM notes WHERE key = $1 AND NOT EXISTS "
            "(SELECT FROM jobs WHERE state IN ('queued', 'running') AND needs_note = $1)",
            {key}))
      return failure;
    return connection.tell(
        "DELETE FROM owners WHERE thing = $1 AND NOT EXISTS (SELECT FROM notes WHERE key = $1)",
        {key});
  });
}

Result<std::int64_t> PostgresJobs::used_bytes() const {
  std::int64_t bytes = 0;
  const Failure failure = pool_.ask([&bytes](PostgresConnection& connection) -> Failure {
    const Result<PostgresRows> rows = connection.ask(
        "SELECT ((SELECT COALESCE(sum(octet_length(request) + octet_length(result) + "
        "octet_length(summary)), 0) FROM jobs) + "
        "(SELECT COALESCE(sum(octet_length(bytes)), 0) FROM files) + "
        "(SELECT COALESCE(sum(octet_length(data)), 0) FROM events) + "
        "(SELECT COALESCE(sum(octet_length(key) + octet_length(text)), 0) FROM notes) + "
        "(SELECT COALESCE(sum(octet_length(bytes)), 0) FROM blobs))::bigint");
    if (!rows.ok()) return rows.error();
    bytes = rows->number(0, 0);
    return std::nullopt;
  });
  if (failure) return *failure;
  return bytes;
}

}  // namespace poet
