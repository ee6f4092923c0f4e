// Norms in parts: the bits of the whole, for any cuts.
#include <gtest/gtest.h>

#include <algorithm>

#include "poet/graph/operator.h"
#include "support/random_cases.h"
#include "support/tensor_pieces.h"

namespace poet {
namespace {

using testing::difference;
using testing::draw;
using testing::joined;
using testing::made;
using testing::one;
using testing::piece;
using testing::Random;
using testing::random_cases;
using testing::random_cuts;
using testing::random_floats;
using testing::Range;
using testing::with;

using Values = std::vector<TensorValue>;

// --- Layer norm: columns [begin, end) of x (rows, columns...)

struct LayerCase {
  NormAttributes norm;
  TensorValue x;
  TensorValue dy;
  Values scale;  // or none
  Values bias;
};

LayerCase random_layer(Random& random, bool extremes) {
  LayerCase result;
  const std::int64_t longest = draw(random, 0, 2) == 0 ? 700 : 60;
  result.norm.axis = draw(random, 0, 2);
  result.norm.epsilon = 1e-3F;
  Shape shape;
  for (std::int64_t d = 0; d < result.norm.axis; ++d) shape.push_back(draw(random, 1, 4));
  const Shape features{draw(random, 1, longest)};
  shape.push_back(features[0]);
  result.x = random_floats(random, shape, extremes);
  result.dy = random_floats(random, shape, extremes);
  if (draw(random, 0, 2) == 0) return result;
  result.scale = {random_floats(random, features, extremes)};
  result.bias = {random_floats(random, features, extremes)};
  return result;
}

std::size_t columns_of(const LayerCase& layer) {
  return static_cast<std::size_t>(layer.norm.axis);
}

RowPartAttributes part_of(const LayerCase& layer, Range columns) {
  return {.axis = layer.norm.axis,
          .begin = columns.begin,
          .extent = layer.x.type.shape[columns_of(layer)],
          .continues = columns.begin > 0,
          .epsilon = layer.norm.epsilon};
}

Values pieces(const Values& values, Range range) {
  Values result;
  for (const TensorValue& value : values) result.push_back(piece(value, 0, range));
  return result;
}

// x's columns, one part after the other: what `sum` makes of each, with the state before it.
template <typename Sum>
TensorValue state_of_columns(Random& random, const LayerCase& layer, const Sum& sum) {
  TensorValue state;
  for (const Range columns : random_cuts(random, layer.x.type.shape[columns_of(layer)])) {
    const Values before = columns.begin > 0 ? Values{state} : Values{};
    state = sum(columns, before);
  }
  return state;
}

struct Statistics {
  TensorValue mean;
  TensorValue inverse_std;
};

Statistics statistics_in_parts(Random& random, const LayerCase& layer) {
  const std::size_t d = columns_of(layer);
  const TensorValue sum = state_of_columns(random, layer, [&](Range at, const Values& before) {
    return one(Operator::RowSumPart, part_of(layer, at), with({piece(layer.x, d, at)}, before));
  });
  const RowPartAttributes whole = part_of(layer, {});
  const TensorValue mean = one(Operator::RowMean, whole, {sum});
  const TensorValue spread = state_of_columns(random, layer, [&](Range at, const Values& before) {
    return one(Operator::RowSpreadPart, part_of(layer, at),
               with({piece(layer.x, d, at), mean}, before));
  });
  return {mean, one(Operator::RowInverseStd, whole, {spread})};
}

TEST(LayerNormInParts, HasTheBitsOfTheWholeForAnyCutsOfTheFeatures) {
  Random random(1);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(i);
    const LayerCase layer = random_layer(random, i % 5 == 0);
    const Values whole =
        made(Operator::LayerNorm, layer.norm, with(with({layer.x}, layer.scale), layer.bias));
    const auto [mean, inverse_std] = statistics_in_parts(random, layer);
    ASSERT_EQ(difference(mean, whole[1]), "");
    ASSERT_EQ(difference(inverse_std, whole[2]), "");
    const std::size_t d = columns_of(layer);
    Values blocks;
    for (const Range at : random_cuts(random, layer.x.type.shape[d]))
      blocks.push_back(
          one(Operator::LayerNormApply, part_of(layer, at),
              with(with({piece(layer.x, d, at), mean, inverse_std}, pieces(layer.scale, at)),
                   pieces(layer.bias, at))));
    ASSERT_EQ(difference(joined(blocks, d), whole[0]), "");
  }
}

// The types of the gradients by x, and by scale and bias where there are some.
std::vector<TensorType> gradient_types(const LayerCase& layer) {
  std::vector<TensorType> types{layer.x.type};
  for (const TensorValue& scale : layer.scale) types.insert(types.end(), 2, scale.type);
  return types;
}

Values whole_gradient(const LayerCase& layer, const Values& statistics) {
  return made(Operator::LayerNormGradient, layer.norm,
              with({layer.x, statistics[1], statistics[2], layer.dy}, layer.scale),
              gradient_types(layer));
}

TEST(LayerNormInParts, HasTheBitsOfTheWholeGradientForAnyCutsOfTheFeatures) {
  Random random(2);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(i);
    const LayerCase layer = random_layer(random, i % 5 == 0);
    const Values statistics = made(Operator::LayerNorm, layer.norm, {layer.x});
    const TensorValue& mean = statistics[1];
    const TensorValue& inverse_std = statistics[2];
    const Values whole = whole_gradient(layer, statistics);
    const std::size_t d = columns_of(layer);
    const bool scaled = !layer.scale.empty();
    const TensorValue states = state_of_columns(random, layer, [&](Range at, const Values& before) {
      const Values inputs =
          with({piece(layer.x, d, at), mean, piece(layer.dy, d, at)}, pieces(layer.scale, at));
      return one(scaled ? Operator::LayerNormGradientSumsPart : Operator::RowGradientSumsPart,
                 part_of(layer, at), with(inputs, before));
    });
    const Values factors =
        made(Operator::LayerNormGradientFactors, part_of(layer, {}), {states, inverse_std});
    Values blocks;
    for (const Range at : random_cuts(random, layer.x.type.shape[d]))
      blocks.push_back(one(Operator::LayerNormGradientApply, part_of(layer, at),
                           with({piece(layer.x, d, at), mean, inverse_std, piece(layer.dy, d, at),
                                 factors[0], factors[1]},
                                pieces(layer.scale, at))));
    ASSERT_EQ(difference(joined(blocks, d), whole[0]), "");
  }
}

TEST(LayerNormInParts, HasTheBitsOfTheWholeGradientsByScaleAndBiasForTilesOfRowsAndColumns) {
  Random random(3);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(i);
    const LayerCase layer = random_layer(random, i % 5 == 0);
    if (layer.norm.axis == 0 || layer.scale.empty()) continue;
    const Values statistics = made(Operator::LayerNorm, layer.norm, {layer.x});
    const Values whole = whole_gradient(layer, statistics);
    const std::size_t d = columns_of(layer);
    Values dscale;
    Values dbias;
    for (const Range at : random_cuts(random, layer.x.type.shape[d])) {
      Values sums;
      for (const Range rows : random_cuts(random, layer.x.type.shape[0])) {
        RowPartAttributes part = part_of(layer, at);
        part.continues = rows.begin > 0;
        sums = made(Operator::LayerNormScaleGradient, part,
                    with({piece(piece(layer.x, d, at), 0, rows), piece(statistics[1], 0, rows),
                          piece(statistics[2], 0, rows), piece(piece(layer.dy, d, at), 0, rows)},
                         sums));
      }
      dscale.push_back(sums[0]);
      dbias.push_back(sums[1]);
    }
    ASSERT_EQ(difference(joined(dscale, 0), whole[1]), "");
    ASSERT_EQ(difference(joined(dbias, 0), whole[2]), "");
  }
}

TEST(LayerNormInParts, HasTheBitsOfTheWholeGradientForAnyCutsOfTheRows) {
  Random random(4);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(i);
    const LayerCase layer = random_layer(random, i % 5 == 0);
    if (layer.norm.axis == 0 || layer.scale.empty()) continue;
    const Values statistics = made(Operator::LayerNorm, layer.norm, {layer.x});
    Values blocks;
    Values sums;
    for (const Range rows : random_cuts(random, layer.x.type.shape[0])) {
      const Values inputs{piece(layer.x, 0, rows), piece(statistics[1], 0, rows),
                          piece(statistics[2], 0, rows), piece(layer.dy, 0, rows), layer.scale[0]};
      const Values results =
          rows.begin == 0
              ? made(Operator::LayerNormGradient, layer.norm, inputs,
                     {inputs[0].type, layer.scale[0].type, layer.scale[0].type})
              : made(Operator::LayerNormGradientContinued, layer.norm, with(inputs, sums));
      blocks.push_back(results[0]);
      sums = {results[1], results[2]};
    }
    const Values whole = whole_gradient(layer, statistics);
    ASSERT_EQ(difference(joined(blocks, 0), whole[0]), "");
    ASSERT_EQ(difference(sums[0], whole[1]), "");
    ASSERT_EQ(difference(sums[1], whole[2]), "");
  }
}

// --- Batch norm: images, and rows of pictures within an image

struct BatchCase {
  NormAttributes norm;
  TensorValue x;  // (N, C, H, W)
  TensorValue dy;
  TensorValue scale;
  TensorValue bias;
};

BatchCase random_batch(Random& random, bool extremes) {
  const std::int64_t largest = draw(random, 0, 2) == 0 ? 40 : 9;
  const Shape shape{draw(random, 1, 4), draw(random, 1, 5), draw(random, 1, largest),
                    draw(random, 1, largest)};
  return {{.epsilon = 1e-3F},
          random_floats(random, shape, extremes),
          random_floats(random, shape, extremes),
          random_floats(random, {shape[1]}, extremes),
          random_floats(random, {shape[1]}, extremes)};
}

// Some images, whole or some rows of one of them.
struct Place {
  Range images;
  Range rows;
};

std::vector<Place> random_places(Random& random, const Shape& x) {
  std::vector<Place> places;
  for (const Range images : random_cuts(random, x[0])) {
    if (draw(random, 0, 1) == 0) {
      places.push_back({images, {0, x[2]}});
      continue;
    }
    for (std::int64_t n = images.begin; n < images.end; ++n)
      for (const Range rows : random_cuts(random, x[2])) places.push_back({{n, n + 1}, rows});
  }
  return places;
}

TensorValue at(const TensorValue& whole, const Place& place) {
  return piece(piece(whole, 0, place.images), 2, place.rows);
}

RowPartAttributes part_of(const BatchCase& batch, const Place& place) {
  const Shape& x = batch.x.type.shape;
  return {.by_channel = true,
          .begin = place.rows.begin * x[3],
          .extent = x[2] * x[3],
          .images = x[0],
          .continues = place.images.begin > 0 || place.rows.begin > 0,
          .epsilon = batch.norm.epsilon};
}

template <typename Sum>
TensorValue state_of_places(Random& random, const BatchCase& batch, const Sum& sum) {
  Values state;
  for (const Place& place : random_places(random, batch.x.type.shape)) state = {sum(place, state)};
  return state[0];
}

// What `apply` makes of every place, put together.
template <typename Apply>
TensorValue of_places(Random& random, const BatchCase& batch, const Apply& apply) {
  Values images;
  Values rows;
  for (const Place& place : random_places(random, batch.x.type.shape)) {
    rows.push_back(apply(place));
    if (place.rows.end < batch.x.type.shape[2]) continue;
    images.push_back(joined(rows, 2));
    rows.clear();
  }
  return joined(images, 0);
}

TEST(BatchNormInParts, HasTheBitsOfTheWholeForAnyCutsOfImagesAndRows) {
  Random random(5);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(i);
    const BatchCase batch = random_batch(random, i % 5 == 0);
    const Values whole = made(Operator::BatchNorm, batch.norm, {batch.x, batch.scale, batch.bias});
    const RowPartAttributes all = part_of(batch, {});
    const TensorValue sum = state_of_places(random, batch, [&](const Place& p, const Values& s) {
      return one(Operator::RowSumPart, part_of(batch, p), with({at(batch.x, p)}, s));
    });
    const TensorValue mean = one(Operator::RowMean, all, {sum});
    ASSERT_EQ(difference(mean, whole[1]), "");
    const TensorValue spread = state_of_places(random, batch, [&](const Place& p, const Values& s) {
      return one(Operator::RowSpreadPart, part_of(batch, p), with({at(batch.x, p), mean}, s));
    });
    const TensorValue inverse_std = one(Operator::RowInverseStd, all, {spread});
    ASSERT_EQ(difference(inverse_std, whole[2]), "");
    const TensorValue y = of_places(random, batch, [&](const Place& p) {
      return one(Operator::BatchNormApply, part_of(batch, p),
                 {at(batch.x, p), mean, inverse_std, batch.scale, batch.bias});
    });
    ASSERT_EQ(difference(y, whole[0]), "");
  }
}

TEST(BatchNormInParts, HasTheBitsOfTheWholeGradientForAnyCutsOfImagesAndRows) {
  Random random(6);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(i);
    const BatchCase batch = random_batch(random, i % 5 == 0);
    const Values statistics =
        made(Operator::BatchNorm, batch.norm, {batch.x, batch.scale, batch.bias});
    const TensorValue& mean = statistics[1];
    const TensorValue& inverse_std = statistics[2];
    const Values whole = made(Operator::BatchNormGradient, batch.norm,
                              {batch.x, mean, inverse_std, batch.dy, batch.scale},
                              {batch.x.type, batch.scale.type, batch.bias.type});
    const TensorValue states = state_of_places(random, batch, [&](const Place& p, const Values& s) {
      return one(Operator::RowGradientSumsPart, part_of(batch, p),
                 with({at(batch.x, p), mean, at(batch.dy, p)}, s));
    });
    const Values factors =
        made(Operator::BatchNormGradientFactors, part_of(batch, {}), {states, inverse_std});
    ASSERT_EQ(difference(factors[0], whole[1]), "");
    ASSERT_EQ(difference(factors[1], whole[2]), "");
    const TensorValue dx = of_places(random, batch, [&](const Place& p) {
      return one(Operator::BatchNormGradientApply, part_of(batch, p),
                 {at(batch.x, p), mean, inverse_std, at(batch.dy, p), batch.scale, factors[0],
                  factors[1]});
    });
    ASSERT_EQ(difference(dx, whole[0]), "");
  }
}

// The gradient by the bias of a convolution is such a sum, too.
TEST(RowSumInParts, HasTheBitsOfTheGradientByTheBiasOfAConvolution) {
  Random random(7);
  for (int i = 0; i < random_cases(100); ++i) {
    SCOPED_TRACE(i);
    const BatchCase batch = random_batch(random, true);
    const TensorValue whole =
        made(Operator::ConvBiasGradient, WindowAttributes{}, {batch.dy}, {batch.bias.type})[0];
    const TensorValue sum = state_of_places(random, batch, [&](const Place& p, const Values& s) {
      return one(Operator::RowSumPart, part_of(batch, p), with({at(batch.dy, p)}, s));
    });
    ASSERT_EQ(difference(one(Operator::RowTotal, part_of(batch, {}), {sum}), whole), "");
  }
}

}  // namespace
}  // namespace poet
