#include "poet/runtime/panel_product.h"

#include <gtest/gtest.h>

#include <vector>

namespace poet {
namespace {

// values[k][j] = 10 k + j for the columns that exist.
poet_panel counting_panel(std::int32_t depth, std::int32_t columns) {
  poet_panel panel = {};
  panel.depth = depth;
  panel.columns = columns;
  for (std::int32_t j = 0; j < columns; ++j) panel.target_offsets[j] = j;
  for (std::int32_t k = 0; k < depth; ++k) {
    panel.left_offsets[k] = 2 * k;
    for (std::int32_t j = 0; j < columns; ++j) panel.values[k][j] = static_cast<float>(10 * k + j);
  }
  return panel;
}

TEST(PanelProduct, AddsToEveryRowAndToTheColumnsThatExist) {
  const poet_panel panel = counting_panel(3, 2);
  std::vector<float> left;  // row i begins at 6 i, with its factors at 0, 2 and 4
  for (int i = 0; i < 36; ++i) left.push_back(static_cast<float>(i));
  const poet_panel_rows rows = {6, 6, 2};
  std::vector<float> y(12, 1);
  poet_panel_product_f32(&rows, left.data(), &panel, y.data());
  for (int i = 0; i < 6; ++i) {
    const int first = 6 * i;
    EXPECT_EQ(y[2 * i], static_cast<float>(1 + (first + 2) * 10 + (first + 4) * 20)) << i;
    EXPECT_EQ(y[2 * i + 1], static_cast<float>(1 + first + (first + 2) * 11 + (first + 4) * 21))
        << i;
  }
}

TEST(PanelProduct, WritesWhereTheOffsetsSay) {
  poet_panel panel = counting_panel(1, 2);
  panel.target_offsets[1] = 5;
  const std::vector<float> left = {1, 2, 3, 4, 5};
  const poet_panel_rows rows = {5, 1, 1};  // y transposed
  std::vector<float> y(10, 0);
  poet_panel_product_f32(&rows, left.data(), &panel, y.data());
  EXPECT_EQ(y, (std::vector<float>{0, 0, 0, 0, 0, 1, 2, 3, 4, 5}));
}

// 1e8 + 1 - 1e8 is 0 in this order, and 1 in another.
TEST(PanelProduct, SumsInTheOrderOfDepth) {
  poet_panel panel = counting_panel(3, 1);
  panel.values[0][0] = 1e8F;
  panel.values[1][0] = 1;
  panel.values[2][0] = -1e8F;
  const std::vector<float> left(30, 1);
  const poet_panel_rows rows = {5, 6, 1};
  std::vector<float> y(5, 0);
  poet_panel_product_f32(&rows, left.data(), &panel, y.data());
  EXPECT_EQ(y, std::vector<float>(5, 0));
}

}  // namespace
}  // namespace poet
