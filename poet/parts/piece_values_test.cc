#include "poet/parts/piece_values.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace poet {
namespace {

// The values of the whole at the places of the piece, whichever part of them is asked for.
void expect_piece(const Initial& whole, const Shape& shape, const std::vector<Range>& piece) {
  const TensorType type{ElementType::Float32, shape};
  const std::vector<std::byte> all = initial_bytes(whole, type);
  Shape extents;
  for (const Range& range : piece) extents.push_back(range.extent());
  const TensorType piece_type{ElementType::Float32, extents};
  const Initial part = initial_of_piece(whole, type, piece);
  const std::vector<std::byte> made = initial_bytes(part, piece_type);
  for_each_run(shape, piece, [&](const RunOfValues& run) {
    EXPECT_EQ(std::memcmp(made.data() + 4 * run.in_piece, all.data() + 4 * run.in_whole,
                          static_cast<std::size_t>(4 * run.count)),
              0);
  });
  for (std::size_t offset = 0; offset < made.size(); offset += kInitialStepBytes) {
    std::vector<std::byte> some(std::min<std::size_t>(24, made.size() - offset));
    write_initial(part, piece_type, static_cast<std::int64_t>(offset), some);
    EXPECT_EQ(std::memcmp(some.data(), made.data() + offset, some.size()), 0) << offset;
  }
}

TEST(PieceValues, AreThoseOfTheWhole) {
  std::vector<float> numbers(5 * 7 * 3);
  std::iota(numbers.begin(), numbers.end(), 1.0F);
  std::vector<std::byte> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  for (const Initial& whole :
       {Initial{FilledWith{3}}, Initial{UniformDraw{.bound = 1, .seed = 4}},
        Initial{NormalDraw{.deviation = 1, .seed = 5}}, Initial{store(bytes)}}) {
    expect_piece(whole, {5, 7, 3}, {{0, 5}, {0, 7}, {0, 3}});
    expect_piece(whole, {5, 7, 3}, {{1, 3}, {2, 7}, {0, 3}});
    expect_piece(whole, {5, 7, 3}, {{4, 5}, {6, 7}, {1, 2}});
  }
}

}  // namespace
}  // namespace poet
