#include "poet/store/sqlite_jobs.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>

namespace poet {
namespace {

const std::string kA(64, 'a');
const std::string kB(64, 'b');

StoredJob job(const std::string& id, const std::string& kind = "plan") {
  return {.id = id, .kind = kind, .request = "{}", .model_name = "linear", .created_unix_s = 7};
}

class JobStoreFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("jobs_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return (folder_ / "jobs.db").string(); }

  std::filesystem::path folder_;
};

TEST_F(JobStoreFile, AJobEndsTogetherWithItsFilesAndIsThereLater) {
  {
    Result<SqliteJobs> store = SqliteJobs::open(path());
    ASSERT_TRUE(store.ok());
    ASSERT_FALSE(store->put(job(kA)));
    ASSERT_FALSE(store->set_running(kA, 8));
    StoredJob ended = job(kA);
    ended.state = JobState::Done;
    ended.started_unix_s = 8;
    ended.finished_unix_s = 9;
    ended.result = "{\"status\": \"optimal\"}";
    ended.summary = "{}";
    ASSERT_FALSE(store->finish(ended, {{"plan", std::string("a\0b", 3)}, {"report", "<html>"}}));
  }
  Result<SqliteJobs> store = SqliteJobs::open(path());
  ASSERT_TRUE(store.ok());
  const StoredJob found = **store->find(kA);
  EXPECT_EQ(found.state, JobState::Done);
  EXPECT_EQ(found.finished_unix_s, 9);
  EXPECT_EQ(found.result, "{\"status\": \"optimal\"}");
  EXPECT_EQ(**store->file(kA, "plan"), std::string("a\0b", 3));
  EXPECT_EQ(*store->file_names(kA), (std::vector<std::string>{"plan", "report"}));
  EXPECT_FALSE(store->file(kA, "project")->has_value());
  EXPECT_FALSE(store->find(kB)->has_value());
}

TEST_F(JobStoreFile, WhatHadNotEndedComesBackInItsOrder) {
  {
    Result<SqliteJobs> store = SqliteJobs::open(path());
    ASSERT_FALSE(store->put(job(kB)));
    ASSERT_FALSE(store->put(job(kA)));
    ASSERT_FALSE(store->set_running(kB, 8));
  }
  Result<SqliteJobs> store = SqliteJobs::open(path());
  const std::vector<StoredJob> left = *store->unfinished();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].id, kB);
  EXPECT_EQ(left[0].state, JobState::Running);
  EXPECT_EQ(left[1].id, kA);
  EXPECT_EQ(left[0].attempts, 1);
  ASSERT_FALSE(store->set_queued(kB, SqliteJobs::Attempt::Counts));
  EXPECT_EQ((*store->find(kB))->state, JobState::Queued);
  EXPECT_EQ((*store->find(kB))->attempts, 1);
  ASSERT_FALSE(store->set_queued(kB, SqliteJobs::Attempt::DoesNotCount));
  EXPECT_EQ((*store->find(kB))->attempts, 0);
  EXPECT_FALSE((*store->find(kB))->started_unix_s);
}

TEST_F(JobStoreFile, AJobThatIsBegunAnewKeepsWhatItHadUntilItEnds) {
  Result<SqliteJobs> store = SqliteJobs::open(path());
  ASSERT_FALSE(store->put(job(kA)));
  StoredJob ended = job(kA);
  ended.state = JobState::Cancelled;
  ended.result = "the first";
  ended.summary = "its summary";
  ASSERT_FALSE(store->finish(ended, {{"plan", "{}"}, {"events", "[1]"}}));
  ASSERT_FALSE(store->put(job(kA)));
  EXPECT_EQ((*store->find(kA))->state, JobState::Queued);
  ended.result.clear();
  ended.error = "it failed";
  ended.state = JobState::Failed;
  ASSERT_FALSE(store->finish_with_former(ended, {{"events", "[2]"}}));
  EXPECT_EQ((*store->find(kA))->state, JobState::Failed);
  EXPECT_EQ((*store->find(kA))->error, "it failed");
  EXPECT_EQ((*store->find(kA))->result, "the first");
  EXPECT_EQ((*store->find(kA))->summary, "its summary");
  EXPECT_EQ(**store->file(kA, "plan"), "{}");
  EXPECT_EQ(**store->file(kA, "events"), "[2]");
  ASSERT_FALSE(store->put(job(kA)));
  ASSERT_FALSE(store->finish(ended, {{"events", "[3]"}}));
  EXPECT_EQ((*store->find(kA))->result, "");
  EXPECT_EQ(*store->file_names(kA), (std::vector<std::string>{"events"}));
}

TEST_F(JobStoreFile, ListsTheNewestFirstAndOnlyWhatIsAskedFor) {
  Result<SqliteJobs> store = SqliteJobs::open(path());
  ASSERT_FALSE(store->put(job(kA)));
  ASSERT_FALSE(store->put(job(kB, "curve")));
  ASSERT_FALSE(store->put(job(std::string(64, 'c'), "explain")));
  const std::vector<StoredJob> all = *store->list({});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, kB);
  EXPECT_EQ(store->list({.kind = "curve"})->size(), 1U);
  EXPECT_EQ(store->list({.state = JobState::Done})->size(), 0U);
  EXPECT_EQ(store->list({.most = 1})->size(), 1U);
}

TEST_F(JobStoreFile, NotesAreFoundByTheirBeginnings) {
  Result<SqliteJobs> store = SqliteJobs::open(path());
  ASSERT_FALSE(store->put_note("model:1", "one"));
  ASSERT_FALSE(store->put_note("model:2", "two"));
  ASSERT_FALSE(store->put_note("figures:1", "many"));
  ASSERT_FALSE(store->put_note("model:2", "two again"));
  EXPECT_EQ(**store->note("figures:1"), "many");
  const auto models = *store->notes("model:");
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[1].second, "two again");
}

TEST_F(JobStoreFile, ForgetsWhatWasNotUsedForTheLongestTime) {
  Result<SqliteJobs> store = SqliteJobs::open(path());
  const std::string large(200'000, 'x');
  for (const std::string& id : {kA, kB}) {
    ASSERT_FALSE(store->put(job(id)));
    StoredJob ended = job(id);
    ended.state = JobState::Done;
    ASSERT_FALSE(store->finish(ended, {{"plan", large}}));
  }
  ASSERT_FALSE(store->put_note("figures:1", "many"));
  ASSERT_FALSE(store->put(job(std::string(64, 'c'))));  // it waits, so it stays
  store->touch_job(kA);
  std::vector<KeptThing> things = *store->least_recently_used(10);
  ASSERT_EQ(things.size(), 3U);
  EXPECT_EQ(things[0].job, kB);
  EXPECT_GE(things[0].size_bytes, 200'000);
  EXPECT_EQ(things[1].note, "figures:1");
  EXPECT_EQ(things[2].job, kA);
  ASSERT_FALSE(store->compact());
  const auto before = std::filesystem::file_size(path());
  ASSERT_FALSE(store->forget_job(kB));
  ASSERT_FALSE(store->compact());
  EXPECT_LE(std::filesystem::file_size(path()) + 190'000, before);
  EXPECT_FALSE(store->find(kB)->has_value());
  EXPECT_FALSE(store->file(kB, "plan")->has_value());
  EXPECT_EQ(std::filesystem::file_size(path() + "-wal"), 0U);
  things = *store->least_recently_used(1);
  ASSERT_EQ(things.size(), 1U);
  EXPECT_EQ(things[0].note, "figures:1");
}

TEST_F(JobStoreFile, UsesAreRememberedAfterARestart) {
  {
    Result<SqliteJobs> store = SqliteJobs::open(path());
    for (const std::string& id : {kA, kB}) {
      ASSERT_FALSE(store->put(job(id)));
      StoredJob ended = job(id);
      ended.state = JobState::Done;
      ASSERT_FALSE(store->finish(ended, {}));
    }
    store->touch_job(kA);
  }
  Result<SqliteJobs> store = SqliteJobs::open(path());
  EXPECT_EQ((*store->least_recently_used(1))[0].job, kB);
}

TEST_F(JobStoreFile, AThingHasItsOwners) {
  Result<SqliteJobs> store = SqliteJobs::open(path());
  ASSERT_FALSE(store->put(job(kA)));
  ASSERT_FALSE(store->put(job(kB)));
  ASSERT_FALSE(store->add_owner(kA, "ada"));
  ASSERT_FALSE(store->add_owner(kA, "ada"));
  ASSERT_FALSE(store->add_owner(kA, "bob"));
  EXPECT_TRUE(*store->is_owner(kA, "ada"));
  EXPECT_FALSE(*store->is_owner(kB, "ada"));
  EXPECT_EQ(*store->owners_of(kA), (std::vector<std::string>{"ada", "bob"}));
  EXPECT_EQ(store->list({.owner = "ada"})->size(), 1U);
  EXPECT_EQ(store->list({.owner = "cy"})->size(), 0U);
  EXPECT_EQ(*store->remove_owner(kA, "ada"), 1);
  EXPECT_EQ(*store->remove_owner(kA, "bob"), 0);
}

// A store as version 1 wrote it.
TEST_F(JobStoreFile, AStoreOfTheVersionBeforeIsBroughtAlong) {
  {
    sqlite3* old = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &old), SQLITE_OK);
    const char* const tables =
        "PRAGMA application_id = 1347372362; PRAGMA user_version = 1;"
        "CREATE TABLE jobs (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
        " kind TEXT NOT NULL, state TEXT NOT NULL, request TEXT NOT NULL, model_name TEXT NOT NULL,"
        " created INTEGER NOT NULL, started INTEGER, finished INTEGER,"
        " result TEXT NOT NULL, summary TEXT NOT NULL, error TEXT NOT NULL);"
        "CREATE INDEX jobs_by_state ON jobs (state);"
        "CREATE TABLE files (job TEXT NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL,"
        " PRIMARY KEY (job, name)) WITHOUT ROWID;"
        "CREATE TABLE notes (key TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;"
        "INSERT INTO jobs VALUES (1, 'a', 'plan', 'done', '{}', 'linear', 7, 8, 9, '{}', '', '');"
        "INSERT INTO files VALUES ('a', 'plan', 'the plan')";
    ASSERT_EQ(sqlite3_exec(old, tables, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(old);
  }
  Result<SqliteJobs> store = SqliteJobs::open(path());
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_EQ((*store->find("a"))->state, JobState::Done);
  EXPECT_EQ(**store->file("a", "plan"), "the plan");
  ASSERT_FALSE(store->put(job(kA)));
  ASSERT_FALSE(store->set_running(kA, 8));
  EXPECT_EQ((*store->find(kA))->attempts, 1);
}

TEST_F(JobStoreFile, TwoAtATimeAndOtherFilesAreRefused) {
  {
    const Result<SqliteJobs> first = SqliteJobs::open(path());
    ASSERT_TRUE(first.ok());
    const Result<SqliteJobs> second = SqliteJobs::open(path());
    ASSERT_FALSE(second.ok());
    EXPECT_NE(second.error().message.find("is in use by another service"), std::string::npos);
  }
  const std::string other = (folder_ / "notes.txt").string();
  { std::ofstream(other) << "somebody's notes, long enough to be no empty database at all\n"; }
  const Result<SqliteJobs> wrong = SqliteJobs::open(other);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("as a store of jobs"), std::string::npos);
}

}  // namespace
}  // namespace poet
