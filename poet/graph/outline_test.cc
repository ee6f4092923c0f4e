#include "poet/graph/outline.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(SizeBytes, IsTheProductOfShapeAndElement) {
  EXPECT_EQ(size_bytes({.name = "x", .shape = {2, 3, 5}}), 120);
  EXPECT_EQ(size_bytes({.name = "x", .shape = {2, 3, 5}, .element_bytes = 1}), 30);
}

TEST(SizeBytes, OfAScalarIsOneElement) {
  EXPECT_EQ(size_bytes({.name = "x", .shape = {}}), 4);
}

}  // namespace
}  // namespace poet
