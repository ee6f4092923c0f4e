#include "poet/store/point_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "poet/base/message_text.h"

namespace poet {
namespace {

class PointStoreFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "points.db").string(); }

  std::filesystem::path folder_;
};

TEST_F(PointStoreFile, WhatWasPutIsThereWhenItIsOpenedAgain) {
  {
    Result<PointStore> store = PointStore::open(path(), "question");
    ASSERT_TRUE(store.ok());
    EXPECT_FALSE(store->put(7, "seven"));
    EXPECT_FALSE(store->put(7, "seven again"));
    EXPECT_FALSE(store->put(8, std::string("a\0b", 3)));
  }
  const Result<PointStore> store = PointStore::open(path(), "question");
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(*store->count(), 2);
  EXPECT_EQ(**store->find(7), "seven again");
  EXPECT_EQ(**store->find(8), std::string("a\0b", 3));
  EXPECT_FALSE(store->find(9)->has_value());
}

TEST_F(PointStoreFile, AnotherQuestionIsRefused) {
  { ASSERT_TRUE(PointStore::open(path(), "one").ok()); }
  const Result<PointStore> store = PointStore::open(path(), "another");
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.error().message.find("holds the points of another sweep"), std::string::npos);
}

TEST_F(PointStoreFile, AnotherKindOfFileIsRefusedAndLeftAsItWas) {
  const std::string text = "somebody's notes, long enough to be no empty database at all\n";
  { std::ofstream(path()) << text; }
  const Result<PointStore> store = PointStore::open(path(), "question");
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.error().message.find("cannot use"), std::string::npos);
  std::ostringstream after;
  after << std::ifstream(path()).rdbuf();
  EXPECT_EQ(after.str(), text);
}

TEST_F(PointStoreFile, TwoAtATimeAreRefused) {
  const Result<PointStore> first = PointStore::open(path(), "question");
  ASSERT_TRUE(first.ok());
  const Result<PointStore> second = PointStore::open(path(), "question");
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("is in use by another sweep"), std::string::npos);
}

TEST_F(PointStoreFile, SaysWhereItIs) {
  const Result<PointStore> store = PointStore::open(path(), "question");
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store->place(), "the results file " + in_quotes(path()));
}

TEST_F(PointStoreFile, AFolderThatIsNotThere) {
  const Result<PointStore> store = PointStore::open((folder_ / "none" / "x.db").string(), "q");
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.error().message.find("unable to open database file"), std::string::npos);
}

TEST_F(PointStoreFile, KnowsThatItWasDeleted) {
  const Result<PointStore> store = PointStore::open(path(), "question");
  ASSERT_TRUE(store.ok());
  EXPECT_TRUE(store->in_place());
  std::filesystem::remove(path());
  EXPECT_FALSE(store->in_place());
}

TEST(PointStore, MemoryIsAStoreThatNobodyKeeps) {
  Result<PointStore> store = PointStore::open(":memory:", "q");
  ASSERT_TRUE(store.ok());
  EXPECT_FALSE(store->put(1, "x"));
  EXPECT_EQ(*store->count(), 1);
  EXPECT_TRUE(store->in_place());
}

}  // namespace
}  // namespace poet
