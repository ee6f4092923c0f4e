#include "poet/solve/key_search.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

std::unique_ptr<LinearBackend> cbc() {
  return std::move(open_backend("cbc").value());
}

// At d nothing is crowded: its model knows of no need. While c is made a cannot stay.
TEST(KeySearch, FindsTheCrowdedStage) {
  const Step step = make_step(detour());
  const FoundKeys found = search_keys(step, WindowKeys{{3}, {}}, {}, *cbc(), {});
  EXPECT_EQ(found.keys.stages, std::vector<std::int32_t>{2});
  EXPECT_GT(found.bound, 0);
  EXPECT_LE(found.bound, 2.5);  // a is written and read back
}

TEST(KeySearch, StaysWhereNothingIsBetter) {
  const Step step = make_step(detour());
  const FoundKeys found = search_keys(step, WindowKeys{{2}, {}}, {}, *cbc(), {});
  EXPECT_EQ(found.keys.stages, std::vector<std::int32_t>{2});
}

TEST(KeySearch, EndsByItsColumns) {
  const Step step = make_step(detour());
  const FoundKeys found = search_keys(step, WindowKeys{{3}, {}}, {.most_columns = 1}, *cbc(), {});
  EXPECT_EQ(found.keys.stages, std::vector<std::int32_t>{3});
  EXPECT_EQ(found.relaxations, 1);
}

// The same answer and effort, also where the columns end it on the way.
TEST(KeySearch, DoesNotDependOnThreads) {
  const Step step = make_step(deep_detour());
  for (const std::int64_t most_columns : {1, 40, 100, 1'000'000}) {
    const FoundKeys one =
        search_keys(step, WindowKeys{{3}, {}}, {.most_columns = most_columns}, *cbc(), {});
    const FoundKeys three = search_keys(step, WindowKeys{{3}, {}},
                                        {.most_columns = most_columns, .threads = 3}, *cbc(), {});
    EXPECT_EQ(three.keys, one.keys);
    EXPECT_EQ(three.bound, one.bound);
    EXPECT_EQ(three.relaxations, one.relaxations);
    EXPECT_EQ(three.iterations, one.iterations);
  }
}

}  // namespace
}  // namespace poet
