#include "poet/parts/loops.h"

#include <gtest/gtest.h>

#include "poet/graph/operator.h"

namespace poet {
namespace {

using Operations = std::vector<std::size_t>;

// Two products one after the other: h (8 x 8) = x w, y = h v, all cut into blocks of 4.
class TwoProducts : public ::testing::Test {
 protected:
  TwoProducts() {
    x_ = tensor(Home::Storage);
    w_ = tensor(Home::Storage);
    v_ = tensor(Home::Storage);
    h_ = product(x_, w_);
    y_ = product(h_, v_);
    grids_ = uncut_grids(graph_);
    for (CutClass& cut : grids_.cuts.classes) cut.block = 4;
  }

  TensorId tensor(Home home) {
    graph_.tensors.push_back({.name = "tensor " + std::to_string(graph_.tensors.size()),
                              .type = {ElementType::Float32, {8, 8}},
                              .home = home});
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  }

  TensorId product(TensorId a, TensorId b) {
    const TensorId made = tensor(Home::Made);
    graph_.operations.push_back({.name = "product " + std::to_string(graph_.operations.size()),
                                 .kind = Operator::MatMul,
                                 .attributes = MatMulAttributes{},
                                 .inputs = {a, b},
                                 .outputs = {made}});
    return made;
  }

  std::int32_t class_of(TensorId tensor, std::size_t dimension) const {
    return *grids_.of_dimensions[static_cast<std::size_t>(index_of(tensor))][dimension];
  }

  std::vector<std::int32_t> place_of(const Loops& loops, const PlacedPart& part) const {
    std::vector<std::int32_t> place;
    PlacesInLoops(loops, grids_, static_cast<std::size_t>(part.operation)).append(part, place);
    return place;
  }

  Loops loops(const Loops::Moved& moved) const { return {graph_, grids_, {0, 1}, moved}; }

  Graph graph_ = {};
  Grids grids_ = {};
  TensorId x_{}, w_{}, v_{}, h_{}, y_{};
};

bool is_outside(const Loops& loops, std::size_t operation, std::int32_t cut_class) {
  return !loops.of(operation).empty() && loops.of(operation)[0].cut_class == cut_class;
}

TEST_F(TwoProducts, WalkTogetherWhereThatMovesLeast) {
  for (const std::int32_t wanted : {class_of(h_, 0), class_of(h_, 1)}) {
    const Loops found = loops([&](const Loops& tried, const Operations& list) {
      return list.size() == 2 && is_outside(tried, 0, wanted) && is_outside(tried, 1, wanted) ? 1.0
                                                                                              : 2.0;
    });
    EXPECT_TRUE(is_outside(found, 0, wanted));
    EXPECT_EQ(found.of(0)[0], found.of(1)[0]) << "one loop";
  }
}

TEST_F(TwoProducts, WalkByThemselvesWhereThatMovesLeast) {
  const std::int32_t inner = class_of(h_, 1);
  const Loops found = loops([&](const Loops& tried, const Operations& list) {
    double moved = 0;
    for (const std::size_t v : list) moved += is_outside(tried, v, inner) ? 1 : 2;
    return list.size() == 2 && tried.of(0)[0] == tried.of(1)[0] ? 10.0 : moved;
  });
  EXPECT_TRUE(is_outside(found, 0, inner));
  EXPECT_TRUE(is_outside(found, 1, inner));
  EXPECT_LT(found.of(0)[0].position, found.of(1)[0].position);
}

TEST_F(TwoProducts, ShareALoopWhereItMovesNoMore) {
  const Loops found = loops([](const Loops&, const Operations&) { return 1.0; });
  EXPECT_EQ(found.of(0)[0], found.of(1)[0]);
  EXPECT_TRUE(found.of(0)[0].cut_class);
}

TEST_F(TwoProducts, PlaceAPartByTheLoopsAroundItAndThenByItsSums) {
  const std::int32_t rows = class_of(h_, 0);
  const Loops found = loops([&](const Loops& tried, const Operations& list) {
    for (const std::size_t v : list)
      if (!is_outside(tried, v, rows)) return 2.0;
    return 1.0;
  });
  const std::vector<OperationAxis>& axes = grids_.of_operations[0];
  PlacedPart part{.operation = 0, .blocks = std::vector<std::int32_t>(axes.size())};
  for (std::size_t k = 0; k < axes.size(); ++k)
    part.blocks[k] = axes[k].cut_class == rows                  ? 5
                     : axes[k].axis.kind == AxisKind::Continued ? 7
                                                                : 6;
  const std::vector<std::int32_t> place = place_of(found, part);
  ASSERT_GE(place.size(), 2U);
  EXPECT_EQ(place[1], 5);
  EXPECT_EQ(place.back(), 7);
}

TEST_F(TwoProducts, NeedNoLoopsUncut) {
  grids_ = uncut_grids(graph_);
  const Loops found = loops([](const Loops&, const Operations&) { return 1.0; });
  EXPECT_FALSE(found.of(0)[0].cut_class);
  EXPECT_NE(found.of(0)[0].position, found.of(1)[0].position);
}

}  // namespace
}  // namespace poet
