#include "poet/model/initial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace poet {
namespace {

template <typename T>
std::vector<T> values(const Initial& initial, const TensorType& type) {
  const std::vector<std::byte> bytes = initial_bytes(initial, type);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<float> floats(const Initial& initial, const Shape& shape) {
  return values<float>(initial, {ElementType::Float32, shape});
}

TEST(Initial, FillsEveryElementType) {
  EXPECT_EQ(floats(FilledWith{0.1}, {2}), (std::vector<float>{0.1F, 0.1F}));
  EXPECT_EQ(values<std::int64_t>(FilledWith{-3}, {ElementType::Int64, {1}}),
            std::vector<std::int64_t>{-3});
  EXPECT_EQ(values<std::int32_t>(FilledWith{1e12}, {ElementType::Int32, {}}),
            std::vector<std::int32_t>{2'147'483'647});
  EXPECT_EQ(values<std::uint8_t>(FilledWith{300}, {ElementType::Uint8, {}}),
            std::vector<std::uint8_t>{255});
  EXPECT_EQ(values<std::uint8_t>(FilledWith{7}, {ElementType::Bool, {}}),
            std::vector<std::uint8_t>{1});
}

TEST(Initial, KeepsStoredBytes) {
  const StoredBytes bytes = store({std::byte{1}, std::byte{2}});
  EXPECT_EQ(values<std::uint8_t>(bytes, {ElementType::Uint8, {2}}),
            (std::vector<std::uint8_t>{1, 2}));
}

// Pieces of any size that begin at a multiple of kInitialStepBytes.
TEST(Initial, GivesTheSamePieceByPiece) {
  const TensorType type{ElementType::Float32, {101}};
  std::vector<std::byte> numbered(404);
  for (std::size_t i = 0; i < numbered.size(); ++i) numbered[i] = static_cast<std::byte>(i);
  const std::vector<Initial> rules = {FilledWith{0.3}, UniformDraw{1, 5}, NormalDraw{1, 5},
                                      store(numbered)};
  for (const Initial& rule : rules) {
    const std::vector<std::byte> whole = initial_bytes(rule, type);
    std::vector<std::byte> pieces(whole.size());
    for (std::size_t begin = 0; begin < whole.size(); begin += 48)
      write_initial(rule, type, static_cast<std::int64_t>(begin),
                    std::span(pieces).subspan(begin, std::min<std::size_t>(48, 404 - begin)));
    EXPECT_EQ(pieces, whole);
  }
}

TEST(Initial, DrawsEvenlyWithinTheBound) {
  const std::vector<float> drawn = floats(UniformDraw{.bound = 0.5F, .seed = 7}, {40'001});
  double sum = 0;
  double squares = 0;
  for (const float value : drawn) {
    ASSERT_GE(value, -0.5F);
    ASSERT_LT(value, 0.5F);
    sum += value;
    squares += double{value} * value;
  }
  EXPECT_NEAR(sum / 40'001, 0, 0.005);
  EXPECT_NEAR(squares / 40'001, 1.0 / 12, 0.002);
}

TEST(Initial, DrawsTheNormalDistribution) {
  const std::vector<float> drawn = floats(NormalDraw{.deviation = 2, .seed = 7}, {40'001});
  double sum = 0;
  double squares = 0;
  double fourths = 0;
  int far = 0;
  for (const float value : drawn) {
    ASSERT_TRUE(std::isfinite(value));
    const double standard = value / 2.0;
    sum += standard;
    squares += standard * standard;
    fourths += standard * standard * standard * standard;
    far += std::abs(standard) > 3 ? 1 : 0;
  }
  EXPECT_NEAR(sum / 40'001, 0, 0.02);
  EXPECT_NEAR(squares / 40'001, 1, 0.03);
  EXPECT_NEAR(fourths / 40'001, 3, 0.2);
  EXPECT_NEAR(far, 108, 40);  // 0.27 %
}

TEST(Initial, DrawsTheSameForTheSameSeedOnly) {
  EXPECT_EQ(floats(NormalDraw{1, 5}, {9}), floats(NormalDraw{1, 5}, {9}));
  EXPECT_NE(floats(NormalDraw{1, 5}, {9}), floats(NormalDraw{1, 6}, {9}));
  EXPECT_NE(floats(UniformDraw{1, 5}, {9}), floats(UniformDraw{1, 5ULL << 32U}, {9}));
}

// The values are part of what "same seed, same bytes" promises; also between machines.
TEST(Initial, DrawsTheseValues) {
  const std::vector<float> uniform = floats(UniformDraw{1, 1}, {2});
  const std::vector<float> normal = floats(NormalDraw{1, 1}, {2});
  std::uint32_t bits[4];
  std::memcpy(&bits[0], uniform.data(), 8);
  std::memcpy(&bits[2], normal.data(), 8);
  EXPECT_EQ(bits[0], 0x3f47d00cU);
  EXPECT_EQ(bits[1], 0x3f4a141cU);
  EXPECT_EQ(bits[2], 0x3fd44a23U);
  EXPECT_EQ(bits[3], 0xbfa557e1U);
}

const TensorType kType{ElementType::Float32, {25}};  // 100 bytes
const Initial kDrawn = UniformDraw{.bound = 1, .seed = 7};

TEST(InitialPieces, TogetherAreTheValues) {
  std::vector<std::byte> buffer(32);
  std::vector<std::byte> all;
  std::vector<std::size_t> sizes;
  const Failure failure = for_each_piece(
      kDrawn, kType, buffer, [&](std::int64_t offset_bytes, std::span<const std::byte> values) {
        EXPECT_EQ(offset_bytes, std::ssize(all));
        all.insert(all.end(), values.begin(), values.end());
        sizes.push_back(values.size());
        return Failure();
      });
  EXPECT_FALSE(failure);
  EXPECT_EQ(all, initial_bytes(kDrawn, kType));
  EXPECT_EQ(sizes, (std::vector<std::size_t>{32, 32, 32, 4}));
}

TEST(InitialPieces, EndWithTheFirstFailure) {
  std::vector<std::byte> buffer(32);
  int calls = 0;
  const Failure failure =
      for_each_piece(kDrawn, kType, buffer, [&](std::int64_t, std::span<const std::byte>) {
        ++calls;
        return Failure(bad_input("no room"));
      });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "no room");
  EXPECT_EQ(calls, 1);
}

}  // namespace

}  // namespace poet
