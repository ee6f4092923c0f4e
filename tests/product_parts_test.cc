// Products and convolutions in parts: the bits of the whole, for any cuts.
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
using testing::piece;
using testing::Random;
using testing::random_cases;
using testing::random_cuts;
using testing::random_floats;
using testing::Range;
using testing::with;
using testing::zeros;

// --- Matrix products

struct Product {
  MatMulAttributes attributes = {};
  TensorValue a = {};
  TensorValue b = {};
  std::vector<TensorValue> bias = {};  // or none
};

Product random_product(Random& random) {
  const std::int64_t m = draw(random, 1, 12);
  const std::int64_t n = draw(random, 1, 20);
  const std::int64_t k = draw(random, 1, 150);
  Product result;
  MatMulAttributes& attributes = result.attributes;
  attributes.transpose_a = draw(random, 0, 1) == 1;
  attributes.transpose_b = draw(random, 0, 1) == 1;
  Shape a = attributes.transpose_a ? Shape{k, m} : Shape{m, k};
  Shape b = attributes.transpose_b ? Shape{n, k} : Shape{k, n};
  const std::int64_t batch = draw(random, 0, 3);
  if (batch > 0) a.insert(a.begin(), batch);
  if (batch > 1 && draw(random, 0, 1) == 1) b.insert(b.begin(), batch);
  if (draw(random, 0, 1) == 1) attributes.alpha = 0.37F;
  if (draw(random, 0, 1) == 1) attributes.beta = -1.5F;
  result.a = random_floats(random, a, true);
  result.b = random_floats(random, b, true);
  if (draw(random, 0, 1) == 1) result.bias = {random_floats(random, {n}, true)};
  if (draw(random, 0, 3) == 0) result.bias = {random_floats(random, {m, n}, true)};
  return result;
}

// The product of pieces of a and b along one dimension of each, one part after the other.
TensorValue product_in_parts(const Product& product, std::size_t of_a, std::size_t of_b,
                             const std::vector<Range>& cuts) {
  MatMulAttributes plain = product.attributes;
  plain.alpha = 1;
  TensorValue sum;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const bool is_last = i + 1 == cuts.size();
    const MatMulAttributes& attributes = is_last ? product.attributes : plain;
    std::vector<TensorValue> inputs{piece(product.a, of_a, cuts[i]),
                                    piece(product.b, of_b, cuts[i])};
    if (i > 0) inputs.push_back(sum);
    if (is_last) inputs = with(inputs, product.bias);
    sum = made(i == 0 ? Operator::MatMul : Operator::MatMulContinued, attributes, inputs)[0];
  }
  return sum;
}

TEST(MatMulInParts, HasTheBitsOfTheWholeForAnyCutsOfTheInnerDimension) {
  Random random(1);
  for (int i = 0; i < random_cases(300); ++i) {
    const Product product = random_product(random);
    const std::size_t inner_of_a =
        product.a.type.shape.size() - (product.attributes.transpose_a ? 2 : 1);
    const std::size_t inner_of_b =
        product.b.type.shape.size() - (product.attributes.transpose_b ? 1 : 2);
    const TensorValue whole =
        made(Operator::MatMul, product.attributes, with({product.a, product.b}, product.bias))[0];
    const std::vector<Range> cuts = random_cuts(random, product.a.type.shape[inner_of_a]);
    ASSERT_EQ(difference(product_in_parts(product, inner_of_a, inner_of_b, cuts), whole), "")
        << "case " << i;
  }
}

TEST(MatMulInParts, HasTheBitsOfTheWholeForCutsOfWhatIsSummedBesides) {
  Random random(2);
  for (int i = 0; i < random_cases(200); ++i) {
    const std::int64_t batch = draw(random, 1, 5);
    const std::int64_t k = draw(random, 1, 40);
    const std::int64_t m = draw(random, 1, 9);
    const std::int64_t n = draw(random, 1, 9);
    Product product;
    product.attributes.transpose_a = true;
    product.attributes.alpha = 0.75F;
    product.attributes.sum_to = Shape();
    product.a = random_floats(random, {batch, k, m}, true);
    product.b = random_floats(random, {batch, k, n}, true);
    const TensorValue whole = made(Operator::MatMul, product.attributes, {product.a, product.b})[0];
    ASSERT_EQ(difference(product_in_parts(product, 0, 0, random_cuts(random, batch)), whole), "")
        << "case " << i;
  }
}

// --- Convolutions

struct Convolution {
  WindowAttributes window;
  Shape picture;  // (N, C, ...)
  Shape places;   // (N, M, ...)
  Shape weights;  // (M, C / groups, ...)
};

std::int64_t reach(const WindowAttributes& window, std::size_t d) {
  return window.dilation[d] * (window.kernel[d] - 1) + 1;
}

Convolution random_convolution(Random& random) {
  Convolution conv;
  WindowAttributes& window = conv.window;
  window.groups = draw(random, 0, 2) == 0 ? draw(random, 2, 3) : 1;
  const std::int64_t images = draw(random, 1, 3);
  const std::int64_t from = draw(random, 1, 6);
  const std::int64_t to = draw(random, 1, 6);
  conv.picture = {images, window.groups * from};
  conv.places = {images, window.groups * to};
  conv.weights = {window.groups * to, from};
  const std::int64_t dimensions = draw(random, 1, 8) == 8 ? 3 : draw(random, 1, 2);
  for (std::int64_t d = 0; d < dimensions; ++d) {
    window.kernel.push_back(draw(random, 1, 4));
    window.stride.push_back(draw(random, 1, 3));
    window.dilation.push_back(draw(random, 1, 2));
    window.padding_begin.push_back(draw(random, 0, 2));
    window.padding_end.push_back(draw(random, 0, 2));
    const auto last = static_cast<std::size_t>(d);
    const std::int64_t padding = window.padding_begin[last] + window.padding_end[last];
    const std::int64_t least = std::max<std::int64_t>(1, reach(window, last) - padding);
    const std::int64_t extent = least + draw(random, 0, dimensions == 3 ? 3 : 9);
    conv.picture.push_back(extent);
    conv.places.push_back((extent + padding - reach(window, last)) / window.stride[last] + 1);
    conv.weights.push_back(window.kernel[last]);
  }
  return conv;
}

// Of every group the places of `range` of its channels.
TensorValue group_piece(const TensorValue& whole, std::int64_t groups, Range range) {
  const std::int64_t channels = whole.type.shape[1] / groups;
  std::vector<TensorValue> pieces;
  for (std::int64_t g = 0; g < groups; ++g)
    pieces.push_back(piece(whole, 1, {g * channels + range.begin, g * channels + range.end}));
  return joined(pieces, 1);
}

// Of weights (M, C / groups, ...): of every group those of the places of `range` of its rows.
TensorValue group_rows(const TensorValue& weights, std::int64_t groups, Range range) {
  const std::int64_t rows = weights.type.shape[0] / groups;
  std::vector<TensorValue> pieces;
  for (std::int64_t g = 0; g < groups; ++g)
    pieces.push_back(piece(weights, 0, {g * rows + range.begin, g * rows + range.end}));
  return joined(pieces, 0);
}

// The rows of the picture that some rows of places read, or the other way round; widened at random,
// which the window then crops.
Range rows_of_picture(const Convolution& conv, Range places, Random& random) {
  const std::int64_t first = places.begin * conv.window.stride[0] - conv.window.padding_begin[0];
  const std::int64_t end = (places.end - 1) * conv.window.stride[0] - conv.window.padding_begin[0] +
                           reach(conv.window, 0);
  const std::int64_t extent = conv.picture[2];
  const std::int64_t begin = std::clamp<std::int64_t>(first - draw(random, 0, 2), 0, extent - 1);
  return {begin, std::clamp<std::int64_t>(end + draw(random, 0, 2), begin + 1, extent)};
}

Range rows_of_places(const Convolution& conv, Range picture, Random& random) {
  const std::int64_t stride = conv.window.stride[0];
  const std::int64_t padding = conv.window.padding_begin[0];
  const std::int64_t extent = conv.places[2];
  Range rows{0, extent};
  while (rows.begin < extent - 1 &&
         rows.begin * stride - padding + reach(conv.window, 0) <= picture.begin)
    ++rows.begin;
  while (rows.end > rows.begin + 1 && (rows.end - 1) * stride - padding >= picture.end) --rows.end;
  rows.begin = std::max<std::int64_t>(0, rows.begin - draw(random, 0, 1));
  rows.end = std::min(extent, rows.end + draw(random, 0, 1));
  return rows;
}

// The window of a part that is given these rows of the picture and of the places.
WindowAttributes window_of_rows(const WindowAttributes& window, Range picture, Range places) {
  WindowAttributes result = window;
  result.padding_begin[0] =
      picture.begin - (places.begin * window.stride[0] - window.padding_begin[0]);
  result.padding_end[0] = 77;  // not looked at
  return result;
}

Shape with_rows(Shape shape, Range rows) {
  shape[2] = rows.end - rows.begin;
  return shape;
}

// A convolution or the gradient of a transposed one, by channels of x within blocks of rows of y.
void expect_forward_in_parts(Random& random, const Convolution& conv, Operator whole_kind,
                             Operator part_kind) {
  const bool has_bias = whole_kind == Operator::Conv && draw(random, 0, 1) == 1;
  const std::int64_t groups = conv.window.groups;
  const TensorValue x = random_floats(random, conv.picture, true);
  const TensorValue w = random_floats(random, conv.weights, true);
  const TensorValue bias = random_floats(random, {conv.places[1]}, true);
  const std::vector<TensorType> type{{ElementType::Float32, conv.places}};
  std::vector<TensorValue> all{x, w};
  if (has_bias) all.push_back(bias);
  const TensorValue whole = made(whole_kind, conv.window, all, type)[0];
  std::vector<TensorValue> blocks;
  for (const Range rows : random_cuts(random, conv.places[2])) {
    const Range window = rows_of_picture(conv, rows, random);
    const WindowAttributes attributes = window_of_rows(conv.window, window, rows);
    TensorValue sum = zeros(with_rows(conv.places, rows));
    for (const Range channels : random_cuts(random, conv.picture[1] / groups)) {
      std::vector<TensorValue> inputs{piece(group_piece(x, groups, channels), 2, window),
                                      piece(w, 1, channels), sum};
      if (has_bias && channels.end == conv.picture[1] / groups) inputs.push_back(bias);
      sum = made(part_kind, attributes, inputs)[0];
    }
    blocks.push_back(sum);
  }
  ASSERT_EQ(difference(joined(blocks, 2), whole), "");
}

// A gradient by the input or a transposed convolution, by channels of dy within rows of dx.
void expect_backward_in_parts(Random& random, const Convolution& conv, Operator whole_kind,
                              Operator part_kind) {
  const bool has_bias = whole_kind == Operator::ConvTranspose && draw(random, 0, 1) == 1;
  const std::int64_t groups = conv.window.groups;
  const TensorValue dy = random_floats(random, conv.places, true);
  const TensorValue w = random_floats(random, conv.weights, true);
  const TensorValue bias = random_floats(random, {conv.picture[1]}, true);
  const std::vector<TensorType> type{{ElementType::Float32, conv.picture}};
  // With the padding that a transposed convolution needs for these extents.
  WindowAttributes whole_window = conv.window;
  for (std::size_t d = 0; d < whole_window.kernel.size(); ++d)
    whole_window.padding_end[d] = whole_window.stride[d] * (conv.places[d + 2] - 1) +
                                  reach(whole_window, d) - whole_window.padding_begin[d] -
                                  conv.picture[d + 2];
  if (whole_kind == Operator::ConvTranspose &&
      *std::min_element(whole_window.padding_end.begin(), whole_window.padding_end.end()) < 0)
    return;
  std::vector<TensorValue> all{dy, w};
  if (has_bias) all.push_back(bias);
  const TensorValue whole = made(whole_kind, whole_window, all, type)[0];
  std::vector<TensorValue> blocks;
  for (const Range rows : random_cuts(random, conv.picture[2])) {
    const Range places = rows_of_places(conv, rows, random);
    const WindowAttributes attributes = window_of_rows(conv.window, rows, places);
    TensorValue sum = zeros(with_rows(conv.picture, rows));
    for (const Range channels : random_cuts(random, conv.places[1] / groups)) {
      std::vector<TensorValue> inputs{piece(group_piece(dy, groups, channels), 2, places),
                                      group_rows(w, groups, channels), sum};
      if (has_bias && channels.end == conv.places[1] / groups) inputs.push_back(bias);
      sum = made(part_kind, attributes, inputs)[0];
    }
    blocks.push_back(sum);
  }
  ASSERT_EQ(difference(joined(blocks, 2), whole), "");
}

// Image after image, or of one image some rows of places after the others.
void expect_weights_in_parts(Random& random, const Convolution& conv, Operator whole_kind,
                             Operator part_kind) {
  const bool turned = whole_kind == Operator::ConvTransposeWeightGradient;
  const TensorValue x = random_floats(random, conv.picture, true);
  const TensorValue dy = random_floats(random, conv.places, true);
  const std::vector<TensorType> type{{ElementType::Float32, conv.weights}};
  const auto operands = [&](const TensorValue& picture, const TensorValue& places) {
    return turned ? std::vector{places, picture} : std::vector{picture, places};
  };
  const TensorValue whole = made(whole_kind, conv.window, operands(x, dy), type)[0];
  TensorValue sum = zeros(conv.weights);
  const bool by_rows = conv.picture.size() < 5 && draw(random, 0, 1) == 1;
  for (const Range images : random_cuts(random, conv.picture[0])) {
    if (!by_rows) {
      sum = made(part_kind, conv.window,
                 with(operands(piece(x, 0, images), piece(dy, 0, images)), {sum}))[0];
      continue;
    }
    for (std::int64_t n = images.begin; n < images.end; ++n)
      for (const Range rows : random_cuts(random, conv.places[2])) {
        const Range window = rows_of_picture(conv, rows, random);
        sum = made(part_kind, window_of_rows(conv.window, window, rows),
                   with(operands(piece(piece(x, 0, {n, n + 1}), 2, window),
                                 piece(piece(dy, 0, {n, n + 1}), 2, rows)),
                        {sum}))[0];
      }
  }
  ASSERT_EQ(difference(sum, whole), "");
}

using Expectation = void (*)(Random&, const Convolution&, Operator, Operator);

void expect_for_random_cases(std::uint64_t seed, Expectation expectation, Operator whole,
                             Operator part) {
  Random random(seed);
  for (int i = 0; i < random_cases(300); ++i) {
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(expectation(random, random_convolution(random), whole, part));
  }
}

TEST(ConvInParts, HasTheBitsOfTheWhole) {
  expect_for_random_cases(3, expect_forward_in_parts, Operator::Conv, Operator::ConvContinued);
}

TEST(ConvInParts, HasTheBitsOfTheWholeGradientByTheInput) {
  expect_for_random_cases(4, expect_backward_in_parts, Operator::ConvInputGradient,
                          Operator::ConvInputGradientContinued);
}

TEST(ConvInParts, HasTheBitsOfTheWholeGradientByTheWeights) {
  expect_for_random_cases(5, expect_weights_in_parts, Operator::ConvWeightGradient,
                          Operator::ConvWeightGradientContinued);
}

TEST(ConvTransposeInParts, HasTheBitsOfTheWhole) {
  expect_for_random_cases(6, expect_backward_in_parts, Operator::ConvTranspose,
                          Operator::ConvTransposeContinued);
}

TEST(ConvTransposeInParts, HasTheBitsOfTheWholeGradientByTheInput) {
  expect_for_random_cases(7, expect_forward_in_parts, Operator::ConvTransposeInputGradient,
                          Operator::ConvTransposeInputGradientContinued);
}

TEST(ConvTransposeInParts, HasTheBitsOfTheWholeGradientByTheWeights) {
  expect_for_random_cases(8, expect_weights_in_parts, Operator::ConvTransposeWeightGradient,
                          Operator::ConvTransposeWeightGradientContinued);
}

// What comes first may be the operation itself, of the first channels.
TEST(ConvInParts, GoesOnFromAPlainConvolution) {
  Random random(9);
  for (int i = 0; i < random_cases(100); ++i) {
    Convolution conv = random_convolution(random);
    if (conv.window.groups > 1) continue;
    const TensorValue x = random_floats(random, conv.picture, true);
    const TensorValue w = random_floats(random, conv.weights, true);
    const std::vector<Range> cuts = random_cuts(random, conv.picture[1]);
    TensorValue sum =
        made(Operator::Conv, conv.window, {piece(x, 1, cuts[0]), piece(w, 1, cuts[0])})[0];
    for (std::size_t k = 1; k < cuts.size(); ++k)
      sum = made(Operator::ConvContinued, conv.window,
                 {piece(x, 1, cuts[k]), piece(w, 1, cuts[k]), sum})[0];
    ASSERT_EQ(difference(sum, made(Operator::Conv, conv.window, {x, w})[0]), "") << "case " << i;
  }
}

TEST(ConvInParts, HasTheBitsOfTheWholeGradientByTheBias) {
  Random random(10);
  for (int i = 0; i < random_cases(100); ++i) {
    const Convolution conv = random_convolution(random);
    const TensorValue dy = random_floats(random, conv.places, true);
    const std::vector<TensorType> type{{ElementType::Float32, {conv.places[1]}}};
    const std::vector<Range> cuts = random_cuts(random, conv.places[0]);
    TensorValue sum =
        made(Operator::ConvBiasGradient, conv.window, {piece(dy, 0, cuts[0])}, type)[0];
    for (std::size_t k = 1; k < cuts.size(); ++k)
      sum = made(Operator::ConvBiasGradientContinued, conv.window, {piece(dy, 0, cuts[k]), sum})[0];
    ASSERT_EQ(difference(sum, made(Operator::ConvBiasGradient, conv.window, {dy}, type)[0]), "")
        << "case " << i;
  }
}

}  // namespace
}  // namespace poet
