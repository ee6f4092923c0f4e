#include "poet/train/checkpoint_place.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string_view>

#include "poet/base/text_file.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

class APlaceOfCheckpoints : public ::testing::Test {
 protected:
  std::string path(const char* name) const { return folder_.path(name); }
  std::unique_ptr<CheckpointPlace> take(const char* name) const {
    Result<std::unique_ptr<CheckpointPlace>> place = CheckpointPlace::take(path(name));
    if (!place.ok()) return nullptr;
    return *std::move(place);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(APlaceOfCheckpoints, IsOfOneTrainingAtATime) {
  {
    const auto place = take("a");
    ASSERT_TRUE(place);
    fs::create_symlink("a", path("by another name"));
    for (const char* const name : {"a", "by another name"}) {
      const auto other = CheckpointPlace::take(path(name));
      ASSERT_FALSE(other.ok());
      EXPECT_EQ(other.error().message, "another training writes the checkpoint '" + path(name) +
                                           "' at this moment: wait for it, or name another");
    }
    EXPECT_TRUE(take("b"));
  }
  EXPECT_TRUE(take("a"));
  EXPECT_EQ(folder_.files(), 1) << "only the link is left";
}

TEST_F(APlaceOfCheckpoints, NeedsAFolder) {
  EXPECT_EQ(CheckpointPlace::take(path("none/a")).error().message,
            "cannot write the checkpoint '" + path("none/a") + "': No such file or directory");
}

// By the same bytes, too: a file of its size is another file.
TEST_F(APlaceOfCheckpoints, KeepsWhatSomebodyElsePutsThere) {
  const auto place = take("a");
  ASSERT_TRUE(place);
  const auto save = [&](const char* text) {
    const auto aside =
        place->write([text](FileWriter& file) { return file.append(bytes_of(text)); });
    EXPECT_TRUE(aside.ok());
    return aside.ok() ? *aside : std::nullopt;
  };
  EXPECT_EQ(save("one"), std::nullopt);
  EXPECT_EQ(save("two"), std::nullopt);
  ASSERT_EQ(write_text_file(path("a"), "new"), Failure{});
  EXPECT_EQ(save("six"), path("a.found1"));
  EXPECT_EQ(save("ten"), std::nullopt);
  fs::remove(path("a"));
  fs::create_directory(path("a"));
  EXPECT_EQ(save("end"), path("a.found2"));
  EXPECT_EQ(*read_text_file(path("a")), "end");
  EXPECT_EQ(*read_text_file(path("a.found1")), "new");
  EXPECT_TRUE(fs::is_directory(path("a.found2")));
}

TEST_F(APlaceOfCheckpoints, IsTheTrainingsWithWhatIsThereAtItsBeginning) {
  ASSERT_EQ(write_text_file(path("a"), "to go on from"), Failure{});
  fs::permissions(path("a"), fs::perms{0640});
  const auto place = take("a");
  ASSERT_TRUE(place);
  EXPECT_EQ(*place->write([](FileWriter& file) { return file.append(bytes_of("new")); }),
            std::nullopt);
  EXPECT_EQ(*read_text_file(path("a")), "new");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms{0640});
  EXPECT_EQ(folder_.files(), 2) << "and its lock";
}

// The last moment is right before the new file takes the place.
TEST_F(APlaceOfCheckpoints, KeepsWhatComesWhileItIsWritten) {
  const auto place = take("a");
  ASSERT_TRUE(place);
  const auto aside = place->write([this](FileWriter& file) {
    EXPECT_EQ(write_text_file(path("a"), "precious"), Failure{});
    fs::permissions(path("a"), fs::perms{0644});
    return file.append(bytes_of("ours"));
  });
  ASSERT_TRUE(aside.ok());
  EXPECT_EQ(*aside, path("a.found1"));
  EXPECT_EQ(*read_text_file(path("a.found1")), "precious");
  EXPECT_EQ(*read_text_file(path("a")), "ours");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms{0600}) << "not those of the other";
}

// Where links led when the place was taken; those that come, or are turned, lead nowhere.
TEST_F(APlaceOfCheckpoints, FollowsNoLinkThatComesLater) {
  const auto write = [](CheckpointPlace& place) {
    return place.write([](FileWriter& file) { return file.append(bytes_of("ours")); });
  };
  ASSERT_EQ(write_text_file(path("precious"), "keep"), Failure{});
  const auto place = take("a");
  ASSERT_TRUE(place);
  fs::create_symlink("precious", path("a"));
  EXPECT_EQ(*write(*place), path("a.found1"));
  EXPECT_TRUE(fs::is_symlink(path("a.found1")));
  EXPECT_EQ(fs::symlink_status(path("a")).type(), fs::file_type::regular);

  fs::create_symlink("first", path("latest"));
  const auto linked = take("latest");
  ASSERT_TRUE(linked);
  fs::remove(path("latest"));
  fs::create_symlink("precious", path("latest"));
  EXPECT_EQ(*write(*linked), std::nullopt);
  EXPECT_EQ(*read_text_file(path("first")), "ours");
  EXPECT_EQ(*read_text_file(path("precious")), "keep");
}

TEST_F(APlaceOfCheckpoints, LeavesAFileOfTheUsersThatHasTheNameOfItsLock) {
  ASSERT_EQ(write_text_file(path("a.poet-lock"), "mine"), Failure{});
  EXPECT_TRUE(take("a"));
  EXPECT_EQ(*read_text_file(path("a.poet-lock")), "mine");
}

}  // namespace
}  // namespace poet
