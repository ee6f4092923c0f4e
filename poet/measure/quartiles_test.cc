#include "poet/measure/quartiles.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(Quartiles, OfOddlyManyAreNumbersOfTheList) {
  EXPECT_EQ(quartiles_of({5, 1, 4, 2, 3}), (Quartiles{2, 3, 4}));
}

TEST(Quartiles, OfEvenlyManyLieBetweenTwo) {
  EXPECT_EQ(quartiles_of({4, 1, 3, 2}), (Quartiles{1.75, 2.5, 3.25}));
  EXPECT_EQ(quartiles_of({4, 1, 3, 2}).spread(), 1.5);
}

TEST(Quartiles, OfOneNumberAreIt) {
  EXPECT_EQ(quartiles_of({7}), (Quartiles{7, 7, 7}));
}

}  // namespace
}  // namespace poet
