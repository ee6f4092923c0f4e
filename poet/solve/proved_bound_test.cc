#include "poet/solve/proved_bound.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

// 3 x + 2 y, x + y >= 1, x - y <= 0.5, both from 0 to 1.
LinearModel two_columns() {
  LinearModel model;
  model.add_column({3, 0, 1, ColumnKind::Integer});
  model.add_column({2, 0, 1, ColumnKind::Integer});
  model.add_row({1, kInfinity, {{0, 1}, {1, 1}}});
  model.add_row({-kInfinity, 0.5, {{0, 1}, {1, -1}}});
  return model;
}

TEST(ProvedBound, IsTheObjectiveWhereTheMultipliersAreTheBest) {
  EXPECT_NEAR(bound_proved_by({2, 0}, two_columns()), 2, 1e-10);
  EXPECT_LE(bound_proved_by({2, 0}, two_columns()), 2);
}

TEST(ProvedBound, HoldsForAnyMultipliers) {
  EXPECT_NEAR(bound_proved_by({0, 0}, two_columns()), 0, 1e-10);
  EXPECT_NEAR(bound_proved_by({1, 0}, two_columns()), 1, 1e-10);
  EXPECT_NEAR(bound_proved_by({4, 0}, two_columns()), 4 - 1 - 2, 1e-10);
  EXPECT_NEAR(bound_proved_by({2, -1}, two_columns()), 2 - 0.5 + 0 - 1, 1e-10);
  EXPECT_NEAR(bound_proved_by({-5, 7}, two_columns()), 0, 1e-10);  // neither row has such a side
}

TEST(ProvedBound, IsNoneWhereAColumnWithoutAnEndPays) {
  LinearModel open = two_columns();
  open.columns[0].upper = kInfinity;
  EXPECT_NEAR(bound_proved_by({2, 0}, open), 2, 1e-10);
  EXPECT_EQ(bound_proved_by({4, 0}, open), -kInfinity);
}

// Costs of 1e9 beside 1e-3: an objective within a backend's tolerances of the least may be off by
// more than everything that matters.
TEST(ProvedBound, GivesAwayWhatRoundingMayHide) {
  LinearModel wide;
  wide.add_column({1e9, 0, 1, ColumnKind::Integer});
  wide.add_column({1e-3, 0, 1, ColumnKind::Integer});
  wide.add_row({1, kInfinity, {{0, 1}, {1, 1}}});
  EXPECT_LE(bound_proved_by({1e-3, 0}, wide), 1e-3);
  EXPECT_NEAR(bound_proved_by({1e-3, 0}, wide), 1e-3, 1e-12);
  EXPECT_LE(bound_proved_by({1e9, 0}, wide), 1e-3);
}

}  // namespace
}  // namespace poet
