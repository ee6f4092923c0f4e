#include "poet/data/batch_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace poet {
namespace {

// Example k has the value k.
class Numbers final : public Dataset {
 public:
  explicit Numbers(std::int64_t count) : count_(count) {}
  std::int64_t size() const override { return count_; }
  const std::vector<ExamplePart>& parts() const override { return parts_; }
  Failure read(std::int64_t example, std::size_t, std::span<std::byte> into) const override {
    std::memcpy(into.data(), &example, sizeof example);
    return std::nullopt;
  }

 private:
  std::int64_t count_;
  std::vector<ExamplePart> parts_ = {{.name = "x", .type = {ElementType::Int64, {}}}};
};

std::vector<std::int64_t> batch_at(const BatchReader& reader, std::int64_t position) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(reader.options().batch_size));
  EXPECT_FALSE(reader.read(position, 0, std::as_writable_bytes(std::span(values))));
  return values;
}

TEST(BatchReader, GoesThroughTheDataInOrder) {
  const BatchReader reader(std::make_shared<Numbers>(5),
                           {.batch_size = 3, .sequence = ExampleSequence::InOrder});
  EXPECT_EQ(batch_at(reader, 0), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(batch_at(reader, 3), (std::vector<std::int64_t>{3, 4, 0}));
}

TEST(BatchReader, EveryEpochHasEveryExampleInAnOrderOfItsOwn) {
  const BatchReader reader(std::make_shared<Numbers>(6), {.batch_size = 6, .seed = 3});
  std::vector<std::int64_t> first = batch_at(reader, 0);
  std::vector<std::int64_t> second = batch_at(reader, 6);
  EXPECT_NE(first, second);
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  EXPECT_EQ(first, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(second, first);
}

// Example k has the values 6 k to 6 k + 5, in rows of three.
class Rows final : public Dataset {
 public:
  std::int64_t size() const override { return 5; }
  const std::vector<ExamplePart>& parts() const override { return parts_; }
  Failure read(std::int64_t example, std::size_t, std::span<std::byte> into) const override {
    asked.push_back(example);
    if (example == unreadable) return bad_input("it cannot be read");
    std::vector<std::int64_t> values(6);
    std::iota(values.begin(), values.end(), 6 * example);
    std::memcpy(into.data(), values.data(), into.size());
    return std::nullopt;
  }

  mutable std::vector<std::int64_t> asked = {};
  std::int64_t unreadable = -1;

 private:
  std::vector<ExamplePart> parts_ = {{.name = "x", .type = {ElementType::Int64, {2, 3}}}};
};

PartPlace piece_of_rows(std::vector<Range> values) {
  return {.piece = TensorPiece{"x", {ElementType::Int64, {4, 2, 3}}, std::move(values)}};
}

TEST(BatchReader, APieceIsThatOfTheBatchAndOnlyItsExamplesAreAskedFor) {
  const auto data = std::make_shared<Rows>();
  const BatchReader reader(data, {.batch_size = 4, .sequence = ExampleSequence::InOrder});
  const auto piece = [&](std::vector<Range> values, std::size_t count) {
    data->asked.clear();
    std::vector<std::int64_t> read(count);
    EXPECT_FALSE(
        reader.read(3, piece_of_rows(std::move(values)), std::as_writable_bytes(std::span(read))));
    return read;
  };
  using Wholes = std::vector<std::int64_t>;
  // The batch from position 3 on has the examples 3, 4, 0 and 1.
  EXPECT_EQ(piece({{1, 3}, {0, 2}, {0, 3}}, 12),
            (Wholes{24, 25, 26, 27, 28, 29, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(data->asked, (Wholes{4, 0}));
  EXPECT_EQ(piece({{0, 2}, {1, 2}, {1, 3}}, 4), (Wholes{22, 23, 28, 29}));
  EXPECT_EQ(data->asked, (Wholes{3, 4}));
  EXPECT_EQ(piece({{3, 4}, {0, 2}, {2, 3}}, 2), (Wholes{8, 11}));
  EXPECT_EQ(data->asked, Wholes{1});
}

TEST(BatchReader, OfAPieceAnExampleThatCannotBeReadIsRefused) {
  const auto data = std::make_shared<Rows>();
  data->unreadable = 1;
  const BatchReader reader(data, {.batch_size = 4, .sequence = ExampleSequence::InOrder});
  std::vector<std::int64_t> read(24);
  const Failure failure = reader.read(0, piece_of_rows({{0, 4}, {0, 2}, {0, 3}}),
                                      std::as_writable_bytes(std::span(read)));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "it cannot be read");
  EXPECT_EQ(data->asked, (std::vector<std::int64_t>{0, 1}));
}

// So a step of one batch has the examples of one of two micro-batches.
TEST(BatchReader, ABatchIsItsPartsOneAfterTheOther) {
  const auto data = std::make_shared<Numbers>(100);
  const BatchReader whole(data, {.batch_size = 4});
  const BatchReader half(data, {.batch_size = 2});
  std::vector<std::int64_t> parts = batch_at(half, 40);
  const std::vector<std::int64_t> more = batch_at(half, 42);
  parts.insert(parts.end(), more.begin(), more.end());
  EXPECT_EQ(batch_at(whole, 40), parts);
}

std::vector<std::int64_t> all_of(const ExampleOrder& order, std::int64_t size) {
  std::vector<std::int64_t> examples;
  for (std::int64_t i = 0; i < size; ++i) examples.push_back(order.at(i));
  return examples;
}

TEST(ExampleOrder, IsAPermutationOfEverySize) {
  for (std::int64_t size = 1; size <= 300; ++size)
    for (const std::uint64_t seed : {0U, 1U, 77U}) {
      std::vector<std::int64_t> examples = all_of(ExampleOrder(size, seed, 3), size);
      std::sort(examples.begin(), examples.end());
      for (std::int64_t i = 0; i < size; ++i)
        ASSERT_EQ(examples[static_cast<std::size_t>(i)], i) << "size " << size << ", seed " << seed;
    }
}

TEST(ExampleOrder, IsAPermutationOfAWholeDataset) {
  std::vector<std::int64_t> examples = all_of(ExampleOrder(50'000, 1, 0), 50'000);
  std::sort(examples.begin(), examples.end());
  for (std::int64_t i = 0; i < 50'000; ++i) ASSERT_EQ(examples[static_cast<std::size_t>(i)], i);
}

TEST(ExampleOrder, DiffersFromEpochToEpochAndFromSeedToSeed) {
  const std::vector<std::int64_t> first = all_of(ExampleOrder(1000, 1, 0), 1000);
  EXPECT_NE(first, all_of(ExampleOrder(1000, 1, 1), 1000));
  EXPECT_NE(first, all_of(ExampleOrder(1000, 2, 0), 1000));
  EXPECT_EQ(first, all_of(ExampleOrder(1000, 1, 0), 1000));
}

// Of a random permutation, about one number stays in place, and half of them fall behind the one
// before.
TEST(ExampleOrder, LooksShuffled) {
  const std::vector<std::int64_t> order = all_of(ExampleOrder(10'000, 5, 2), 10'000);
  std::int64_t in_place = 0;
  std::int64_t falls = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    in_place += order[i] == static_cast<std::int64_t>(i) ? 1 : 0;
    falls += order[i] < order[i - 1] ? 1 : 0;
  }
  EXPECT_LT(in_place, 12);
  EXPECT_GT(falls, 4'700);
  EXPECT_LT(falls, 5'300);
}

TEST(ExampleOrder, TakesNoMemoryForAnyNumberOfExamples) {
  const std::int64_t size = std::int64_t{1} << 40;
  const ExampleOrder order(size, 1, 0);
  EXPECT_GE(order.at(size - 1), 0);
  EXPECT_LT(order.at(size - 1), size);
}

}  // namespace

}  // namespace poet
