#include "poet/runtime/golden_test_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace poet {
namespace {

using Values = std::vector<float>;

TEST(Goldens, AreReadByCaseAndName) {
  const std::vector<GoldenCase> cases = read_goldens("reader");
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].name, "first");
  EXPECT_EQ(cases[0].whole("strides", 1), -3);
  EXPECT_EQ(cases[0].real("epsilon"), 1e-5f);
  EXPECT_EQ(cases[0].tensor("x").extents, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(cases[0].floats("x")[3], 4e-3f);
  EXPECT_TRUE(std::isnan(cases[0].floats("x")[4]));
  EXPECT_EQ(cases[0].floats("scalar"), Values{7});
  EXPECT_FALSE(cases[0].has("labels"));
  EXPECT_EQ(cases[1].words("labels"), (std::vector<std::int32_t>{4, -100}));
}

TEST(Goldens, ANameThatIsNotThereThrows) {
  EXPECT_THROW(read_goldens("reader")[1].floats("x"), std::out_of_range);
  EXPECT_THROW(read_goldens("no such family"), std::runtime_error);
}

TEST(RelativeError, IsThatOfTheWorstValueAgainstTheLargest) {
  EXPECT_DOUBLE_EQ(relative_error({1, 4}, {2, 4}), 0.25);
  EXPECT_DOUBLE_EQ(relative_error({0.25F, 0.5F}, {0.25F, 0.25F}), 1);
  EXPECT_DOUBLE_EQ(relative_error({0.25F, 0}, {0, 0}), 0.25);
}

TEST(RelativeError, IsInfiniteWhereValuesCannotBeCompared) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isinf(relative_error({1}, {1, 2})));
  EXPECT_TRUE(std::isinf(relative_error({nan}, {1})));
  EXPECT_TRUE(std::isinf(relative_error({1}, {nan})));
  EXPECT_EQ(relative_error({nan}, {nan}), 0);
}

}  // namespace
}  // namespace poet
