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
  const FoundKeys found = search_keys(step, WindowKeys{{3}, {}}, 1, *cbc(), 1'000'000, {});
  EXPECT_EQ(found.keys.stages, std::vector<std::int32_t>{2});
  EXPECT_GT(found.bound, 0);
  EXPECT_LE(found.bound, 2.5);  // a is written and read back
}

TEST(KeySearch, StaysWhereNothingIsBetter) {
  const Step step = make_step(detour());
  const FoundKeys found = search_keys(step, WindowKeys{{2}, {}}, 1, *cbc(), 1'000'000, {});
  EXPECT_EQ(found.keys.stages, std::vector<std::int32_t>{2});
}

TEST(KeySearch, EndsByItsColumns) {
  const Step step = make_step(detour());
  const FoundKeys found = search_keys(step, WindowKeys{{3}, {}}, 1, *cbc(), 1, {});
  EXPECT_EQ(found.keys.stages, std::vector<std::int32_t>{3});
  EXPECT_EQ(found.relaxations, 1);
}

}  // namespace
}  // namespace poet
