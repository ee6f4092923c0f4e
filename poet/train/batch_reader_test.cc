#include "poet/train/batch_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

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

}  // namespace
}  // namespace poet
