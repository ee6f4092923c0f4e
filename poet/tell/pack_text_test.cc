#include "poet/ask/pack_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "poet/base/text_file.h"
#include "poet/tell/pack_text.h"

namespace poet {
namespace {

constexpr const char* kTable =
    "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n";

class PackFile : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_FALSE(write_text_file(path_, kTable)); }
  void TearDown() override { std::filesystem::remove(path_); }

  // Tests run beside each other.
  const std::string path_ = ::testing::TempDir() + "pack_file_" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                            ".csv";
};

TEST_F(PackFile, GivesEveryRowAnOffset) {
  const Result<PackAnswer> answer = pack_file({.path = path_}, {}, {});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->height_bytes, 12);
  EXPECT_TRUE(answer->proved());
  EXPECT_TRUE(answer->packed_text.starts_with("id,lower,upper,size,offset\nb1,0,3,4,"));
  EXPECT_EQ(pack_text(*answer), path_ +
                                    ": 5 buffers\nas low as it can be, proved, after 0 s, 0 nodes\n"
                                    "\n  height          12 bytes\n  lower bound     12 bytes\n");
}

TEST_F(PackFile, SaysThatNothingFits) {
  const Result<PackAnswer> answer = pack_file({.path = path_, .capacity_bytes = 11}, {}, {});
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(answer->fits());
  EXPECT_TRUE(answer->proved());
  EXPECT_NE(pack_text(*answer).find("does not fit into 11 bytes, proved"), std::string::npos);
}

TEST_F(PackFile, RefusesAnAlignmentThatIsNoPowerOfTwo) {
  const Result<PackAnswer> answer = pack_file({.path = path_, .alignment_bytes = 48}, {}, {});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(to_string(answer.error()), "an alignment is a power of two of at most 1 GiB, found 48");
}

}  // namespace
}  // namespace poet
