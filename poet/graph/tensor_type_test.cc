#include "poet/graph/tensor_type.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(TensorType, CountsItsBytes) {
  EXPECT_EQ(size_bytes({ElementType::Float32, {2, 3}}), 24);
  EXPECT_EQ(size_bytes({ElementType::Int64, {2, 3}}), 48);
  EXPECT_EQ(size_bytes({ElementType::Bool, {}}), 1);
}

TEST(TensorType, IsSaidInWords) {
  EXPECT_EQ(to_text({ElementType::Int64, {8, 128}}), "int64 (8, 128)");
  EXPECT_EQ(to_text({ElementType::Float32, {}}), "float32 ()");
}

TEST(CheckShape, AcceptsAsManyValuesAsKernelsCount) {
  EXPECT_FALSE(check_shape({}, "x"));
  EXPECT_FALSE(check_shape({1, 2'147'483'647}, "x"));
}

TEST(CheckShape, RefusesEmptyAndHugeShapes) {
  EXPECT_EQ(check_shape({2, 0}, "the output of relu_1")->message,
            "the output of relu_1 has the shape (2, 0): every extent must be at least 1");
  EXPECT_EQ(check_shape({65536, 32768}, "x")->message,
            "x has the shape (65536, 32768): a tensor has at most 2147483647 values");
  EXPECT_TRUE(check_shape({1'000'000'000'000, 1'000'000'000'000}, "x"));
}

}  // namespace
}  // namespace poet
