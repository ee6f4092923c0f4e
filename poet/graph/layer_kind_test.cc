#include "poet/graph/layer_kind.h"

#include <gtest/gtest.h>

#include <set>

namespace poet {
namespace {

TEST(LayerKindTable, HasItsRowsInTheOrderOfTheEnumerators) {
  for (const LayerKindEntry& row : layer_kind_table())
    EXPECT_EQ(&entry_of(row.id), &row) << row.name;
  EXPECT_EQ(layer_kind_table().back().id, LayerKind::Gradient);
}

TEST(LayerKindTable, GivesEveryOperatorNamesOfItsOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> released_names;
  for (const LayerKindEntry& row : layer_kind_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (row.released_name.empty()) continue;
    EXPECT_TRUE(released_names.insert(row.released_name).second) << row.released_name;
  }
}

}  // namespace
}  // namespace poet
