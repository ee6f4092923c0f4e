#include "poet/solve/cbc_crossed_bounds.h"

#include <gtest/gtest.h>

#include <OsiClpSolverInterface.hpp>

namespace poet {
namespace {

TEST(CrossedBounds, TheProgramsOwnFunctionIsCalled) {
  EXPECT_TRUE(crossed_bounds_are_survived());
}

// As Cbc leaves them; without the file beside this one an assertion of Clp ends the program.
TEST(CrossedBounds, DoNotEndTheProgram) {
  OsiClpSolverInterface solver;
  for (int j = 0; j < 3; ++j) solver.addCol(0, nullptr, nullptr, 0, 1, 1);
  const int columns[] = {0, 1, 2};
  const double weights[] = {1, 1, 1};
  solver.addRow(3, columns, weights, 1, 2);
  solver.initialSolve();
  solver.setColUpper(1, -1e50);
  solver.computeLargestAway();
  SUCCEED();
}

}  // namespace
}  // namespace poet
