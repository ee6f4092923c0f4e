#include "apps/cli/read_value.h"

#include <gtest/gtest.h>

namespace poet::cli {
namespace {

TEST(ReadList, ReadsNamesBetweenCommas) {
  EXPECT_EQ(*read_list("a,b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read_list("a,,b").error().message,
            "expected names with commas between them, found 'a,,b'");
  EXPECT_EQ(read_list("a,b,a").error().message, "'a' stands there twice");
}

}  // namespace
}  // namespace poet::cli
