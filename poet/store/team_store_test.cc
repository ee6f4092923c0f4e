// In a database that POET_TEST_DATABASE names, whose tables each test makes anew: it is started,
// and this program with it, by tests/cli/team_test.py.
#include "poet/store/team_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <set>
#include <thread>

#include "poet/store/postgres_schema.h"

// What we declare of libpq ourselves, against its header where that is installed.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
static_assert(poet::PostgresLibrary::kConnectionOk == CONNECTION_OK);
static_assert(poet::PostgresLibrary::kConnectionBad == CONNECTION_BAD);
static_assert(poet::PostgresLibrary::kCommandOk == PGRES_COMMAND_OK);
static_assert(poet::PostgresLibrary::kTuplesOk == PGRES_TUPLES_OK);
static_assert(sizeof(poet::PostgresNotice) == sizeof(PGnotify));
static_assert(offsetof(poet::PostgresNotice, channel) == offsetof(PGnotify, relname));
static_assert(offsetof(poet::PostgresNotice, text) == offsetof(PGnotify, extra));
template <typename Ours, typename Theirs>
constexpr bool kSame = std::is_same_v<Ours, Theirs*>;
using Calls = poet::PostgresLibrary;
static_assert(kSame<decltype(Calls::begin_to_connect), decltype(PQconnectStartParams)>);
static_assert(kSame<decltype(Calls::connect_anew), decltype(PQreset)>);
static_assert(kSame<decltype(Calls::finish), decltype(PQfinish)>);
static_assert(kSame<decltype(Calls::error_message), decltype(PQerrorMessage)>);
static_assert(kSame<decltype(Calls::host), decltype(PQhost)>);
static_assert(kSame<decltype(Calls::database), decltype(PQdb)>);
static_assert(kSame<decltype(Calls::socket), decltype(PQsocket)>);
static_assert(kSame<decltype(Calls::set_notice_processor), decltype(PQsetNoticeProcessor)>);
static_assert(kSame<decltype(Calls::exec), decltype(PQexec)>);
static_assert(kSame<decltype(Calls::exec_params), decltype(PQexecParams)>);
static_assert(kSame<decltype(Calls::result_error_field), decltype(PQresultErrorField)>);
static_assert(kSame<decltype(Calls::rows), decltype(PQntuples)>);
static_assert(kSame<decltype(Calls::value), decltype(PQgetvalue)>);
static_assert(kSame<decltype(Calls::length), decltype(PQgetlength)>);
static_assert(kSame<decltype(Calls::is_null), decltype(PQgetisnull)>);
static_assert(kSame<decltype(Calls::clear), decltype(PQclear)>);
static_assert(kSame<decltype(Calls::consume_input), decltype(PQconsumeInput)>);
static_assert(kSame<decltype(Calls::free_memory), decltype(PQfreemem)>);
#endif

namespace poet {
namespace {

constexpr double kLeaseS = 60;  // nothing here waits for it

double elapsed_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string id_of(int n) {
  return std::string(62, '0') + std::to_string(10 + n);
}

class TeamStores : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const uri = std::getenv("POET_TEST_DATABASE");
    if (uri == nullptr) GTEST_SKIP() << "POET_TEST_DATABASE names no database";
    uri_ = uri;
    Result<std::unique_ptr<PostgresConnection>> opened = PostgresConnection::open(uri_);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    hand_ = *std::move(opened);
    ASSERT_FALSE(hand_->run_script("DROP SCHEMA IF EXISTS poet CASCADE"));
    store_ = opened_store();
  }

  std::unique_ptr<TeamStore> opened_store() const {
    Result<std::unique_ptr<TeamStore>> store = TeamStore::open(uri_, elapsed_s);
    EXPECT_TRUE(store.ok()) << (store.ok() ? "" : store.error().message);
    return *std::move(store);
  }
  TeamJobs& live() { return store_->live(); }
  PostgresJobs& jobs() { return store_->jobs(); }

  static TeamAsk asks(int n, const std::string& share = "") {
    return {.job = {.id = id_of(n), .kind = "plan", .request = "{}", .model_name = "linear"},
            .lane = "plans",
            .share = share,
            .most_queued = 100,
            .most_queued_each = 100};
  }
  // Of the job that is begun now; "": none is.
  std::string begun(const std::string& ticket, double lease_s = kLeaseS) {
    const Result<std::optional<TeamClaim>> claim = live().claim("plans", ticket, lease_s, 1);
    EXPECT_TRUE(claim.ok()) << (claim.ok() ? "" : claim.error().message);
    return claim.ok() && *claim ? (*claim)->job.id : std::string();
  }
  std::optional<JobState> end(int n, const std::string& ticket, const std::string& result = "{}") {
    StoredJob job{.id = id_of(n), .kind = "plan", .state = JobState::Done, .result = result};
    const Result<std::optional<JobState>> kept =
        live().end(job, ticket, {{"plan", std::string("a\0b", 3)}},
                   [](const StoredJob&, const StoredJob&) { return true; });
    EXPECT_TRUE(kept.ok()) << (kept.ok() ? "" : kept.error().message);
    return kept.ok() ? *kept : std::nullopt;
  }
  JobState state(int n) { return (*live().view(id_of(n)))->job.state; }
  // As if so much time had gone by.
  void let_leases_run_out() {
    ASSERT_FALSE(hand_->tell("UPDATE jobs SET lease_until = now() - interval '1 second'"));
  }
  std::int64_t count(const char* question) { return hand_->ask(question)->number(0, 0); }

  std::string uri_;
  std::unique_ptr<PostgresConnection> hand_;
  std::unique_ptr<TeamStore> store_;
};

TEST_F(TeamStores, AJobGoesFromTheQuestionToTheAnswerOnce) {
  TeamAsk asked = asks(1);
  asked.owner = "ada";
  EXPECT_EQ(*live().ask(asked), TeamAsked::Accepted);
  EXPECT_EQ(*live().ask(asked), TeamAsked::Accepted);
  EXPECT_EQ((*live().view(id_of(1)))->ahead, 0);
  EXPECT_EQ(begun("w:1"), id_of(1));
  EXPECT_EQ(begun("w:1"), id_of(1)) << "a try whose answer was lost";
  EXPECT_EQ(begun("w:2"), "");
  EXPECT_EQ((*live().view(id_of(1)))->job.attempts, 1);
  ASSERT_FALSE(live().tell_progress(id_of(1), "w:1", "{\"gap\": 1}"));
  EXPECT_EQ(end(1, "w:1", "{\"status\": \"optimal\"}"), JobState::Done);
  EXPECT_EQ(end(1, "w:1", "{\"status\": \"another\"}"), JobState::Done) << "the same";
  EXPECT_EQ((*jobs().find(id_of(1)))->result, "{\"status\": \"optimal\"}");
  EXPECT_EQ(**jobs().file(id_of(1), "plan"), std::string("a\0b", 3));
  EXPECT_EQ(*live().ask(asks(1)), TeamAsked::Ended);
  const TeamNews news = *live().news(id_of(1), 1);
  EXPECT_TRUE(news.ended);
  ASSERT_EQ(news.events.size(), 3U);
  EXPECT_EQ(news.events[0].number, 2);
  EXPECT_EQ(news.events[0].data.substr(0, 29), "{\"state\": \"running\", \"at\": \"2");
  EXPECT_EQ(news.events[1].data, "{\"gap\": 1}");
  EXPECT_EQ(news.events[2].data.substr(0, 16), "{\"state\": \"done\"");
  EXPECT_EQ(*jobs().owners_of(id_of(1)), std::vector<std::string>{"ada"});
}

TEST_F(TeamStores, WhatAWorkerLostIsBegunByAnotherAndItsAnswerIsNotTaken) {
  ASSERT_TRUE(live().ask(asks(1)).ok());
  ASSERT_EQ(begun("first:1"), id_of(1));
  EXPECT_EQ(begun("second:1"), "") << "its lease holds";
  let_leases_run_out();
  ASSERT_EQ((*live().renew({"first:1"}, kLeaseS, 0)).size(), 1U) << "nobody has taken it yet";
  let_leases_run_out();
  ASSERT_EQ(begun("second:2"), id_of(1));
  EXPECT_TRUE((*live().renew({"first:1", "none"}, kLeaseS, 0)).empty());
  EXPECT_EQ(end(1, "first:1", "{\"of\": \"first\"}"), std::nullopt);
  ASSERT_FALSE(live().give_back(id_of(1), "first:1", TeamJobs::Attempt::Counts));
  ASSERT_FALSE(live().tell_progress(id_of(1), "first:1", "{}"));
  EXPECT_EQ(state(1), JobState::Running);
  EXPECT_EQ(end(1, "second:2", "{\"of\": \"second\"}"), JobState::Done);
  EXPECT_EQ((*jobs().find(id_of(1)))->result, "{\"of\": \"second\"}");
  EXPECT_EQ(count("SELECT count(*) FROM events WHERE name = 'progress'"), 0);
}

TEST_F(TeamStores, AJobThatLosesAllItsWorkersHasFailed) {
  ASSERT_TRUE(live().ask(asks(1)).ok());
  for (int k = 0; k < kMostLost; ++k) {
    ASSERT_EQ(begun("w:" + std::to_string(k)), id_of(1));
    let_leases_run_out();
  }
  EXPECT_EQ(begun("w:last"), "");
  EXPECT_EQ(
      (*jobs().find(id_of(1)))->error,
      "{\"code\": \"unavailable\", \"message\": \"its workers were lost 5 times, so it is not "
      "begun again\", \"field\": null}");
  EXPECT_EQ(*live().ask(asks(1)), TeamAsked::Accepted) << "who asks again wants it tried again";
  EXPECT_EQ(begun("w:again"), id_of(1));
}

TEST_F(TeamStores, SharesTakeTurnsWhoeverServesThem) {
  for (int n = 0; n < 4; ++n) ASSERT_TRUE(live().ask(asks(n, "ada")).ok());
  for (int n = 4; n < 6; ++n) ASSERT_TRUE(live().ask(asks(n, "bob")).ok());
  std::vector<std::int64_t> ahead;
  for (int n = 0; n < 6; ++n) ahead.push_back(*(*live().view(id_of(n)))->ahead);
  EXPECT_EQ(ahead, (std::vector<std::int64_t>{0, 2, 4, 5, 1, 3}));
  std::vector<std::string> order;
  for (int k = 0; k < 6; ++k) {
    const auto another = opened_store();
    order.push_back(
        (**another->live().claim("plans", "w:" + std::to_string(k), kLeaseS, 1)).job.id);
  }
  EXPECT_EQ(order,
            (std::vector<std::string>{id_of(0), id_of(4), id_of(1), id_of(5), id_of(2), id_of(3)}));
}

TEST_F(TeamStores, WhoComesLaterIsBehindThoseThatWait) {
  for (int n = 0; n < 2; ++n) ASSERT_TRUE(live().ask(asks(n, "ada")).ok());
  ASSERT_TRUE(live().ask(asks(2, "bob")).ok());
  ASSERT_EQ(begun("w:1"), id_of(0));
  ASSERT_TRUE(live().ask(asks(3, "eve")).ok());
  EXPECT_EQ(begun("w:2"), id_of(2));
  EXPECT_EQ(begun("w:3"), id_of(1));
  EXPECT_EQ(begun("w:4"), id_of(3));
}

TEST_F(TeamStores, QueuesHaveOneEndForAllServices) {
  const auto other = opened_store();
  TeamAsk asked = asks(1, "ada");
  asked.most_queued = 3;
  asked.most_queued_each = 2;
  EXPECT_EQ(*live().ask(asked), TeamAsked::Accepted);
  const auto with = [&asked](int n, const char* share) {
    asked.job.id = id_of(n);
    asked.share = share;
    return asked;
  };
  EXPECT_EQ(*other->live().ask(with(2, "ada")), TeamAsked::Accepted);
  EXPECT_EQ(*live().ask(with(3, "ada")), TeamAsked::ShareIsFull);
  EXPECT_EQ(*other->live().ask(with(4, "bob")), TeamAsked::Accepted);
  EXPECT_EQ(*live().ask(with(5, "eve")), TeamAsked::Full);
  EXPECT_EQ(*live().ask(with(4, "eve")), TeamAsked::Accepted) << "it is there";
  EXPECT_FALSE(*live().has(id_of(5)));
}

TEST_F(TeamStores, AJobEndsWhenNobodyWantsIt) {
  ASSERT_TRUE(live().ask(asks(1, "ada")).ok());
  ASSERT_TRUE(live().ask(asks(1, "bob")).ok());
  ASSERT_FALSE(live().withdraw(id_of(1), "ada"));
  EXPECT_EQ(state(1), JobState::Queued);
  ASSERT_EQ(begun("w:1"), id_of(1));
  ASSERT_FALSE(live().withdraw(id_of(1), "bob"));
  EXPECT_TRUE((*live().renew({"w:1"}, kLeaseS, 0)).front().ends);
  ASSERT_TRUE(live().ask(asks(1, "eve")).ok());
  EXPECT_TRUE((*live().view(id_of(1)))->is_ending);
  EXPECT_EQ(end(1, "w:1"), JobState::Cancelled);
  EXPECT_EQ(state(1), JobState::Queued) << "for who asked since";
  ASSERT_FALSE(live().withdraw(id_of(1), std::nullopt));
  EXPECT_EQ(state(1), JobState::Cancelled);
  EXPECT_EQ(begun("w:2"), "");
  EXPECT_EQ((*jobs().find(id_of(1)))->result, "{}") << "what it had come to";
}

TEST_F(TeamStores, WhatIsTooNewForAWorkerIsLeftToOthers) {
  TeamAsk asked = asks(1);
  asked.asks = 2;
  ASSERT_TRUE(live().ask(asked).ok());
  ASSERT_TRUE(live().ask(asks(2)).ok());
  EXPECT_EQ(begun("old:1"), id_of(2));
  EXPECT_EQ(begun("old:2"), "");
  EXPECT_EQ((**live().claim("plans", "new:1", kLeaseS, 2)).job.id, id_of(1));
}

TEST_F(TeamStores, WorkersAtOnceTakeEachJobOnce) {
  constexpr int kJobs = 60;
  for (int n = 0; n < kJobs; ++n) ASSERT_TRUE(live().ask(asks(n, n % 2 == 0 ? "ada" : "bob")).ok());
  std::vector<std::vector<std::string>> taken(4);
  std::vector<std::thread> workers;
  for (std::size_t w = 0; w < taken.size(); ++w)
    workers.emplace_back([&, w] {
      for (int k = 0;; ++k) {
        const std::string id = begun(std::to_string(w) + ":" + std::to_string(k));
        if (id.empty()) return;
        taken[w].push_back(id);
      }
    });
  for (std::thread& worker : workers) worker.join();
  std::multiset<std::string> all;
  for (const std::vector<std::string>& of_worker : taken)
    all.insert(of_worker.begin(), of_worker.end());
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kJobs));
  EXPECT_EQ((std::set<std::string>(all.begin(), all.end())).size(), all.size());
  EXPECT_EQ(count("SELECT count(*) FROM events WHERE data LIKE '%running%'"), kJobs);
}

TEST_F(TeamStores, ConnectionsThatAreEndedLoseNothingAndDoubleNothing) {
  constexpr int kJobs = 8;
  // Once for each step that was done, in the middle of what is done next.
  std::atomic<int> steps = 0;
  std::atomic<bool> done = false;
  const auto did_one = [&steps] {
    ++steps;
    steps.notify_all();
  };
  std::thread breaker([&] {
    for (int seen = 0; !done; seen = steps) {
      steps.wait(seen);
      EXPECT_FALSE(hand_->tell(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
          "AND backend_type = 'client backend'"));
    }
  });
  std::thread asker([&] {
    for (int n = 0; n < kJobs; ++n) {
      const Result<TeamAsked> asked = live().ask(asks(n));
      EXPECT_TRUE(asked.ok()) << (asked.ok() ? "" : asked.error().message);
      did_one();
    }
  });
  int ended = 0;
  for (int k = 0; ended < kJobs; ++k) {
    const std::string ticket = "w:" + std::to_string(k);
    const std::string id = begun(ticket);
    if (!id.empty()) did_one();
    if (!id.empty() && end(std::stoi(id.substr(62)) - 10, ticket)) ++ended;
    if (::testing::Test::HasFailure()) break;
  }
  asker.join();
  done = true;
  did_one();
  breaker.join();
  EXPECT_EQ(count("SELECT count(*) FROM jobs WHERE state = 'done'"), kJobs);
  EXPECT_EQ(count("SELECT count(*) FROM events WHERE data LIKE '%\"done\"%'"), kJobs);
  EXPECT_EQ(count("SELECT count(*) FROM files"), kJobs);
}

TEST_F(TeamStores, NotesOwnersAndModels) {
  ASSERT_FALSE(jobs().put_note("figures:a", "1"));
  ASSERT_FALSE(jobs().put_note("model:x", "{}"));
  ASSERT_FALSE(jobs().put_note("figures:a", "2"));
  EXPECT_EQ(**jobs().note("figures:a"), "2");
  EXPECT_FALSE(jobs().note("figures:b")->has_value());
  EXPECT_EQ(jobs().notes("model:")->size(), 1U);
  ASSERT_FALSE(jobs().add_owner("model:x", "ada"));
  ASSERT_FALSE(jobs().add_owner("model:x", "ada"));
  ASSERT_FALSE(jobs().add_owner("model:x", "bob"));
  EXPECT_TRUE(*jobs().is_owner("model:x", "ada"));
  EXPECT_EQ(*jobs().remove_owner("model:x", "ada"), 1);
  EXPECT_FALSE(*jobs().is_owner("model:x", "ada"));
  std::string bytes(std::size_t{9} << 20, '\xFF');  // more than one part
  bytes[3] = '\0';
  ASSERT_FALSE(jobs().put_note_with_bytes("model:x", "{}", bytes));
  EXPECT_TRUE(**jobs().bytes_of_note("model:x") == bytes);
  EXPECT_GE(*jobs().used_bytes(), std::ssize(bytes));
  ASSERT_FALSE(jobs().forget_note("model:x"));
  EXPECT_FALSE(jobs().bytes_of_note("model:x")->has_value());
  EXPECT_TRUE(jobs().owners_of("model:x")->empty());
  EXPECT_LT(*jobs().used_bytes(), 100);
}

TEST_F(TeamStores, WhatWasNotUsedForTheLongestTimeIsForgottenFirst) {
  for (int n = 1; n <= 3; ++n) {
    ASSERT_TRUE(live().ask(asks(n)).ok());
    ASSERT_EQ(begun("w:" + std::to_string(n)), id_of(n));
    ASSERT_EQ(end(n, "w:" + std::to_string(n)), JobState::Done);
  }
  ASSERT_FALSE(jobs().put_note("model:x", "{}"));
  jobs().touch_job(id_of(1));
  jobs().touch_note("model:x");
  jobs().touch_job(id_of(2));
  std::vector<std::string> order;
  const std::vector<KeptThing> things = *jobs().least_recently_used(std::nullopt);
  for (const KeptThing& thing : things) order.push_back(thing.job + thing.note);
  EXPECT_EQ(order, (std::vector<std::string>{id_of(3), id_of(1), "model:x", id_of(2)}));
  EXPECT_EQ(jobs().least_recently_used(2)->size(), 2U);
  // What waits, or is needed by that, stays.
  TeamAsk asked = asks(4);
  asked.needs_job = id_of(3);
  asked.needs_note = "model:x";
  ASSERT_TRUE(live().ask(asked).ok());
  for (int n : {1, 3, 4}) ASSERT_FALSE(jobs().forget_job(id_of(n)));
  ASSERT_FALSE(jobs().forget_note("model:x"));
  EXPECT_FALSE((*jobs().find(id_of(1))).has_value());
  EXPECT_TRUE((*jobs().find(id_of(3))).has_value());
  EXPECT_TRUE((*jobs().find(id_of(4))).has_value());
  EXPECT_TRUE((*jobs().note("model:x")).has_value());
  EXPECT_FALSE((*jobs().file(id_of(1), "plan")).has_value());
}

TEST_F(TeamStores, ListsHaveWhatIsAskedFor) {
  for (int n = 1; n <= 3; ++n) {
    TeamAsk asked = asks(n);
    if (n > 1) asked.owner = "ada";
    if (n == 3) asked.job.kind = "explain";
    ASSERT_TRUE(live().ask(asked).ok());
  }
  const auto listed = [this](const JobFilter& filter) {
    std::vector<std::string> ids;
    const std::vector<StoredJob> found = *jobs().list(filter);
    for (const StoredJob& job : found) ids.push_back(job.id);
    return ids;
  };
  EXPECT_EQ(listed({}), (std::vector<std::string>{id_of(2), id_of(1)}));
  EXPECT_EQ(listed({.most = 1}), std::vector<std::string>{id_of(2)});
  EXPECT_EQ(listed({.state = JobState::Running}), std::vector<std::string>{});
  EXPECT_EQ(listed({.state = JobState::Queued, .kind = "explain", .owner = "ada"}),
            std::vector<std::string>{id_of(3)});
  EXPECT_EQ(listed({.owner = "bob"}), std::vector<std::string>{});
}

TEST_F(TeamStores, TablesAreMadeOnceHoweverManyBegin) {
  ASSERT_FALSE(hand_->run_script("DROP SCHEMA poet CASCADE"));
  std::vector<std::thread> starters;
  for (int k = 0; k < 6; ++k) starters.emplace_back([this] { opened_store(); });
  for (std::thread& starter : starters) starter.join();
  EXPECT_EQ(count("SELECT version FROM poet.version"), postgres_changes().back().version);
}

TEST_F(TeamStores, LeaveASchemaAloneThatIsSomebodyElses) {
  for (const char* const theirs :
       {"CREATE TABLE poet.jobs (id integer)", "CREATE TABLE poet.version (version text)",
        "CREATE TABLE poet.version (version integer NOT NULL, readable_by integer NOT NULL)",
        "CREATE VIEW poet.version AS SELECT 1 AS version"}) {
    SCOPED_TRACE(theirs);
    ASSERT_FALSE(hand_->run_script("DROP SCHEMA poet CASCADE; CREATE SCHEMA poet"));
    ASSERT_FALSE(hand_->run_script(theirs));
    const auto refused = TeamStore::open(uri_, elapsed_s);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message,
              "the schema 'poet' of the database is somebody else's: what is in it was not made by "
              "poet; name another database, or rename the schema");
  }
}

// As when processes of one version after the other are replaced: those that came before go on.
TEST_F(TeamStores, TheVersionBeforeWorksBesideTheNext) {
  std::vector<PostgresChange> next(postgres_changes().begin(), postgres_changes().end());
  const int ours = next.back().version;
  next.push_back({.version = ours + 1,
                  .readable_by = ours,
                  .script = "ALTER TABLE jobs ADD COLUMN colour text NOT NULL DEFAULT ''"});
  ASSERT_TRUE(live().ask(asks(1)).ok());
  ASSERT_EQ(begun("old:1"), id_of(1));
  ASSERT_FALSE(bring_up_to_date(store_->pool(), next));
  ASSERT_FALSE(bring_up_to_date(store_->pool(), next)) << "once is enough";
  EXPECT_EQ(end(1, "old:1"), JobState::Done);
  const auto late = opened_store();
  EXPECT_EQ(*late->live().ask(asks(2)), TeamAsked::Accepted);
  EXPECT_EQ(begun("old:2"), id_of(2));

  next.push_back({.version = ours + 2,
                  .readable_by = ours + 1,
                  .script = "ALTER TABLE jobs DROP COLUMN progress"});
  ASSERT_FALSE(bring_up_to_date(store_->pool(), next));
  const Result<std::unique_ptr<TeamStore>> refused = TeamStore::open(uri_, elapsed_s);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "the tables in the database are of a later version of poet (" +
                                         std::to_string(ours + 2) + "), which this one (" +
                                         std::to_string(ours) + ") cannot use");
}

TEST_F(TeamStores, AChangeThatFailsChangesNothing) {
  std::vector<PostgresChange> next(postgres_changes().begin(), postgres_changes().end());
  const int ours = next.back().version;
  next.push_back({.version = ours + 1,
                  .readable_by = ours,
                  .script = "CREATE TABLE half (); SELECT nonsense"});
  EXPECT_TRUE(bring_up_to_date(store_->pool(), next));
  EXPECT_EQ(count("SELECT version FROM poet.version"), ours);
  EXPECT_EQ(count("SELECT count(*) FROM pg_tables WHERE tablename = 'half'"), 0);
}

TEST_F(TeamStores, WhatTheDatabaseRefusesIsNotTriedForEver) {
  TeamAsk asked = asks(1);
  asked.job.request = "\xFF";  // no UTF-8
  const Result<TeamAsked> refused = live().ask(asked);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace poet
