#include "poet/graph/operator_table.h"

#include <gtest/gtest.h>

#include <set>

namespace poet {
namespace {

TEST(OperatorTable, HasItsRowsInTheOrderOfTheEnumerators) {
  for (const OperatorEntry& row : operator_table()) EXPECT_EQ(&entry_of(row.id), &row) << row.name;
  EXPECT_EQ(operator_table().back().id, Operator::Gradient);
}

TEST(OperatorTable, GivesEveryOperatorNamesOfItsOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> released_names;
  for (const OperatorEntry& row : operator_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (row.released_name.empty()) continue;
    EXPECT_TRUE(released_names.insert(row.released_name).second) << row.released_name;
  }
}

}  // namespace
}  // namespace poet
