#include "poet/runtime/panel_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"

namespace poet {
namespace {

using Offsets = std::vector<std::ptrdiff_t>;

// values[k][j] = 10 k + j for the columns that exist.
poet_panel counting_panel(const Offsets& left_offsets, std::int32_t columns) {
  poet_panel panel = {};
  panel.depth = static_cast<std::int32_t>(left_offsets.size());
  panel.columns = columns;
  for (std::int32_t j = 0; j < columns; ++j) panel.target_offsets[j] = j;
  for (std::int32_t k = 0; k < panel.depth; ++k)
    for (std::int32_t j = 0; j < columns; ++j) panel.values[k][j] = static_cast<float>(10 * k + j);
  poet_panel_find_runs(left_offsets.data(), &panel);
  return panel;
}

TEST(PanelProduct, AddsToEveryRowAndToTheColumnsThatExist) {
  const poet_panel panel = counting_panel({0, 2, 4}, 2);
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
  poet_panel panel = counting_panel({0}, 2);
  panel.target_offsets[1] = 5;
  const std::vector<float> left = {1, 2, 3, 4, 5};
  const poet_panel_rows rows = {5, 1, 1};  // y transposed
  std::vector<float> y(10, 0);
  poet_panel_product_f32(&rows, left.data(), &panel, y.data());
  EXPECT_EQ(y, (std::vector<float>{0, 0, 0, 0, 0, 1, 2, 3, 4, 5}));
}

// 1e8 + 1 - 1e8 is 0 in this order, and 1 in another.
TEST(PanelProduct, SumsInTheOrderOfDepth) {
  poet_panel panel = counting_panel({0, 2, 4}, 1);
  panel.values[0][0] = 1e8F;
  panel.values[1][0] = 1;
  panel.values[2][0] = -1e8F;
  const std::vector<float> left(30, 1);
  const poet_panel_rows rows = {5, 6, 1};
  std::vector<float> y(5, 0);
  poet_panel_product_f32(&rows, left.data(), &panel, y.data());
  EXPECT_EQ(y, std::vector<float>(5, 0));
}

// What the stated order says, one element after the other.
void add_in_order(const poet_panel_rows& rows, const std::vector<float>& left,
                  const Offsets& left_offsets, const poet_panel& panel, std::vector<float>& y) {
  for (std::int32_t i = 0; i < rows.count; ++i) {
    for (std::int32_t j = 0; j < panel.columns; ++j) {
      float& sum = y[i * rows.target_stride + panel.target_offsets[j]];
      for (std::int32_t k = 0; k < panel.depth; ++k) {
        const float product = left[i * rows.left_stride + left_offsets[k]] * panel.values[k][j];
        sum += product;
      }
    }
  }
}

// Runs of every length and direction, begun anywhere, and the factors of each so far apart.
TEST(PanelProduct, GivesTheSameBitsWithEveryKindOfRegisters) {
  constexpr std::ptrdiff_t kRowLength = 3 * POET_PANEL_DEPTH;
  for (std::int32_t run = 1; run <= 11; ++run) {
    for (std::int32_t columns = 1; columns <= POET_PANEL_COLUMNS; ++columns) {
      for (const std::int32_t apart : {1, 2}) {  // columns of y
        SCOPED_TRACE(::testing::Message() << run << ", " << columns << ", " << apart);
        const std::int32_t depth = POET_PANEL_DEPTH - run + 1;
        const std::vector<float> values = arbitrary_values(depth * POET_PANEL_COLUMNS, run);
        Offsets left_offsets;
        for (std::int32_t k = 0; k < depth; ++k) left_offsets.push_back(k + k / run);
        if (columns % 3 == 1) std::reverse(left_offsets.begin(), left_offsets.end());
        if (columns % 3 == 2)
          for (std::ptrdiff_t& offset : left_offsets) offset += offset / 2;
        poet_panel panel = counting_panel(left_offsets, columns);
        for (std::int32_t k = 0; k < depth; ++k)
          for (std::int32_t j = 0; j < columns; ++j)
            panel.values[k][j] = values[k * POET_PANEL_COLUMNS + j];
        for (std::int32_t j = 0; j < columns; ++j) panel.target_offsets[j] = j * apart;
        const poet_panel_rows rows = {run, kRowLength, 2 * POET_PANEL_COLUMNS};
        const std::vector<float> left = arbitrary_values(run * kRowLength, columns);
        const std::vector<float> before =
            arbitrary_values(static_cast<std::size_t>(run * rows.target_stride), 7);
        std::vector<float> expected = before;
        add_in_order(rows, left, left_offsets, panel, expected);
        std::vector<float> chosen = before;
        poet_panel_product_f32(&rows, left.data(), &panel, chosen.data());
        EXPECT_EQ(chosen, expected);
        std::vector<float> plain = before;
        poet_panel_product_plain_f32(&rows, left.data(), &panel, plain.data());
        EXPECT_EQ(plain, expected);
      }
    }
  }
}

Offsets offsets_of(const poet_panel& panel) {
  Offsets offsets;
  for (const poet_panel_run* run = panel.runs; run->length > 0; ++run)
    for (std::ptrdiff_t i = 0; i < run->length; ++i) offsets.push_back(run->offset + i * run->step);
  return offsets;
}

std::vector<std::ptrdiff_t> lengths_of(const poet_panel& panel) {
  std::vector<std::ptrdiff_t> lengths;
  for (const poet_panel_run* run = panel.runs; run->length > 0; ++run)
    lengths.push_back(run->length);
  return lengths;
}

TEST(PanelProduct, FindsFactorsThatLieEvenlyApart) {
  const Offsets offsets = {4, 5, 6, 9, 7, 5, 5, 5, 0, 40};
  const poet_panel panel = counting_panel(offsets, 1);
  EXPECT_EQ(offsets_of(panel), offsets);
  EXPECT_EQ(lengths_of(panel), (std::vector<std::ptrdiff_t>{3, 3, 2, 2}));
  EXPECT_EQ(lengths_of(counting_panel({}, 1)), std::vector<std::ptrdiff_t>());
  EXPECT_EQ(lengths_of(counting_panel({7}, 1)), std::vector<std::ptrdiff_t>{1});
}

TEST(PanelProduct, HasRoomForTheRunsOfFactorsThatLieAnyhow) {
  Offsets offsets;
  for (std::ptrdiff_t k = 0; k < POET_PANEL_DEPTH; ++k) offsets.push_back(k * k);
  EXPECT_EQ(offsets_of(counting_panel(offsets, 1)), offsets);
}

TEST(PanelProduct, SetsOneRun) {
  poet_panel panel = counting_panel({1, 5, 6}, 1);
  poet_panel_set_run(4, &panel);
  EXPECT_EQ(offsets_of(panel), (Offsets{0, 4, 8}));
  panel.depth = 0;
  poet_panel_set_run(4, &panel);
  EXPECT_EQ(offsets_of(panel), Offsets());
}

}  // namespace
}  // namespace poet
