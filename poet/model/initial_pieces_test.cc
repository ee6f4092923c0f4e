#include "poet/model/initial_pieces.h"

#include <gtest/gtest.h>

#include <vector>

namespace poet {
namespace {

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
