#include "poet/model/constant_folding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace poet {
namespace {

using Wholes = std::vector<std::int64_t>;
using Floats = std::vector<float>;

KnownArray wholes(const Shape& shape, const Wholes& values,
                  ElementType element = ElementType::Int64) {
  return {{element, shape}, values};
}

KnownArray floats(const Shape& shape, const Floats& values) {
  return {{ElementType::Float32, shape}, values};
}

TEST(ConstantFolding, ConvertsConstantsToArraysAndBack) {
  for (const KnownArray& array :
       {wholes({2}, {-1, 1LL << 40}), wholes({2}, {-1, 7}, ElementType::Int32),
        wholes({2}, {0, 255}, ElementType::Uint8), wholes({}, {1}, ElementType::Bool),
        floats({1, 2}, {0.5F, -2}), wholes({0}, {})})
    EXPECT_EQ(array_of(constant_of(array)), array);
  EXPECT_EQ(array_of({{ElementType::Int64, {3}}, FilledWith{4}}), whole_array({4, 4, 4}));
}

TEST(ConstantFolding, CalculatesWithBroadcastShapes) {
  EXPECT_EQ(*fold_pair(PairFold::Add, wholes({2, 1}, {10, 20}), wholes({3}, {1, 2, 3})),
            wholes({2, 3}, {11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(*fold_pair(PairFold::Mul, floats({}, {0.5F}), floats({2}, {3, 4})),
            floats({2}, {1.5F, 2}));
  EXPECT_EQ(*fold_pair(PairFold::Sub, whole_array({}), whole_scalar(1)), whole_array({}));
}

TEST(ConstantFolding, DividesAsOnnxSays) {
  const KnownArray a = whole_array({7, -7, 7, -7});
  const KnownArray b = whole_array({2, 2, -2, -2});
  EXPECT_EQ(*fold_pair(PairFold::Div, a, b), whole_array({3, -3, -3, 3}));
  EXPECT_EQ(*fold_pair(PairFold::Mod, a, b), whole_array({1, 1, -1, -1}));
}

TEST(ConstantFolding, ComparesToTruthValues) {
  const KnownArray a = whole_array({1, 2, 3});
  const KnownArray two = whole_scalar(2);
  const auto truths = [](const Wholes& values) { return wholes({3}, values, ElementType::Bool); };
  EXPECT_EQ(*fold_pair(PairFold::Equal, a, two), truths({0, 1, 0}));
  EXPECT_EQ(*fold_pair(PairFold::Less, a, two), truths({1, 0, 0}));
  EXPECT_EQ(*fold_pair(PairFold::LessOrEqual, a, two), truths({1, 1, 0}));
  EXPECT_EQ(*fold_pair(PairFold::Greater, a, two), truths({0, 0, 1}));
  EXPECT_EQ(*fold_pair(PairFold::GreaterOrEqual, a, two), truths({0, 1, 1}));
}

TEST(ConstantFolding, RefusesWhatHasNoValue) {
  const std::string no_value = "calculates a shape that divides by 0 or does not fit in 64 bits";
  const KnownArray least = whole_scalar(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(fold_pair(PairFold::Div, whole_scalar(1), whole_scalar(0)).error().message, no_value);
  EXPECT_EQ(fold_pair(PairFold::Mod, whole_scalar(1), whole_scalar(0)).error().message, no_value);
  EXPECT_EQ(fold_pair(PairFold::Div, least, whole_scalar(-1)).error().message, no_value);
  EXPECT_EQ(fold_pair(PairFold::Sub, least, whole_scalar(1)).error().message, no_value);
  EXPECT_EQ(fold_pair(PairFold::Add, whole_array({1, 2}), whole_array({1, 2, 3})).error().message,
            "the shapes (2) and (3) do not go together");
  EXPECT_EQ(fold_pair(PairFold::Add, whole_scalar(1), floats({}, {1})).error().message,
            "calculates with int64 () and float32 (): the element types differ");
}

TEST(ConstantFolding, WrapsSmallWholeNumbers) {
  EXPECT_EQ(*fold_pair(PairFold::Add, wholes({}, {200}, ElementType::Uint8),
                       wholes({}, {100}, ElementType::Uint8)),
            wholes({}, {44}, ElementType::Uint8));
  EXPECT_EQ(*fold_unary(UnaryFold::Neg, wholes({}, {1}, ElementType::Uint8)),
            wholes({}, {255}, ElementType::Uint8));
}

TEST(ConstantFolding, CastsAndSaturates) {
  EXPECT_EQ(fold_cast(floats({3}, {-1.7F, 1e30F, std::nanf("")}), ElementType::Int64),
            whole_array({-1, std::numeric_limits<std::int64_t>::max(), 0}));
  EXPECT_EQ(fold_cast(floats({3}, {3e9F, -3e9F, -1.5F}), ElementType::Int32),
            wholes({3}, {2147483647, -2147483648, -1}, ElementType::Int32));
  EXPECT_EQ(fold_cast(floats({3}, {300, -5, 255.9F}), ElementType::Uint8),
            wholes({3}, {255, 0, 255}, ElementType::Uint8));
  EXPECT_EQ(fold_cast(whole_array({1LL << 40, -(1LL << 40), 7}), ElementType::Int32),
            wholes({3}, {2147483647, -2147483648, 7}, ElementType::Int32));
  EXPECT_EQ(fold_cast(floats({2}, {0.5F, 0}), ElementType::Bool),
            wholes({2}, {1, 0}, ElementType::Bool));
  EXPECT_EQ(fold_cast(whole_array({3}), ElementType::Float32), floats({1}, {3}));
}

TEST(ConstantFolding, ChoosesByACondition) {
  EXPECT_EQ(
      *fold_where(wholes({2, 1}, {1, 0}, ElementType::Bool), whole_scalar(-1), whole_array({3, 4})),
      wholes({2, 2}, {-1, -1, 3, 4}));
}

TEST(ConstantFolding, Reduces) {
  const KnownArray x = wholes({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(*fold_reduce(ReduceFold::Sum, x, {0}), whole_array({5, 7, 9}));
  EXPECT_EQ(*fold_reduce(ReduceFold::Product, x, {0, 1}), whole_scalar(720));
  EXPECT_EQ(*fold_reduce(ReduceFold::Max, x, {1}), whole_array({3, 6}));
  EXPECT_EQ(*fold_reduce(ReduceFold::Min, x, {}), x);
  EXPECT_EQ(*fold_reduce(ReduceFold::Product, whole_array({}), {0}), whole_scalar(1));
  EXPECT_EQ(fold_reduce(ReduceFold::Max, whole_array({}), {0}).error().message,
            "reduces no values, or to more than 64 bits");
}

TEST(ConstantFolding, Counts) {
  EXPECT_EQ(*fold_range(whole_scalar(5), whole_scalar(0), whole_scalar(-2)),
            whole_array({5, 3, 1}));
  EXPECT_EQ(*fold_range(floats({}, {0}), floats({}, {1}), floats({}, {0.4F})),
            floats({3}, {0, 0.4F, 0.8F}));
  EXPECT_EQ(*fold_range(whole_scalar(1), whole_scalar(1), whole_scalar(1)), whole_array({}));
  EXPECT_EQ(fold_range(whole_scalar(0), whole_scalar(1), whole_scalar(0)).error().message,
            "counts in steps of 0");
  EXPECT_EQ(fold_range(whole_scalar(0), whole_scalar(1LL << 60), whole_scalar(1)).error().message,
            "makes more than 2097152 values before the network runs");
}

TEST(ConstantFolding, MovesValues) {
  const KnownArray x = wholes({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(fold_transpose(x, {1, 0}), wholes({3, 2}, {1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(*fold_expand(whole_array({1, 2}), {2, 2}), wholes({2, 2}, {1, 2, 1, 2}));
  EXPECT_EQ(*fold_gather(x, whole_array({-1, 0}), 1), wholes({2, 2}, {3, 1, 6, 4}));
  EXPECT_EQ(*fold_gather(x, whole_scalar(1), 0), whole_array({4, 5, 6}));
  EXPECT_EQ(fold_gather(x, whole_scalar(2), 0).error().message, "picks value 2 of 2");
  EXPECT_EQ(*fold_concat({x, wholes({2, 1}, {7, 8})}, 1), wholes({2, 4}, {1, 2, 3, 7, 4, 5, 6, 8}));
  EXPECT_EQ(fold_concat({x, whole_array({1})}, 1).error().message,
            "cannot put int64 (1) beside int64 (2, 3)");
  EXPECT_EQ(fold_slice(x, {1, 2}, {1, -2}, {1, 2}), wholes({1, 2}, {6, 4}));
}

}  // namespace
}  // namespace poet
