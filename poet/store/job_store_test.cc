#include "poet/store/job_store.h"

#include <gtest/gtest.h>

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
    Result<JobStore> store = JobStore::open(path());
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
  Result<JobStore> store = JobStore::open(path());
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
    Result<JobStore> store = JobStore::open(path());
    ASSERT_FALSE(store->put(job(kB)));
    ASSERT_FALSE(store->put(job(kA)));
    ASSERT_FALSE(store->set_running(kB, 8));
  }
  Result<JobStore> store = JobStore::open(path());
  const std::vector<StoredJob> left = *store->unfinished();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].id, kB);
  EXPECT_EQ(left[0].state, JobState::Running);
  EXPECT_EQ(left[1].id, kA);
  ASSERT_FALSE(store->set_queued(kB));
  EXPECT_EQ((*store->find(kB))->state, JobState::Queued);
  EXPECT_FALSE((*store->find(kB))->started_unix_s);
}

TEST_F(JobStoreFile, AJobThatIsBegunAnewLosesItsFiles) {
  Result<JobStore> store = JobStore::open(path());
  ASSERT_FALSE(store->put(job(kA)));
  StoredJob ended = job(kA);
  ended.state = JobState::Cancelled;
  ASSERT_FALSE(store->finish(ended, {{"plan", "{}"}}));
  ASSERT_FALSE(store->put(job(kA)));
  EXPECT_EQ((*store->find(kA))->state, JobState::Queued);
  EXPECT_TRUE(store->file_names(kA)->empty());
}

TEST_F(JobStoreFile, ListsTheNewestFirstAndOnlyWhatIsAskedFor) {
  Result<JobStore> store = JobStore::open(path());
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
  Result<JobStore> store = JobStore::open(path());
  ASSERT_FALSE(store->put_note("model:1", "one"));
  ASSERT_FALSE(store->put_note("model:2", "two"));
  ASSERT_FALSE(store->put_note("figures:1", "many"));
  ASSERT_FALSE(store->put_note("model:2", "two again"));
  EXPECT_EQ(**store->note("figures:1"), "many");
  const auto models = *store->notes("model:");
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[1].second, "two again");
  EXPECT_GT(*store->size_bytes(), 0);
}

TEST_F(JobStoreFile, TwoAtATimeAndOtherFilesAreRefused) {
  {
    const Result<JobStore> first = JobStore::open(path());
    ASSERT_TRUE(first.ok());
    const Result<JobStore> second = JobStore::open(path());
    ASSERT_FALSE(second.ok());
    EXPECT_NE(second.error().message.find("is in use by another service"), std::string::npos);
  }
  const std::string other = (folder_ / "notes.txt").string();
  { std::ofstream(other) << "somebody's notes, long enough to be no empty database at all\n"; }
  const Result<JobStore> wrong = JobStore::open(other);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("as a store of jobs"), std::string::npos);
}

}  // namespace
}  // namespace poet
