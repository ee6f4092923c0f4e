#include "poet/store/team_jobs.h"

#include <fmt/core.h>

#include "poet/store/job_row.h"
#include "poet/store/postgres_jobs.h"

namespace poet {
namespace {

std::string word_of(JobState state) {
  return std::string(name_of(kJobStates, state));
}

// A job whose row is locked goes into a state, and says so; `set` is what else changes of it.
Failure go_into(PostgresConnection& connection, const std::string& id, JobState state,
                const char* set, std::vector<PostgresValue> values = {}) {
  values.insert(values.begin(), {id, word_of(state)});
  const std::string command = fmt::format(
      "WITH gone AS (UPDATE jobs SET state = $2, last_event = last_event + 1{} WHERE id = $1 "
      "RETURNING id, last_event) "
      "INSERT INTO events SELECT id, last_event, 'state', state_line($2) FROM gone",
      set);
  return connection.tell(command.c_str(), values);
}

constexpr const char* kWaits = ", started = NULL, progress = '', ticket = '', lease_until = NULL";
constexpr const char* kAsAnew =
    ", created = seconds_now(), started = NULL, finished = NULL, error = '', attempts = 0, "
    "lost = 0, place = nextval('numbers'), ticket = '', lease_until = NULL, ends = false, "
    "progress = ''";

Failure own(PostgresConnection& connection, const TeamAsk& asked) {
  if (!asked.owner) return std::nullopt;
  return connection.tell("INSERT INTO owners VALUES ($1, $2) ON CONFLICT DO NOTHING",
                         {asked.job.id, *asked.owner});
}

// Who comes after a while is behind those that wait, and not before them for having been away.
Failure want(PostgresConnection& connection, const std::string& id, const std::string& share) {
  if (Failure failure = connection.tell(
          "INSERT INTO shares VALUES ($1, nextval('numbers')) ON CONFLICT (share) DO UPDATE SET "
          "turn = excluded.turn WHERE NOT EXISTS (SELECT FROM wants WHERE share = $1)",
          {share}))
    return failure;
  return connection.tell("INSERT INTO wants VALUES ($1, $2) ON CONFLICT DO NOTHING", {id, share});
}

struct Waiting {
  std::int64_t all = 0;
  std::int64_t of_share = 0;
};

Result<Waiting> waiting(PostgresConnection& connection, const std::string& share) {
  const Result<PostgresRows> rows = connection.ask(
      "SELECT count(*), count(*) FILTER (WHERE EXISTS "
      "(SELECT FROM wants WHERE job = id AND share = $1)) FROM jobs WHERE state = 'queued'",
      {share});
  if (!rows.ok()) return rows.error();
  return Waiting{rows->number(0, 0), rows->number(0, 1)};
}

// As if it were asked for the first time; what an earlier run came to stays until it ends.
Failure put(PostgresConnection& connection, const TeamAsk& asked) {
  const StoredJob& job = asked.job;
  if (Failure failure = connection.tell(
          "INSERT INTO jobs (id, kind, lane, state, request, asks, model_name, needs_note, "
          "needs_job, created, seq, place, used) VALUES ($1, $2, $3, 'queued', $4, $5, $6, $7, $8, "
          "seconds_now(), nextval('numbers'), nextval('numbers'), nextval('numbers')) "
          "ON CONFLICT (id) DO UPDATE SET request = excluded.request, asks = excluded.asks, "
          "model_name = excluded.model_name, needs_note = excluded.needs_note, "
          "needs_job = excluded.needs_job, seq = excluded.seq, used = excluded.used",
          {job.id, job.kind, asked.lane, job.request, asked.asks, job.model_name, asked.needs_note,
           asked.needs_job}))
    return failure;
  // What was told of an earlier run is told no more.
  if (Failure failure = connection.tell("DELETE FROM events WHERE job = $1", {job.id}))
    return failure;
  if (Failure failure = go_into(connection, job.id, JobState::Queued, kAsAnew)) return failure;
  return want(connection, job.id, asked.share);
}

Result<std::string> state_of(PostgresConnection& connection, const std::string& id) {
  const Result<PostgresRows> rows = connection.ask("SELECT state FROM jobs WHERE id = $1", {id});
  if (!rows.ok()) return rows.error();
  return rows->count() == 0 ? std::string() : rows->text(0, 0);
}

// At the gate.
Result<TeamAsked> ask_alone(PostgresConnection& connection, const TeamAsk& asked) {
  const std::string& id = asked.job.id;
  // Whoever ends it meanwhile is waited for.
  const Result<PostgresRows> rows =
      connection.ask("SELECT state FROM jobs WHERE id = $1 FOR UPDATE", {id});
  if (!rows.ok()) return rows.error();
  const std::string state = rows->count() == 0 ? std::string() : rows->text(0, 0);
  if (state == "done") {
    if (Failure failure = own(connection, asked)) return *failure;
    return TeamAsked::Ended;
  }
  if (state == "queued" || state == "running") {
    if (Failure failure = own(connection, asked)) return *failure;
    if (Failure failure = want(connection, id, asked.share)) return *failure;
    return TeamAsked::Accepted;
  }
  const Result<Waiting> now = waiting(connection, asked.share);
  if (!now.ok()) return now.error();
  if (now->all >= asked.most_queued) return TeamAsked::Full;
  if (now->of_share >= asked.most_queued_each) return TeamAsked::ShareIsFull;
  if (Failure failure = put(connection, asked)) return *failure;
  if (Failure failure = own(connection, asked)) return *failure;
  return TeamAsked::Accepted;
}

// The jobs of workers whose leases ran out. Nobody is waited for: a row that is locked is being
// ended, or taken back, right now.
Failure take_back_lost(PostgresConnection& connection) {
  const Result<PostgresRows> rows = connection.ask(
      "SELECT id, lost, EXISTS (SELECT FROM wants WHERE job = id) FROM jobs "
      "WHERE state = 'running' AND lease_until < clock_timestamp() FOR UPDATE OF jobs SKIP LOCKED");
  if (!rows.ok()) return rows.error();
  for (int row = 0; row < rows->count(); ++row) {
    const std::string id = rows->text(row, 0);
    Failure failure;
    if (!rows->is_true(row, 2)) {
      failure = go_into(connection, id, JobState::Cancelled,
                        ", finished = seconds_now(), lease_until = NULL, ticket = ''");
    } else if (rows->number(row, 1) + 1 >= kMostLost) {
      failure =
          go_into(connection, id, JobState::Failed,
                  ", finished = seconds_now(), lease_until = NULL, ticket = '', "
                  "lost = lost + 1, error = $3",
                  {fmt::format(R"({{"code": "unavailable", "message": "its workers were lost )"
                               R"({} times, so it is not begun again", "field": null}})",
                               kMostLost)});
      if (!failure) failure = connection.tell("DELETE FROM wants WHERE job = $1", {id});
    } else {
      const std::string set = fmt::format(
          "{}, ends = false, lost = lost + 1, attempts = greatest(0, attempts - 1)", kWaits);
      failure = go_into(connection, id, JobState::Queued, set.c_str());
    }
    if (failure) return failure;
  }
  return std::nullopt;
}

// The job of this ticket, as its worker needs it.
Result<std::optional<TeamClaim>> claim_of(PostgresConnection& connection,
                                          const std::string& ticket) {
  const std::string question =
      fmt::format("SELECT {} FROM jobs WHERE ticket = $1 AND state = 'running'", kJobColumns);
  const Result<PostgresRows> rows = connection.ask(question.c_str(), {ticket});
  if (!rows.ok()) return rows.error();
  if (rows->count() == 0) return std::optional<TeamClaim>();
  return std::optional(TeamClaim{job_in(*rows, 0), ticket});
}

// At the gate, so that two workers at once take the turns of two shares, and not one.
Failure claim_next(PostgresConnection& connection, const std::string& lane,
                   const std::string& ticket, double lease_s, std::int64_t most_asks) {
  const Result<PostgresRows> rows = connection.ask(
      "SELECT jobs.id, share FROM jobs JOIN wants ON job = jobs.id JOIN shares USING (share) "
      "WHERE state = 'queued' AND lane = $1 AND asks <= $2 "
      "ORDER BY turn, place LIMIT 1 FOR UPDATE OF jobs SKIP LOCKED",
      {lane, most_asks});
  if (!rows.ok()) return rows.error();
  if (rows->count() == 0) return std::nullopt;
  if (Failure failure = connection.tell(
          "UPDATE shares SET turn = nextval('numbers') WHERE share = $1", {rows->text(0, 1)}))
    return failure;
  return go_into(connection, rows->text(0, 0), JobState::Running,
                 ", started = seconds_now(), attempts = attempts + 1, ends = false, ticket = $3, "
                 "lease_until = clock_timestamp() + $4::interval",
                 {ticket, PostgresValue::seconds(lease_s)});
}

std::string in_braces(const std::vector<std::string>& words) {
  std::string list = "{";
  for (const std::string& word : words) list += (list.size() > 1 ? ",\"" : "\"") + word + "\"";
  return list + "}";
}

Failure put_files(PostgresConnection& connection, const std::string& id,
                  const std::vector<StoredFile>& files) {
  if (Failure failure = connection.tell("DELETE FROM files WHERE job = $1", {id})) return failure;
  for (const StoredFile& file : files)
    if (Failure failure = connection.tell("INSERT INTO files VALUES ($1, $2, $3)",
                                          {id, file.name, PostgresValue::bytes(file.bytes)}))
      return failure;
  return std::nullopt;
}

struct Held {
  bool is_ours = false;
  StoredJob former = {};
  bool ends = false;
};

// Locks the row.
Result<Held> hold(PostgresConnection& connection, const std::string& id,
                  const std::string& ticket) {
  const std::string question = fmt::format(
      "SELECT {}, result, ends, ticket FROM jobs WHERE id = $1 FOR UPDATE", kJobColumns);
  const Result<PostgresRows> rows = connection.ask(question.c_str(), {id});
  if (!rows.ok()) return rows.error();
  if (rows->count() == 0 || rows->text(0, kJobColumnCount + 2) != ticket) return Held();
  Held held{
      .is_ours = true, .former = job_in(*rows, 0), .ends = rows->is_true(0, kJobColumnCount + 1)};
  held.former.result = rows->text(0, kJobColumnCount);
  return held;
}

Failure keep(PostgresConnection& connection, const StoredJob& job,
             const std::vector<StoredFile>& files) {
  if (Failure failure = put_files(connection, job.id, files)) return failure;
  return go_into(connection, job.id, job.state,
                 ", finished = seconds_now(), lease_until = NULL, result = $3, summary = $4, "
                 "error = $5",
                 {job.result, job.summary, job.error});
}

Failure keep_former(PostgresConnection& connection, const StoredJob& job) {
  return go_into(connection, job.id, job.state,
                 ", finished = seconds_now(), lease_until = NULL, error = $3", {job.error});
}

// Nobody waits for it any more, but for those who asked after it was withdrawn: it begins again for
// them.
Failure part_with(PostgresConnection& connection, const StoredJob& job) {
  if (job.state == JobState::Cancelled) {
    const Result<PostgresRows> asked =
        connection.ask("SELECT FROM wants WHERE job = $1 LIMIT 1", {job.id});
    if (!asked.ok()) return asked.error();
    if (asked->count() > 0) return go_into(connection, job.id, JobState::Queued, kAsAnew);
  }
  return connection.tell("DELETE FROM wants WHERE job = $1", {job.id});
}

}  // namespace

Result<TeamAsked> TeamJobs::ask(const TeamAsk& asked) {
  TeamAsked answer = TeamAsked::Accepted;
  // What is answered is so without holding up those who change something.
  const Result<bool> known = [&]() -> Result<bool> {
    bool done = false;
    const Failure failure = pool_.in_one_step([&](PostgresConnection& connection) -> Failure {
      const Result<std::string> state = state_of(connection, asked.job.id);
      if (!state.ok()) return state.error();
      done = *state == "done";
      return done ? own(connection, asked) : Failure();
    });
    if (failure) return *failure;
    return done;
  }();
  if (!known.ok()) return known.error();
  if (*known) return TeamAsked::Ended;
  const Failure failure = pool_.in_one_step([&](PostgresConnection& connection) -> Failure {
    if (Failure gate = pass_gate(connection)) return gate;
    const Result<TeamAsked> alone = ask_alone(connection, asked);
    if (!alone.ok()) return alone.error();
    answer = *alone;
    return std::nullopt;
  });
  if (failure) return *failure;
  return answer;
}

Result<bool> TeamJobs::has(const std::string& id) const {
  std::string state;
  const Failure failure = pool_.ask([&](PostgresConnection& connection) -> Failure {
    const Result<std::string> found = state_of(connection, id);
    if (!found.ok()) return found.error();
    state = *found;
    return std::nullopt;
  });
  if (failure) return *failure;
  return state == "done" || state == "queued" || state == "running";
}

Result<bool> TeamJobs::is_live(const std::string& id) const {
  std::string state;
  const Failure failure = pool_.ask([&](PostgresConnection& connection) -> Failure {
    const Result<std::string> found = state_of(connection, id);
    if (!found.ok()) return found.error();
    state = *found;
    return std::nullopt;
  });
  if (failure) return *failure;
  return state == "queued" || state == "running";
}

namespace {

// As workers would go on if places came free one after the other and nobody asked for more: in each
// round every share is served once, by its turn.
Result<std::int64_t> ahead_of(PostgresConnection& connection, const std::string& id,
                              const std::string& lane) {
  const Result<PostgresRows> rows = connection.ask(
      "WITH line AS (SELECT job, turn, row_number() OVER (PARTITION BY share ORDER BY place) AS "
      "round FROM wants JOIN jobs ON id = job JOIN shares USING (share) "
      "WHERE state = 'queued' AND lane = $2), "
      "own AS (SELECT round, turn FROM line WHERE job = $1 ORDER BY round, turn LIMIT 1) "
      "SELECT count(DISTINCT line.job) FROM line, own "
      "WHERE (line.round, line.turn) < (own.round, own.turn)",
      {id, lane});
  if (!rows.ok()) return rows.error();
  return rows->number(0, 0);
}

}  // namespace

Result<std::optional<TeamView>> TeamJobs::view(const std::string& id) const {
  std::optional<TeamView> view;
  const std::string question = fmt::format(
      "SELECT {}, result, lane, progress, ends AND EXISTS (SELECT FROM wants WHERE job = id) "
      "FROM jobs WHERE id = $1",
      kJobColumns);
  const Failure failure = pool_.ask([&](PostgresConnection& connection) -> Failure {
    const Result<PostgresRows> rows = connection.ask(question.c_str(), {id});
    if (!rows.ok()) return rows.error();
    view.reset();
    if (rows->count() == 0) return std::nullopt;
    view = TeamView{.job = job_in(*rows, 0), .lane = rows->text(0, kJobColumnCount + 1)};
    view->job.result = rows->text(0, kJobColumnCount);
    view->progress = rows->text(0, kJobColumnCount + 2);
    view->is_ending = view->job.state == JobState::Running && rows->is_true(0, kJobColumnCount + 3);
    if (view->job.state != JobState::Queued) return std::nullopt;
    const Result<std::int64_t> ahead = ahead_of(connection, id, view->lane);
    if (!ahead.ok()) return ahead.error();
    view->ahead = *ahead;
    return std::nullopt;
  });
  if (failure) return *failure;
  return view;
}

Failure TeamJobs::withdraw(const std::string& id, const std::optional<std::string>& share) {
  return pool_.in_one_step([&](PostgresConnection& connection) -> Failure {
    if (Failure failure = pass_gate(connection)) return failure;
    const Result<PostgresRows> rows =
        connection.ask("SELECT state FROM jobs WHERE id = $1 FOR UPDATE", {id});
    if (!rows.ok()) return rows.error();
    const std::string state = rows->count() == 0 ? std::string() : rows->text(0, 0);
    if (state != "queued" && state != "running") return std::nullopt;
    Failure removal =
        share ? connection.tell("DELETE FROM wants WHERE job = $1 AND share = $2", {id, *share})
              : connection.tell("DELETE FROM wants WHERE job = $1", {id});
    if (removal) return removal;
    const Result<PostgresRows> left =
        connection.ask("SELECT FROM wants WHERE job = $1 LIMIT 1", {id});
    if (!left.ok()) return left.error();
    if (left->count() > 0) return std::nullopt;
    if (state == "queued")
      return go_into(connection, id, JobState::Cancelled, ", finished = seconds_now()");
    if (Failure failure = connection.tell("UPDATE jobs SET ends = true WHERE id = $1", {id}))
      return failure;
    return connection.tell("SELECT pg_notify('poet_jobs', $1::text || ' ends')", {id});
  });
}

Result<TeamNews> TeamJobs::news(const std::string& id, std::int64_t number) const {
  TeamNews news;
  const Failure failure = pool_.ask([&](PostgresConnection& connection) -> Failure {
    // In one look, so that the end is not seen without what came before it.
    const Result<PostgresRows> rows = connection.ask(
        "SELECT number, name, data, (SELECT state FROM jobs WHERE id = $1) FROM events "
        "WHERE job = $1 AND number > $2 "
        "UNION ALL SELECT NULL, '', '', (SELECT state FROM jobs WHERE id = $1) "
        "ORDER BY number NULLS LAST",
        {id, number});
    if (!rows.ok()) return rows.error();
    news = {};
    const int last = rows->count() - 1;
    for (int row = 0; row < last; ++row)
      news.events.push_back({rows->number(row, 0), rows->text(row, 1), rows->text(row, 2)});
    const std::string state = rows->text(last, 3);
    news.ended = state != "queued" && state != "running";
    return std::nullopt;
  });
  if (failure) return *failure;
  return news;
}

Result<TeamJobs::Needed> TeamJobs::needed() const {
  Needed needed;
  const Failure failure = pool_.ask([&](PostgresConnection& connection) -> Failure {
    const Result<PostgresRows> rows = connection.ask(
        "SELECT id, needs_note, needs_job FROM jobs WHERE state IN ('queued', 'running')");
    if (!rows.ok()) return rows.error();
    needed = {};
    for (int row = 0; row < rows->count(); ++row) {
      needed.jobs.push_back(rows->text(row, 0));
      needed.notes.push_back(rows->text(row, 1));
      needed.jobs.push_back(rows->text(row, 2));
    }
    return std::nullopt;
  });
  if (failure) return *failure;
  return needed;
}

Result<TeamJobs::Counts> TeamJobs::counts(double patience_s) const {
  Counts counts;
  const Failure failure = pool_.ask(
      [&](PostgresConnection& connection) -> Failure {
        const Result<PostgresRows> rows = connection.ask(
            "SELECT count(*) FILTER (WHERE state = 'queued'), count(*) FILTER (WHERE state = "
            "'running') FROM jobs WHERE state IN ('queued', 'running')");
        if (!rows.ok()) return rows.error();
        counts = {rows->number(0, 0), rows->number(0, 1)};
        return std::nullopt;
      },
      patience_s);
  if (failure) return *failure;
  return counts;
}

namespace {

// So that those who look in vain hold up nobody.
Result<bool> there_may_be_one(const PostgresPool& pool, const std::string& lane,
                              const std::string& ticket) {
  bool perhaps = false;
  const Failure failure = pool.ask([&](PostgresConnection& connection) -> Failure {
    const Result<PostgresRows> rows = connection.ask(
        "SELECT FROM jobs WHERE (state = 'queued' AND lane = $1) OR "
        "(state = 'running' AND (lease_until < clock_timestamp() OR ticket = $2)) LIMIT 1",
        {lane, ticket});
    if (!rows.ok()) return rows.error();
    perhaps = rows->count() > 0;
    return std::nullopt;
  });
  if (failure) return *failure;
  return perhaps;
}

}  // namespace

Result<std::optional<TeamClaim>> TeamJobs::claim(const std::string& lane, const std::string& ticket,
                                                 double lease_s, std::int64_t most_asks) {
  std::optional<TeamClaim> claimed;
  const Result<bool> perhaps = there_may_be_one(pool_, lane, ticket);
  if (!perhaps.ok()) return perhaps.error();
  if (!*perhaps) return claimed;
  const Failure failure = pool_.in_one_step([&](PostgresConnection& connection) -> Failure {
    if (Failure gate = pass_gate(connection)) return gate;
    // An earlier try whose answer was lost may have been done.
    Result<std::optional<TeamClaim>> found = claim_of(connection, ticket);
    if (found.ok() && !*found) {
      if (Failure lost = take_back_lost(connection)) return lost;
      if (Failure next = claim_next(connection, lane, ticket, lease_s, most_asks)) return next;
      found = claim_of(connection, ticket);
    }
    if (!found.ok()) return found.error();
    claimed = *std::move(found);
    return std::nullopt;
  });
  if (failure) return *failure;
  return claimed;
}

Result<std::vector<TeamLease>> TeamJobs::renew(const std::vector<std::string>& tickets,
                                               double lease_s, double patience_s) {
  std::vector<TeamLease> leases;
  const Failure failure = pool_.in_one_step(
      [&](PostgresConnection& connection) -> Failure {
        if (Failure quick = without_waiting_for_the_disk(connection)) return quick;
        const Result<PostgresRows> rows = connection.ask(
            "UPDATE jobs SET lease_until = clock_timestamp() + $2::interval "
            "WHERE ticket = ANY ($1::text[]) AND state = 'running' RETURNING ticket, ends",
            {in_braces(tickets), PostgresValue::seconds(lease_s)});
        if (!rows.ok()) return rows.error();
        leases.clear();
        for (int row = 0; row < rows->count(); ++row)
          leases.push_back({rows->text(row, 0), rows->is_true(row, 1)});
        return std::nullopt;
      },
      patience_s);
  if (failure) return *failure;
  return leases;
}

Failure TeamJobs::tell_progress(const std::string& id, const std::string& ticket,
                                const std::string& line) {
  return pool_.in_one_step(
      [&](PostgresConnection& connection) -> Failure {
        if (Failure failure = without_waiting_for_the_disk(connection)) return failure;
        return connection.tell(
            "WITH told AS (UPDATE jobs SET progress = $3, last_event = last_event + 1 "
            "WHERE id = $1 AND ticket = $2 AND state = 'running' RETURNING id, last_event) "
            "INSERT INTO events SELECT id, last_event, 'progress', $3 FROM told",
            {id, ticket, line});
      },
      /*patience_s=*/0);
}

Failure TeamJobs::give_back(const std::string& id, const std::string& ticket, Attempt attempt) {
  return pool_.in_one_step(
      [&](PostgresConnection& connection) -> Failure {
        const Result<Held> held = hold(connection, id, ticket);
        if (!held.ok()) return held.error();
        if (!held->is_ours || held->former.state != JobState::Running) return std::nullopt;
        const Result<PostgresRows> asked =
            connection.ask("SELECT FROM wants WHERE job = $1 LIMIT 1", {id});
        if (!asked.ok()) return asked.error();
        if (asked->count() == 0)
          return go_into(connection, id, JobState::Cancelled,
                         ", finished = seconds_now(), lease_until = NULL, ticket = ''");
        const std::string set =
            fmt::format("{}, ends = false, attempts = greatest(0, attempts - {})", kWaits,
                        attempt == Attempt::DoesNotCount ? 1 : 0);
        return go_into(connection, id, JobState::Queued, set.c_str());
      },
      PostgresPool::kPatienceOfLeavingS);
}

Result<std::optional<JobState>> TeamJobs::end(StoredJob job, const std::string& ticket,
                                              const std::vector<StoredFile>& files,
                                              const TakesPlace& takes_its_place) {
  std::optional<JobState> kept;
  const Failure failure = pool_.in_one_step([&](PostgresConnection& connection) -> Failure {
    const Result<Held> held = hold(connection, job.id, ticket);
    if (!held.ok()) return held.error();
    kept.reset();
    if (!held->is_ours) return std::nullopt;
    kept = held->former.state;
    // An earlier try whose answer was lost was done.
    if (held->former.state != JobState::Running) return std::nullopt;
    if (held->ends) job.state = JobState::Cancelled;
    if (job.state != JobState::Failed) job.error.clear();
    kept = job.state;
    Failure written = takes_its_place(job, held->former) ? keep(connection, job, files)
                                                         : keep_former(connection, job);
    return written ? written : part_with(connection, job);
  });
  if (failure) return *failure;
  return kept;
}

}  // namespace poet
