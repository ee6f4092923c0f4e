#include "poet/exec/rom.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

TensorId constant(Graph& graph, const std::string& name, const Shape& shape) {
  return add_tensor(graph, {.name = name,
                            .type = {ElementType::Float32, shape},
                            .role = TensorRole::Constant,
                            .home = Home::Rom});
}

std::vector<std::byte> found(const Rom& rom, const std::string& name) {
  const std::span<const std::byte> value = rom.find(name);
  return {value.begin(), value.end()};
}

// The second is larger than a piece.
TEST(Rom, HasTheValuesOfEveryGraph) {
  Graph first;
  Graph second;
  const TensorId a = constant(first, "a", {3});
  const TensorId b = constant(first, "b", {400'000});
  const TensorId again = constant(second, "a", {3});
  const TensorId c = constant(second, "c", {5});
  const std::map<TensorId, Initial> of_first = {{a, FilledWith{0.5}}, {b, NormalDraw{1, 7}}};
  const std::map<TensorId, Initial> of_second = {{again, FilledWith{0.5}}, {c, UniformDraw{1, 3}}};
  const std::vector<RomSource> sources = {{first, of_first}, {second, of_second}};
  const testing::TemporaryFolder folder;
  const Result<Rom> rom = Rom::create(folder.path(), sources);
  ASSERT_TRUE(rom.ok()) << rom.error().message;
  EXPECT_EQ(found(*rom, "a"), initial_bytes(FilledWith{0.5}, {ElementType::Float32, {3}}));
  EXPECT_EQ(found(*rom, "b"), initial_bytes(NormalDraw{1, 7}, {ElementType::Float32, {400'000}}));
  EXPECT_EQ(found(*rom, "c"), initial_bytes(UniformDraw{1, 3}, {ElementType::Float32, {5}}));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(rom->find("c").data()) % 64, 0U);
  EXPECT_TRUE(rom->find("d").empty());
  EXPECT_EQ(folder.files(), 0);
}

// The last is too large to come at once.
TEST(Rom, FetchesWhatIsItsOwn) {
  Graph graph;
  const TensorId a = constant(graph, "a", {3});
  const TensorId b = constant(graph, "b", {400'000});
  const TensorId c = constant(graph, "c", {4'000'000});
  const std::map<TensorId, Initial> initial = {
      {a, FilledWith{0.5}}, {b, FilledWith{1.5}}, {c, FilledWith{2.5}}};
  const RomSource source{graph, initial};
  const Result<Rom> rom = Rom::create(::testing::TempDir(), {&source, 1});
  ASSERT_TRUE(rom.ok()) << rom.error().message;
  const std::vector<std::byte> other(100);
  rom->fetch(other);
  rom->fetch({});
  for (const char* const name : {"a", "b", "c"}) rom->fetch(rom->find(name));
  rom->fetch(rom->find("b").subspan(5'001, 1));
  rom->end_fetching();
  EXPECT_EQ(found(*rom, "a"), initial_bytes(FilledWith{0.5}, {ElementType::Float32, {3}}));
  EXPECT_EQ(found(*rom, "b"), initial_bytes(FilledWith{1.5}, {ElementType::Float32, {400'000}}));
  EXPECT_EQ(found(*rom, "c"), initial_bytes(FilledWith{2.5}, {ElementType::Float32, {4'000'000}}));
}

TEST(Rom, IsEmptyWithoutConstants) {
  const Result<Rom> rom = Rom::create(::testing::TempDir(), {});
  ASSERT_TRUE(rom.ok()) << rom.error().message;
  EXPECT_EQ(rom->size_bytes(), 0);
}

TEST(Rom, RefusesWhatHasNoValueOrTwoTypes) {
  Graph graph;
  Graph other;
  const TensorId a = constant(graph, "a", {3});
  const TensorId again = constant(other, "a", {4});
  const std::map<TensorId, Initial> none;
  const RomSource without{graph, none};
  EXPECT_EQ(Rom::create(::testing::TempDir(), {&without, 1}).error().message,
            "a lies in rom and has no value");
  const std::map<TensorId, Initial> three = {{a, FilledWith{1}}};
  const std::map<TensorId, Initial> four = {{again, FilledWith{1}}};
  const std::vector<RomSource> sources = {{graph, three}, {other, four}};
  EXPECT_EQ(Rom::create(::testing::TempDir(), sources).error().message,
            "a lies in rom as float32 (3) and as float32 (4)");
}

}  // namespace
}  // namespace poet
