#include "poet/service/store_budget.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "poet/base/text_file.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

class StoreFolder : public ::testing::Test {
 protected:
  std::string path(const char* name) const { return folder_.path(name); }

  testing::TemporaryFolder folder_;
};

TEST_F(StoreFolder, IsMadeForItsOwnerAlone) {
  EXPECT_EQ(make_store_folder(path("a/b")), Failure{});
  EXPECT_EQ(fs::status(path("a/b")).permissions(), fs::perms::owner_all);
  EXPECT_FALSE(is_store_folder(path("a/b")));
}

TEST_F(StoreFolder, MayBeThereEmptyOrHaveAStore) {
  EXPECT_EQ(make_store_folder(folder_.path()), Failure{});
  fs::create_directory(path("lost+found"));
  ASSERT_EQ(write_text_file(path("jobs.db"), ""), Failure{});
  EXPECT_FALSE(is_store_folder(folder_.path()));
  EXPECT_EQ(make_store_folder(folder_.path()), Failure{});
  ASSERT_EQ(write_text_file(path("jobs.db"), "jobs"), Failure{});
  fs::create_directory(path("work"));
  EXPECT_TRUE(is_store_folder(folder_.path()));
  EXPECT_EQ(make_store_folder(folder_.path()), Failure{});
}

TEST_F(StoreFolder, IsNoneThatHasAJournalOfNothing) {
  ASSERT_EQ(write_text_file(path("jobs.db-journal"), "mine"), Failure{});
  EXPECT_TRUE(make_store_folder(folder_.path()));
}

TEST_F(StoreFolder, IsNoneThatHasSomethingElse) {
  fs::create_directory(path("work"));
  ASSERT_EQ(write_text_file(path("work/thesis"), "mine"), Failure{});
  const std::string message =
      "the folder '" + folder_.path() +
      "' has 'work' in it and is not the store of a service: name one that is "
      "new or empty, so that nothing of yours is taken for the service's";
  EXPECT_EQ(make_store_folder(folder_.path())->message, message);
  // Nor where somebody made an empty file of the store's name.
  ASSERT_EQ(write_text_file(path("jobs.db"), ""), Failure{});
  EXPECT_EQ(make_store_folder(folder_.path())->message, message);
  EXPECT_EQ(*read_text_file(path("work/thesis")), "mine");
}

}  // namespace
}  // namespace poet
