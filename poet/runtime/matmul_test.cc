#include "poet/runtime/matmul.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

using Values = std::vector<float>;

std::int64_t volume(std::int32_t rank, const std::int32_t* extents) {
  std::int64_t count = 1;
  for (std::int32_t d = 0; d < rank; ++d) count *= extents[d];
  return count;
}

std::int64_t place(std::int64_t index, std::int32_t rank, const std::int32_t* extents,
                   const std::int32_t* strides) {
  std::int64_t offset = 0;
  for (std::int32_t d = rank; d-- > 0; index /= extents[d])
    offset += index % extents[d] * strides[d];
  return offset;
}

// The formula of the header in its order: in float to the bit, in double for accuracy.
template <class Real>
std::vector<Real> naive(const poet_matmul_shape& s, const std::vector<Real>& a,
                        const std::vector<Real>& b, const std::vector<Real>& bias) {
  const std::int64_t matrices = volume(s.batch_rank, s.batch_extents);
  std::vector<Real> y(matrices * s.rows * s.columns);
  for (std::int64_t i = 0; i < matrices; ++i) {
    for (std::int32_t m = 0; m < s.rows; ++m) {
      for (std::int32_t n = 0; n < s.columns; ++n) {
        Real sum = 0;
        for (std::int64_t r = 0; r < volume(s.sum_rank, s.sum_extents); ++r) {
          for (std::int32_t k = 0; k < s.inner; ++k) {
            const Real product = a[place(i, s.batch_rank, s.batch_extents, s.a_batch_strides) +
                                   place(r, s.sum_rank, s.sum_extents, s.a_sum_strides) +
                                   m * s.a_row_stride + k * s.a_inner_stride] *
                                 b[place(i, s.batch_rank, s.batch_extents, s.b_batch_strides) +
                                   place(r, s.sum_rank, s.sum_extents, s.b_sum_strides) +
                                   k * s.b_inner_stride + n * s.b_column_stride];
            sum += product;
          }
        }
        sum *= static_cast<Real>(s.alpha);
        if (!bias.empty()) {
          const Real added =
              static_cast<Real>(s.beta) * bias[m * s.bias_row_stride + n * s.bias_column_stride];
          sum += added;
        }
        y[place(i, s.batch_rank, s.batch_extents, s.y_batch_strides) + m * s.columns + n] = sum;
      }
    }
  }
  return y;
}

Values run(const poet_matmul_shape& shape, const Values& a, const Values& b, const Values& bias) {
  Values y(volume(shape.batch_rank, shape.batch_extents) * shape.rows * shape.columns, 99);
  poet_matmul_forward_f32(&shape, a.data(), b.data(), bias.empty() ? nullptr : bias.data(),
                          y.data());
  return y;
}

enum class Storage { ByRows, ByColumns };

poet_matmul_shape plain(std::int32_t rows, std::int32_t columns, std::int32_t inner, Storage a,
                        Storage b) {
  poet_matmul_shape shape = {};
  shape.rows = rows;
  shape.columns = columns;
  shape.inner = inner;
  shape.a_row_stride = a == Storage::ByRows ? inner : 1;
  shape.a_inner_stride = a == Storage::ByRows ? 1 : rows;
  shape.b_inner_stride = b == Storage::ByRows ? columns : 1;
  shape.b_column_stride = b == Storage::ByRows ? 1 : inner;
  shape.alpha = 1;
  return shape;
}

constexpr std::int32_t kSizes[][3] = {{1, 1, 1}, {1, 17, 70},  {17, 1, 70}, {7, 8, 64},
                                      {5, 3, 9}, {13, 20, 65}, {3, 5, 129}, {2, 2, 0}};

TEST(Matmul, FollowsItsOrderToTheBitInEveryTransposition) {
  for (const auto& [rows, columns, inner] : kSizes) {
    const Values a = arbitrary_values(static_cast<std::size_t>(rows) * inner, 1);
    const Values b = arbitrary_values(static_cast<std::size_t>(inner) * columns, 2);
    for (const Storage a_storage : {Storage::ByRows, Storage::ByColumns}) {
      for (const Storage b_storage : {Storage::ByRows, Storage::ByColumns}) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " x " +
                     std::to_string(inner));
        const poet_matmul_shape shape = plain(rows, columns, inner, a_storage, b_storage);
        EXPECT_EQ(run(shape, a, b, {}), naive<float>(shape, a, b, {}));
      }
    }
  }
}

TEST(Matmul, FollowsItsOrderToTheBitWhateverItsSize) {
  std::mt19937 draws(21);
  for (int round = 0; round < testing::random_cases(400); ++round) {
    const auto rows = static_cast<std::int32_t>(1 + draws() % 40);
    const auto columns = static_cast<std::int32_t>(1 + draws() % 40);
    const auto inner = static_cast<std::int32_t>(draws() % 150);
    SCOPED_TRACE(::testing::Message() << rows << " x " << columns << " x " << inner);
    const poet_matmul_shape shape =
        plain(rows, columns, inner, draws() % 2 ? Storage::ByRows : Storage::ByColumns,
              draws() % 2 ? Storage::ByRows : Storage::ByColumns);
    const Values a = arbitrary_values(static_cast<std::size_t>(rows) * inner, 1);
    const Values b = arbitrary_values(static_cast<std::size_t>(inner) * columns, 2);
    ASSERT_EQ(run(shape, a, b, {}), naive<float>(shape, a, b, {}));
  }
}

TEST(Matmul, ScalesAndAddsABiasOfAnyStrides) {
  poet_matmul_shape shape = plain(5, 9, 12, Storage::ByRows, Storage::ByRows);
  shape.alpha = 0.3F;
  shape.beta = -1.7F;
  const Values a = arbitrary_values(60, 1);
  const Values b = arbitrary_values(108, 2);
  const Values bias = arbitrary_values(45, 3);
  const std::int32_t strides[][2] = {{0, 0}, {0, 1}, {1, 0}, {9, 1}, {1, 5}};
  for (const auto& [row, column] : strides) {
    shape.bias_row_stride = row;
    shape.bias_column_stride = column;
    EXPECT_EQ(run(shape, a, b, bias), naive<float>(shape, a, b, bias)) << row << " " << column;
  }
}

// a (2, 1, 3, 4) times b (5, 4, 6) is y (2, 5, 3, 6).
poet_matmul_shape broadcast() {
  poet_matmul_shape shape = plain(3, 6, 4, Storage::ByRows, Storage::ByRows);
  shape.batch_rank = 2;
  shape.batch_extents[0] = 2;
  shape.batch_extents[1] = 5;
  shape.a_batch_strides[0] = 12;
  shape.b_batch_strides[1] = 24;
  shape.y_batch_strides[0] = 90;
  shape.y_batch_strides[1] = 18;
  return shape;
}

// da (2, 1, 3, 4) = sum over 5 of dy (2, 5, 3, 6) times b^T.
poet_matmul_shape broadcast_gradient_by_a() {
  poet_matmul_shape shape = plain(3, 4, 6, Storage::ByRows, Storage::ByColumns);
  shape.batch_rank = 1;
  shape.batch_extents[0] = 2;
  shape.a_batch_strides[0] = 90;
  shape.y_batch_strides[0] = 12;
  shape.sum_rank = 1;
  shape.sum_extents[0] = 5;
  shape.a_sum_strides[0] = 18;
  shape.b_sum_strides[0] = 24;
  return shape;
}

// db (5, 4, 6) = sum over 2 of a^T times dy.
poet_matmul_shape broadcast_gradient_by_b() {
  poet_matmul_shape shape = plain(4, 6, 3, Storage::ByColumns, Storage::ByRows);
  shape.batch_rank = 1;
  shape.batch_extents[0] = 5;
  shape.b_batch_strides[0] = 18;
  shape.y_batch_strides[0] = 24;
  shape.sum_rank = 1;
  shape.sum_extents[0] = 2;
  shape.a_sum_strides[0] = 12;
  shape.b_sum_strides[0] = 90;
  return shape;
}

TEST(Matmul, BroadcastsOverBatchesAndSumsInTheirGradients) {
  const Values a = arbitrary_values(24, 1);
  const Values b = arbitrary_values(120, 2);
  const Values dy = arbitrary_values(180, 3);
  const poet_matmul_shape shape = broadcast();
  EXPECT_EQ(run(shape, a, b, {}), naive<float>(shape, a, b, {}));

  const auto by_a = [&](const Doubles& x) { return naive<double>(shape, x, as_doubles(b), {}); };
  const auto by_b = [&](const Doubles& x) { return naive<double>(shape, as_doubles(a), x, {}); };
  EXPECT_LT(
      relative_error(run(broadcast_gradient_by_a(), dy, b, {}), numeric_gradient(by_a, a, dy)),
      1e-6);
  EXPECT_LT(
      relative_error(run(broadcast_gradient_by_b(), a, dy, {}), numeric_gradient(by_b, b, dy)),
      1e-6);
}

TEST(Matmul, FollowsItsOrderWithSixBatchAndSixSummedDimensions) {
  poet_matmul_shape shape = plain(2, 9, 3, Storage::ByRows, Storage::ByRows);
  shape.batch_rank = POET_MATMUL_DIMS;
  shape.sum_rank = POET_MATMUL_DIMS;
  const std::int32_t extents[] = {1, 2, 1, 3, 2, 1};
  const std::int32_t y_strides[] = {216, 108, 108, 36, 18, 18};
  for (std::int32_t d = 0; d < POET_MATMUL_DIMS; ++d) {
    shape.batch_extents[d] = extents[d];
    shape.a_batch_strides[d] = d;
    shape.b_batch_strides[d] = 2 * d;
    shape.y_batch_strides[d] = y_strides[d];
    shape.sum_extents[d] = extents[5 - d];
    shape.a_sum_strides[d] = 1;
    shape.b_sum_strides[d] = 5 - d;
  }
  const Values a = arbitrary_values(100, 1);
  const Values b = arbitrary_values(100, 2);
  EXPECT_EQ(run(shape, a, b, {}), naive<float>(shape, a, b, {}));
}

TEST(Matmul, WritesMatricesWhereTheirStridesSay) {
  poet_matmul_shape shape = plain(2, 3, 4, Storage::ByRows, Storage::ByRows);
  shape.batch_rank = 1;
  shape.batch_extents[0] = 2;
  shape.a_batch_strides[0] = 8;
  shape.y_batch_strides[0] = -6;
  const Values a = arbitrary_values(16, 1);
  const Values b = arbitrary_values(12, 2);
  Values turned(12, 99);
  poet_matmul_forward_f32(&shape, a.data(), b.data(), nullptr, turned.data() + 6);
  shape.y_batch_strides[0] = 6;
  const Values straight = run(shape, a, b, {});
  EXPECT_EQ(Values(turned.begin() + 6, turned.end()),
            Values(straight.begin(), straight.begin() + 6));
  EXPECT_EQ(Values(turned.begin(), turned.begin() + 6),
            Values(straight.begin() + 6, straight.end()));
}

// PyTorch: y = linear(x, w, bias), and its gradients.
TEST(Matmul, AgreesWithPyTorchOnALinearLayer) {
  for (const GoldenCase& golden : read_goldens("matmul")) {
    SCOPED_TRACE(golden.name);
    const std::int32_t rows = golden.whole("rows");
    const std::int32_t columns = golden.whole("columns");
    const std::int32_t inner = golden.whole("inner");
    const Values x = golden.floats("x");
    const Values w = golden.floats("w");
    const Values dy = golden.floats("dy");
    poet_matmul_shape forward = plain(rows, columns, inner, Storage::ByRows, Storage::ByColumns);
    forward.beta = 1;
    forward.bias_column_stride = 1;
    EXPECT_LT(relative_error(run(forward, x, w, golden.floats("bias")), golden.floats("y")), 1e-6);
    const poet_matmul_shape by_x = plain(rows, inner, columns, Storage::ByRows, Storage::ByRows);
    EXPECT_LT(relative_error(run(by_x, dy, w, {}), golden.floats("dx")), 1e-6);
    const poet_matmul_shape by_w = plain(columns, inner, rows, Storage::ByColumns, Storage::ByRows);
    EXPECT_LT(relative_error(run(by_w, dy, x, {}), golden.floats("dw")), 1e-6);
  }
}

}  // namespace
}  // namespace poet
