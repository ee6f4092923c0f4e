#include "poet/report/storage_text.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

Problem with_a_tensor(Home home) {
  Problem problem;
  problem.tensors = {{.name = "w", .size_bytes = 4, .home = home}};
  return problem;
}

// "0 tensors" beside many bytes read is no contradiction, and says why.
TEST(HomesClause, SaysWhereBytesComeFromThatNothingPaged) {
  const Problem problem = with_a_tensor(Home::Storage);
  EXPECT_EQ(homes_clause(problem, {.read_bytes = 256'652}),
            ": all of what has its home in storage");
  EXPECT_EQ(homes_clause(problem, {.read_bytes = 256'652, .paged_tensors = 2}),
            ", what has its home in storage included");
}

TEST(HomesClause, IsEmptyWhereItExplainsNothing) {
  EXPECT_EQ(homes_clause(with_a_tensor(Home::Storage), {}), "");
  EXPECT_EQ(homes_clause(with_a_tensor(Home::Made), {.written_bytes = 4, .paged_tensors = 1}), "");
}

}  // namespace
}  // namespace poet
