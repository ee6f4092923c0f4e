#include "poet/store/postgres_schema.h"

#include <fmt/core.h>

#include <array>

namespace poet {
namespace {

// Numbers of our own for locks of the whole database: "POET" and which. kGate is in
// postgres_team.cc.
constexpr std::int64_t kSchemaLock = 0x504F455400000001;

// One sequence numbers everything that has an order: when a job was put, its place in its line,
// when a share was served last, when a thing was used.
//
// A job that runs has a ticket, which is new each time that it is begun: whoever has lost it (its
// lease ran out, and another took the job over) changes nothing any more. `ends`: nobody wants it
// any more, and it was told to end. `asks`: which version of questions its request is; workers
// leave alone what they cannot read.
constexpr const char* kFirst = R"sql(
CREATE SEQUENCE numbers;
CREATE TABLE jobs (
  id text PRIMARY KEY,
  kind text NOT NULL,
  lane text NOT NULL,
  state text NOT NULL,
  request text NOT NULL,
  asks integer NOT NULL,
  model_name text NOT NULL,
  needs_note text NOT NULL,
  needs_job text NOT NULL,
  created bigint NOT NULL,
  started bigint,
  finished bigint,
  result text NOT NULL DEFAULT '',
  summary text NOT NULL DEFAULT '',
  error text NOT NULL DEFAULT '',
  attempts bigint NOT NULL DEFAULT 0,
  lost bigint NOT NULL DEFAULT 0,
  seq bigint NOT NULL,
  place bigint NOT NULL,
  used bigint NOT NULL,
  ticket text NOT NULL DEFAULT '',
  lease_until timestamptz,
  ends boolean NOT NULL DEFAULT false,
  progress text NOT NULL DEFAULT '',
  last_event bigint NOT NULL DEFAULT 0);
CREATE INDEX jobs_live ON jobs (state, lane, place) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_newest ON jobs (seq);
CREATE INDEX jobs_used ON jobs (used);
CREATE TABLE files (
  job text NOT NULL REFERENCES jobs ON DELETE CASCADE,
  name text NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (job, name));
CREATE TABLE events (
  job text NOT NULL REFERENCES jobs ON DELETE CASCADE,
  number bigint NOT NULL,
  name text NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (job, number));
CREATE TABLE wants (
  job text NOT NULL REFERENCES jobs ON DELETE CASCADE,
  share text NOT NULL,
  PRIMARY KEY (job, share));
CREATE INDEX wants_by_share ON wants (share);
CREATE TABLE shares (share text PRIMARY KEY, turn bigint NOT NULL);
CREATE TABLE notes (key text PRIMARY KEY, text text NOT NULL, used bigint NOT NULL);
CREATE TABLE blobs (
  key text NOT NULL REFERENCES notes ON DELETE CASCADE,
  part integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (key, part));
CREATE TABLE owners (thing text NOT NULL, owner text NOT NULL, PRIMARY KEY (thing, owner));
CREATE INDEX owners_by_owner ON owners (owner);

CREATE FUNCTION seconds_now() RETURNS bigint LANGUAGE sql VOLATILE AS
  $$ SELECT floor(extract(epoch FROM clock_timestamp()))::bigint $$;
CREATE FUNCTION state_line(state text) RETURNS text LANGUAGE sql VOLATILE AS
  $$ SELECT format('{"state": "%s", "at": "%s"}', state,
       to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) $$;

-- Whoever listens hears of every event, and of what may be begun.
CREATE FUNCTION tell_of_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('poet_jobs', NEW.job ||
    CASE WHEN NEW.name = 'state' AND NEW.data LIKE '{"state": "queued"%' THEN ' queued' ELSE '' END);
  RETURN NULL;
END $$;
CREATE TRIGGER tell_of_event AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION tell_of_event();
)sql";

// Sweeps that several processes share. A point without an answer is nobody's, or that of a process
// until its lease runs out; `lost`: how many processes were lost with it.
constexpr const char* kSweeps = R"sql(
CREATE TABLE sweeps (
  name text PRIMARY KEY,
  question text NOT NULL,
  points bigint NOT NULL,
  created bigint NOT NULL);
CREATE TABLE sweep_points (
  sweep text NOT NULL REFERENCES sweeps ON DELETE CASCADE,
  point bigint NOT NULL,
  answer text,
  process text NOT NULL DEFAULT '',
  lease_until timestamptz,
  lost bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (sweep, point));
CREATE INDEX sweep_points_open ON sweep_points (sweep, point) WHERE answer IS NULL;
)sql";

constexpr std::array<PostgresChange, 2> kChanges = {
    {{.version = 1, .readable_by = 1, .script = kFirst},
     {.version = 2, .readable_by = 1, .script = kSweeps}}};

struct TableVersion {
  int version = 0;  // 0: there are no tables yet
  int readable_by = 0;
};

Error not_ours() {
  return bad_input(
      "the schema 'poet' of the database is somebody else's: what is in it was not made by poet; "
      "name another database, or rename the schema");
}

// Of a table of versions that has the columns of ours, whatever else the schema has; and of what
// there is at all.
constexpr const char* kWhatIsThere =
    "SELECT (SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass('poet.version') AND "
    "  attname IN ('version', 'readable_by') AND atttypid = 'integer'::regtype AND attnum > 0), "
    "(SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('poet'))";

Result<TableVersion> version_of(PostgresConnection& connection) {
  const Result<PostgresRows> there = connection.ask(kWhatIsThere);
  if (!there.ok()) return there.error();
  const bool has_versions = there->number(0, 0) == 2;
  if (!has_versions)
    return there->number(0, 1) == 0 ? Result<TableVersion>(TableVersion()) : not_ours();
  const Result<PostgresRows> rows = connection.ask("SELECT version, readable_by FROM poet.version");
  if (!rows.ok()) return rows.error();
  if (rows->count() != 1 || rows->number(0, 0) < 1) return not_ours();
  return TableVersion{static_cast<int>(rows->number(0, 0)), static_cast<int>(rows->number(0, 1))};
}

Failure make_version(PostgresConnection& connection) {
  return connection.run_script(
      "CREATE SCHEMA IF NOT EXISTS poet;"
      "CREATE TABLE poet.version (version integer NOT NULL, readable_by integer NOT NULL);"
      "INSERT INTO poet.version VALUES (0, 0)");
}

Failure change(PostgresConnection& connection, const PostgresChange& change) {
  if (Failure failure = connection.run_script(change.script)) return failure;
  return connection.tell("UPDATE poet.version SET version = $1, readable_by = $2",
                         {std::int64_t{change.version}, std::int64_t{change.readable_by}});
}

}  // namespace

std::span<const PostgresChange> postgres_changes() {
  return kChanges;
}

Failure bring_up_to_date(const PostgresPool& pool, std::span<const PostgresChange> changes) {
  return pool.in_one_step([changes](PostgresConnection& connection) -> Failure {
    if (Failure failure = connection.tell("SELECT pg_advisory_xact_lock($1)", {kSchemaLock}))
      return failure;
    const Result<TableVersion> now = version_of(connection);
    if (!now.ok()) return now.error();
    const int ours = changes.back().version;
    if (now->readable_by > ours)
      return bad_input(
          fmt::format("the tables in the database are of a later version of poet ({}), which this "
                      "one ({}) cannot use",
                      now->version, ours));
    if (now->version == 0)
      if (Failure failure = make_version(connection)) return failure;
    for (const PostgresChange& next : changes)
      if (next.version > now->version)
        if (Failure failure = change(connection, next)) return failure;
    return std::nullopt;
  });
}

}  // namespace poet
