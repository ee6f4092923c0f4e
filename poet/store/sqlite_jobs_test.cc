#include "poet/store/sqlite_jobs.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "poet/store/disk_reserve.h"

namespace poet {
namespace {

// A disk for the files that SQLite writes meanwhile: beyond its size it says that it is full. All
// files of the folder are on it.
class SmallDisk {
 public:
  SmallDisk(std::filesystem::path folder, std::int64_t size_bytes) {
    folder_ = std::move(folder);
    size_bytes_ = size_bytes;
    real_ = sqlite3_vfs_find(nullptr);
    mine_ = *real_;
    mine_.zName = "small-disk";
    mine_.xOpen = open;
    sqlite3_vfs_register(&mine_, 1);
  }
  ~SmallDisk() {
    sqlite3_vfs_unregister(&mine_);
    sqlite3_vfs_register(real_, 1);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  static std::int64_t used_bytes() {
    std::int64_t sum_bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      sum_bytes += static_cast<std::int64_t>(entry.file_size());
    return sum_bytes;
  }
  // Whatever else takes what is left of it.
  static void fill() { size_bytes_ = used_bytes(); }

 private:
  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* given) {
    const int status = real_->xOpen(real_, name, file, flags, given);
    if (status != SQLITE_OK || file->pMethods == nullptr) return status;
    // Files that are locked have others than those that are not.
    sqlite3_io_methods& methods =
        methods_.try_emplace(file->pMethods, *file->pMethods).first->second;
    if (methods.xWrite != write) real_write_ = std::exchange(methods.xWrite, write);
    file->pMethods = &methods;
    return status;
  }
  static int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
    sqlite3_int64 size_bytes = 0;
    file->pMethods->xFileSize(file, &size_bytes);
    const std::int64_t more_bytes = offset + count - size_bytes;
    if (more_bytes > 0 && used_bytes() + more_bytes > size_bytes_) return SQLITE_FULL;
    return real_write_(file, bytes, count, offset);
  }

  inline static std::filesystem::path folder_;
  inline static std::int64_t size_bytes_ = 0;
  inline static sqlite3_vfs* real_ = nullptr;
  inline static sqlite3_vfs mine_;
  inline static std::map<const sqlite3_io_methods*, sqlite3_io_methods> methods_;
  inline static int (*real_write_)(sqlite3_file*, const void*, int, sqlite3_int64) = nullptr;
};

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
  EXPECT_LE(std::filesystem::file_size(path() + "-journal"), 65536U);
  EXPECT_FALSE(std::filesystem::exists(path() + "-wal"));
  things = *store->least_recently_used(1);
  ASSERT_EQ(things.size(), 1U);
  EXPECT_EQ(things[0].note, "figures:1");
}

class FullDisks : public JobStoreFile {
 protected:
  static std::string id(int k) { return std::string(63, 'a') + std::to_string(k); }
  static Failure add(SqliteJobs& store, int k) {
    if (Failure failure = store.put(job(id(k)))) return failure;
    StoredJob ended = job(id(k));
    ended.state = JobState::Done;
    ended.result = std::string(20'000, 'r');
    return store.finish(ended, {{"plan", std::string(600'000, 'x')}});
  }
};

TEST_F(FullDisks, HaveRoomForDeleting) {
  const SmallDisk disk(folder_, 4 << 20);
  Result<SqliteJobs> store = SqliteJobs::open(path());
  ASSERT_TRUE(store.ok()) << store.error().message;
  int count = 0;
  while (!add(*store, count)) ++count;
  ASSERT_GE(count, 3);
  ASSERT_LE(count, 6);
  ASSERT_EQ(std::filesystem::file_size(SqliteJobs::reserve_of(path())),
            static_cast<std::uint64_t>(DiskReserve::kBytes));
  for (int k = 0; k < count; ++k) {
    SmallDisk::fill();
    EXPECT_EQ(**store->file(id(k), "plan"), std::string(600'000, 'x')) << "what it has, it answers";
    ASSERT_FALSE(store->forget_job(id(k))) << k;
    EXPECT_TRUE(std::filesystem::exists(SqliteJobs::reserve_of(path()))) << "it is kept again";
  }
  ASSERT_FALSE(store->compact());
  EXPECT_FALSE(add(*store, 9));
}

TEST_F(FullDisks, AreOpenedAndMadeSmaller) {
  const SmallDisk disk(folder_, 4 << 20);
  {
    Result<SqliteJobs> store = SqliteJobs::open(path());
    ASSERT_FALSE(store->put(job(kB)));
    ASSERT_FALSE(store->set_running(kB, 8));
    for (int count = 0; !add(*store, count);) ++count;
    SmallDisk::fill();
  }
  SmallDisk::fill();
  Result<SqliteJobs> store = SqliteJobs::open(path());
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_FALSE(store->set_queued(kB, SqliteJobs::Attempt::Counts));
  store->touch_job(id(0));
  const std::vector<KeptThing> things = *store->least_recently_used(10);
  ASSERT_GE(things.size(), 3U);
  const std::int64_t before_bytes = SmallDisk::used_bytes();
  for (const KeptThing& thing : things) ASSERT_FALSE(store->forget_job(thing.job));
  ASSERT_FALSE(store->compact());
  EXPECT_LT(SmallDisk::used_bytes(), before_bytes - 1'800'000);
}

TEST_F(FullDisks, ASmallStoreGivesUpItsReserve) {
  { EXPECT_TRUE(SqliteJobs::open(path(), 16 << 20).ok()); }
  EXPECT_TRUE(std::filesystem::exists(SqliteJobs::reserve_of(path())));
  EXPECT_TRUE(SqliteJobs::open(path(), (16 << 20) - 1).ok());
  EXPECT_FALSE(std::filesystem::exists(SqliteJobs::reserve_of(path())));
}

TEST_F(JobStoreFile, AStoreWithALogIsTakenOver) {
  {
    Result<SqliteJobs> store = SqliteJobs::open(path());
    ASSERT_FALSE(store->put_note("model:1", "one"));
  }
  sqlite3* old = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &old), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(old, "PRAGMA journal_mode = WAL; UPDATE notes SET text = 'two'", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(old);
  Result<SqliteJobs> store = SqliteJobs::open(path());
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_EQ(**store->note("model:1"), "two");
  ASSERT_FALSE(store->put_note("model:1", "three"));
  EXPECT_FALSE(std::filesystem::exists(path() + "-wal"));
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
