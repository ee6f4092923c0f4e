#include "poet/model/weight_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "poet/model/narrow_floats.h"

namespace poet {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

template <typename Number>
SafeTensor tensor_of(SafeType type, Shape shape, const std::vector<Number>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(Number));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {.name = "w",
          .type = type,
          .shape = std::move(shape),
          .values = store(std::move(bytes)),
          .path = std::make_shared<const std::string>("a.safetensors")};
}

std::string refusal(const SafeTensor& tensor, NonFinite non_finite = NonFinite::Refused) {
  const Failure failure = check_values(tensor, non_finite);
  return failure ? to_string(*failure) : std::string();
}

std::string sentence(const std::string& what) {
  return "a.safetensors: 'w' holds " + what +
         ", which is not a finite number: --allow-non-finite goes on with it";
}

TEST(CheckValues, FindsTheFirstOfEveryTypeThatIsNotFinite) {
  EXPECT_EQ(refusal(tensor_of<float>(SafeType::Float32, {2, 3}, {0, 1, 2, 3, -kInfinite, NAN})),
            sentence("-inf at (1, 1)"));
  EXPECT_EQ(refusal(tensor_of<float>(SafeType::Float32, {}, {-NAN})), sentence("nan at ()"));
  EXPECT_EQ(refusal(tensor_of<std::uint16_t>(SafeType::Float16, {2}, {0x7BFF, 0x7C00})),
            sentence("inf at (1)"));
  EXPECT_EQ(refusal(tensor_of<std::uint16_t>(SafeType::BFloat16, {2}, {0x7F7F, 0x7FC0})),
            sentence("nan at (1)"));
  EXPECT_EQ(refusal(tensor_of<double>(SafeType::Float64, {1, 1, 2}, {1e300, -kInfinite})),
            sentence("-inf at (0, 0, 1)"));
}

TEST(CheckValues, FindsTheLastOfManyPieces) {
  std::vector<float> values(10'000, 1e38F);
  EXPECT_EQ(refusal(tensor_of<float>(SafeType::Float32, {100, 100}, values)), "");
  values.back() = kInfinite;
  EXPECT_EQ(refusal(tensor_of<float>(SafeType::Float32, {100, 100}, values)),
            sentence("inf at (99, 99)"));
}

TEST(CheckValues, TakesThemWhereItIsTold) {
  const SafeTensor tensor = tensor_of<float>(SafeType::Float32, {2}, {NAN, kInfinite});
  EXPECT_EQ(refusal(tensor, NonFinite::Taken), "");
  // Whole numbers that have the same bits are no floats.
  EXPECT_EQ(refusal(tensor_of<std::uint32_t>(SafeType::Uint32, {1}, {0x7F800000U})), "");
}

TEST(CheckValues, RefusesAScaleThatIsNotFiniteInAnyCase) {
  std::vector<std::uint16_t> blocks(18, 0x3C00);  // two of 16 values of 8 bits: a scale of 1 each
  SafeTensor tensor = tensor_of(SafeType::Float32, {2, 16}, blocks);
  tensor.blocks = WeightBlocks{8, 16};
  EXPECT_EQ(refusal(tensor), "");
  blocks[9] = 0x7E00;
  tensor.values = tensor_of(SafeType::Float32, {}, blocks).values;
  const std::string wanted = "a.safetensors: the scale of block 1 of 'w' is not a finite number";
  EXPECT_EQ(refusal(tensor), wanted);
  EXPECT_EQ(refusal(tensor, NonFinite::Taken), wanted);
}

}  // namespace
}  // namespace poet
