#include "poet/graph/outline.h"

#include <gtest/gtest.h>

#include <set>

namespace poet {
namespace {

TEST(SizeBytes, IsTheProductOfShapeAndElement) {
  EXPECT_EQ(size_bytes({.name = "x", .shape = {2, 3, 5}}), 120);
  EXPECT_EQ(size_bytes({.name = "x", .shape = {2, 3, 5}, .element_bytes = 1}), 30);
}

TEST(SizeBytes, OfAScalarIsOneElement) {
  EXPECT_EQ(size_bytes({.name = "x", .shape = {}}), 4);
}

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
