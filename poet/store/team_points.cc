#include "poet/store/team_points.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/store/postgres_schema.h"
#include "poet/store/team_jobs.h"

namespace poet {
namespace {

constexpr double kFirstPauseS = 0.1;
constexpr double kLongestPauseS = 2;
constexpr double kBeatsOfALease = 5;

// A database that is gone for a while costs nobody their work: what was computed for hours is
// brought as long as there is hope.
constexpr double kPatienceS = 60;
constexpr double kPatienceOfAnswersS = 600;

// What a point lost so far: the process whose lease ran out is one more.
constexpr const char* kLosses =
    "(lost + (process <> '' AND lease_until < clock_timestamp())::integer)";

Error is_of_another(const std::string& name) {
  return bad_input(
      fmt::format("the store has the points of another sweep under the name {}; repeat that "
                  "sweep's options, or give this one another --name",
                  in_quotes(name)));
}

struct Known {
  bool is_there = false;
  bool is_the_same = false;
  std::int64_t points = 0;
};

Result<Known> known(PostgresConnection& connection, const std::string& name,
                    const std::string& question) {
  const Result<PostgresRows> rows =
      connection.ask("SELECT question = $2, points FROM sweeps WHERE name = $1", {name, question});
  if (!rows.ok()) return rows.error();
  if (rows->count() == 0) return Known();
  return Known{true, rows->is_true(0, 0), rows->number(0, 1)};
}

// Of several processes that begin at once the first makes it, and the others wait for that.
Failure make(PostgresConnection& connection, const std::string& name, const std::string& question,
             std::int64_t points) {
  const Result<PostgresRows> made = connection.ask(
      "INSERT INTO sweeps VALUES ($1, $2, $3, seconds_now()) ON CONFLICT DO NOTHING RETURNING name",
      {name, question, points});
  if (!made.ok()) return made.error();
  if (made->count() == 0) return std::nullopt;
  return connection.tell(
      "INSERT INTO sweep_points (sweep, point) SELECT $1, generate_series(0, $2::bigint - 1)",
      {name, points});
}

}  // namespace

std::string TeamPoints::taken_ids() const {
  return fmt::format("{{{}}}", fmt::join(taken_, ","));
}

Result<std::unique_ptr<TeamPoints>> TeamPoints::visit(std::unique_ptr<PostgresPool> pool,
                                                      TeamPointsOptions options,
                                                      const std::string& question) {
  Known found;
  if (Failure failure = bring_up_to_date(*pool)) return *failure;
  const Failure failure = pool->ask([&](PostgresConnection& connection) -> Failure {
    const Result<Known> now = known(connection, options.name, question);
    if (!now.ok()) return now.error();
    found = *now;
    return std::nullopt;
  });
  if (failure) return *failure;
  if (!found.is_there)
    return bad_input(fmt::format("the store has no sweep of the name {}", in_quotes(options.name)));
  if (!found.is_the_same) return is_of_another(options.name);
  return std::unique_ptr<TeamPoints>(
      new TeamPoints(std::move(pool), std::move(options), found.points));
}

Result<std::unique_ptr<TeamPoints>> TeamPoints::join(std::unique_ptr<PostgresPool> pool,
                                                     TeamPointsOptions options,
                                                     const std::string& question,
                                                     std::int64_t points) {
  if (Failure failure = bring_up_to_date(*pool)) return *failure;
  const Failure failure = pool->in_one_step([&](PostgresConnection& connection) {
    return make(connection, options.name, question, points);
  });
  if (failure) return *failure;
  Result<std::unique_ptr<TeamPoints>> joined = visit(std::move(pool), std::move(options), question);
  if (!joined.ok()) return joined;
  if (Failure again = (*joined)->take_lost_ones_again()) return *again;
  return joined;
}

// A run that comes after all others asks again what they gave up.
Failure TeamPoints::take_lost_ones_again() {
  return pool_->ask([this](PostgresConnection& connection) {
    return connection.tell(
        "UPDATE sweep_points SET lost = 0, process = '', lease_until = NULL "
        "WHERE sweep = $1 AND answer IS NULL AND lost > 0 AND NOT EXISTS "
        "(SELECT FROM sweep_points WHERE sweep = $1 AND answer IS NULL "
        "AND lease_until >= clock_timestamp())",
        {options_.name});
  });
}

Result<std::optional<std::string>> TeamPoints::find(std::int64_t point) const {
  std::optional<std::string> answer;
  const Failure failure = pool_->ask(
      [&](PostgresConnection& connection) -> Failure {
        const Result<PostgresRows> rows = connection.ask(
            "SELECT answer FROM sweep_points WHERE sweep = $1 AND point = $2 "
            "AND answer IS NOT NULL",
            {options_.name, point});
        if (!rows.ok()) return rows.error();
        answer.reset();
        if (rows->count() > 0) answer = rows->text(0, 0);
        return std::nullopt;
      },
      kPatienceS);
  if (failure) return *failure;
  return answer;
}

Result<std::optional<std::int64_t>> TeamPoints::take(const PointRange& range) {
  if (pool_->elapsed_s() < no_take_before_s_) return std::optional<std::int64_t>();
  // First what an earlier try has taken whose answer was lost.
  constexpr const char* kOwn =
      "SELECT point FROM sweep_points WHERE sweep = $1 AND process = $2 AND answer IS NULL "
      "AND point >= $4 AND point < $5 AND NOT point = ANY ($3::bigint[]) ORDER BY point LIMIT 1";
  // Nobody is waited for: a row that is locked is being taken, or answered, right now.
  const std::string next = fmt::format(
      "UPDATE sweep_points SET lost = {0}, process = $2, "
      "lease_until = clock_timestamp() + $6::interval "
      "WHERE sweep = $1 AND point = (SELECT point FROM sweep_points WHERE sweep = $1 "
      "AND answer IS NULL AND point >= $4 AND point < $5 AND NOT point = ANY ($3::bigint[]) "
      "AND (process = '' OR lease_until < clock_timestamp()) AND {0} < {1} "
      "ORDER BY point LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING point",
      kLosses, kMostLost);
  std::optional<std::int64_t> point;
  const Failure failure = pool_->in_one_step(
      [&](PostgresConnection& connection) -> Failure {
        std::vector<PostgresValue> values = {options_.name, options_.process, taken_ids(),
                                             range.begin, range.end};
        Result<PostgresRows> rows = connection.ask(kOwn, values);
        values.push_back(PostgresValue::seconds(options_.lease_s));
        if (rows.ok() && rows->count() == 0) rows = connection.ask(next.c_str(), values);
        if (!rows.ok()) return rows.error();
        point.reset();
        if (rows->count() > 0) point = rows->number(0, 0);
        return std::nullopt;
      },
      patience_s());
  if (may_wait(failure))
    point.reset();
  else if (failure)
    return *failure;
  if (point) {
    if (taken_.empty()) renew_at_s_ = pool_->elapsed_s() + options_.lease_s / kBeatsOfALease;
    taken_.insert(*point);
    pause_s_ = 0;
  } else {
    wait_longer();
  }
  return point;
}

// Whoever has points goes on with them while the database is away, and needs it at their end.
double TeamPoints::patience_s() const {
  return taken_.empty() ? kPatienceS : 0;
}

bool TeamPoints::may_wait(const Failure& failure) const {
  return failure && failure->code == ErrorCode::Io && !taken_.empty();
}

void TeamPoints::wait_longer() {
  pause_s_ = std::clamp(2 * pause_s_, kFirstPauseS, kLongestPauseS);
  no_take_before_s_ = pool_->elapsed_s() + pause_s_;
}

Result<std::string> TeamPoints::keep(std::int64_t point, const std::string& answer) {
  bool is_ours = false;
  const Failure failure = pool_->ask(
      [&](PostgresConnection& connection) -> Failure {
        const Result<PostgresRows> rows = connection.ask(
            "UPDATE sweep_points SET answer = $3, process = '', lease_until = NULL "
            "WHERE sweep = $1 AND point = $2 AND answer IS NULL RETURNING point",
            {options_.name, point, answer});
        if (!rows.ok()) return rows.error();
        is_ours = rows->count() > 0;
        return std::nullopt;
      },
      kPatienceOfAnswersS);
  if (failure) return *failure;
  taken_.erase(point);
  if (is_ours) return answer;
  const Result<std::optional<std::string>> kept = find(point);
  if (!kept.ok()) return kept.error();
  if (!kept->has_value()) return is_gone();
  return **kept;
}

Failure TeamPoints::give_up(std::int64_t point) {
  const Failure failure = pool_->ask(
      [&](PostgresConnection& connection) {
        return connection.tell(
            "UPDATE sweep_points SET lost = $4, process = '', lease_until = NULL "
            "WHERE sweep = $1 AND point = $2 AND process = $3 AND answer IS NULL",
            {options_.name, point, options_.process, kMostLost});
      },
      kPatienceS);
  if (!failure) taken_.erase(point);
  return failure;
}

// What cannot be renewed now is so at the next look; the answer counts in any case.
void TeamPoints::renew() {
  const double beat_s = options_.lease_s / kBeatsOfALease;
  if (taken_.empty() || pool_->elapsed_s() < renew_at_s_) return;
  static_cast<void>(pool_->in_one_step(
      [&](PostgresConnection& connection) -> Failure {
        if (Failure quick = without_waiting_for_the_disk(connection)) return quick;
        return connection.tell(
            "UPDATE sweep_points SET lease_until = clock_timestamp() + $3::interval "
            "WHERE sweep = $1 AND process = $2 AND answer IS NULL",
            {options_.name, options_.process, PostgresValue::seconds(options_.lease_s)});
      },
      beat_s));
  renew_at_s_ = pool_->elapsed_s() + beat_s;
}

Result<SweepPoints::Now> TeamPoints::look(const PointRange& range) {
  renew();
  const bool is_of_this = range.begin == now_of_.begin && range.end == now_of_.end;
  if (is_of_this && pool_->elapsed_s() < no_look_before_s_) return now_;
  const std::string question = fmt::format(
      "SELECT count(*) FILTER (WHERE point >= $3 AND point < $4 AND NOT point = ANY ($2::bigint[]) "
      "AND {} < {}), count(*), (SELECT count(*) FROM sweeps WHERE name = $1) "
      "FROM sweep_points WHERE sweep = $1 AND answer IS NULL",
      kLosses, kMostLost);
  bool is_there = true;
  Now now;
  const Failure failure = pool_->ask(
      [&](PostgresConnection& connection) -> Failure {
        const Result<PostgresRows> rows =
            connection.ask(question.c_str(), {options_.name, taken_ids(), range.begin, range.end});
        if (!rows.ok()) return rows.error();
        now = {.elsewhere = rows->number(0, 0), .done = points_ - rows->number(0, 1)};
        is_there = rows->number(0, 2) > 0;
        return std::nullopt;
      },
      patience_s());
  // Nobody knows: that there may be others is on the safe side.
  if (may_wait(failure)) return Now{.elsewhere = 1, .done = now_.done};
  if (failure) return *failure;
  if (!is_there) return is_gone();
  now_ = now;
  now_of_ = range;
  no_look_before_s_ = pool_->elapsed_s() + std::max(pause_s_, kFirstPauseS);
  return now_;
}

void TeamPoints::leave() {
  static_cast<void>(pool_->ask(
      [&](PostgresConnection& connection) {
        return connection.tell(
            "UPDATE sweep_points SET process = '', lease_until = NULL "
            "WHERE sweep = $1 AND process = $2 AND answer IS NULL",
            {options_.name, options_.process});
      },
      PostgresPool::kPatienceOfLeavingS));
}

Error TeamPoints::is_gone() const {
  return Error{ErrorCode::Io,
               fmt::format("the sweep {} is in the store no more: somebody removed it",
                           in_quotes(options_.name)),
               {}};
}

}  // namespace poet
