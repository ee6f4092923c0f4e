#include <gtest/gtest.h>

#include <limits>

#include "poet/emit/constant_texts.h"
#include "poet/emit/kept_values.h"
#include "poet/emit/plan_text.h"
#include "poet/runtime/checkpoint.h"
#include "poet/runtime/pool.h"
#include "poet/runtime/unary.h"

namespace poet {
namespace {

KernelCall relu_of(std::int32_t count) {
  return {.function = POET_KERNEL(poet_relu_forward_f32),
          .shape = {{"count", count}, {"alpha", 0.5F}, {"beta", 0.0F}}};
}

TEST(ShapeTexts, WriteEachShapeOnce) {
  ShapeTexts shapes;
  EXPECT_EQ(shapes.name_of(relu_of(3)), "shape_0");
  EXPECT_EQ(shapes.name_of(relu_of(4)), "shape_1");
  EXPECT_EQ(shapes.name_of(relu_of(3)), "shape_0");
  EXPECT_EQ(shapes.text(),
            "static const poet_unary_shape shape_0 = {\n"
            "    .count = 3, .alpha = 0x1p-1f, .beta = 0x0p+0f};\n"
            "static const poet_unary_shape shape_1 = {\n"
            "    .count = 4, .alpha = 0x1p-1f, .beta = 0x0p+0f};\n");
}

TEST(ShapeTexts, WriteArraysAsArraysAndBreakLines) {
  ShapeTexts shapes;
  const KernelCall pool{.function = POET_KERNEL(poet_max_pool_forward_f32),
                        .shape = {{"a_field_with_a_long_name[0]", std::int32_t{1}},
                                  {"a_field_with_a_long_name[1]", std::int32_t{2}},
                                  {"planes", std::int32_t{3}},
                                  {"another_field_with_a_longest_name[0]", std::int32_t{4}},
                                  {"another_field_with_a_longest_name[1]", 5U}}};
  shapes.name_of(pool);
  EXPECT_EQ(shapes.text(),
            "static const poet_pool_shape shape_0 = {\n"
            "    .a_field_with_a_long_name = {1, 2}, .planes = 3, "
            ".another_field_with_a_longest_name = {4,\n"
            "    5u}};\n");
}

std::map<TensorId, Initial> filled_with(double value) {
  return {{TensorId{0}, FilledWith{value}}};
}

TEST(RomText, WritesValuesThatReadBackToTheSameBits) {
  RomText rom;
  const GraphTensor floats{.name = "scale", .type = {ElementType::Float32, {2}}, .home = Home::Rom};
  const GraphTensor wholes{.name = "ids*/", .type = {ElementType::Int64, {1}}, .home = Home::Rom};
  EXPECT_EQ(
      *rom.number_of(floats, filled_with(-std::numeric_limits<double>::infinity()), TensorId{0}),
      0);
  EXPECT_EQ(*rom.number_of(wholes, filled_with(-5e9), TensorId{0}), 1);
  EXPECT_EQ(*rom.number_of(floats, {}, TensorId{0}), 0);
  EXPECT_EQ(rom.declarations(),
            "extern const float poet_rom_0[2];\nextern const int64_t poet_rom_1[1];\n");
  EXPECT_EQ(rom.definitions(),
            "\n/* scale */\nconst float poet_rom_0[2] = {\n  -INFINITY, -INFINITY,\n};\n"
            "\n/* ids*_ */\nconst int64_t poet_rom_1[1] = {\n  INT64_C(-5000000000),\n};\n");
  EXPECT_EQ(rom.names(), (std::vector<std::string>{"poet_rom_0", "poet_rom_1"}));
  EXPECT_EQ(rom.bytes(), 16);
}

TEST(RomText, RefusesWhatIsNotANumber) {
  RomText rom;
  const GraphTensor tensor{.name = "bad", .type = {ElementType::Float32, {2}}, .home = Home::Rom};
  const Result<std::int64_t> number =
      rom.number_of(tensor, filled_with(std::numeric_limits<double>::quiet_NaN()), TensorId{0});
  ASSERT_FALSE(number.ok());
  EXPECT_EQ(number.error().message,
            "value 0 of 'bad' is not a number, and C has no constant for it");
}

EmittedValue floats(const std::string& name, std::int64_t count) {
  return {.name = name, .type = {ElementType::Float32, {count}}};
}

TEST(StorageMap, HasBothSlotsThenPagesEachInPiecesOfItsOwn) {
  const std::vector<EmittedValue> kept = {floats("a", 3), floats("b", 200)};
  const Result<StorageMap> map = storage_map(kept, 4096, 512, 4096);
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map->values_begin(), 512);
  EXPECT_EQ(map->values_bytes, 512 + 1024);
  EXPECT_EQ(map->slot_bytes, 4096);
  EXPECT_EQ(map->pages_begin(), 2 * 4096);
  EXPECT_EQ(map->bytes(), 3 * 4096);
  EXPECT_EQ(storage_map(kept, 0, 512, 512)->slot_bytes, 512 + 1536);
  EXPECT_EQ(storage_map(kept, 0, 8, 64)->header_bytes, POET_CHECKPOINT_WORDS * 4);
}

TEST(StorageMap, RefusesMoreThanEmittedCAddresses) {
  const Result<StorageMap> map = storage_map({floats("a", 1)}, std::int64_t{1} << 32, 8, 8);
  ASSERT_FALSE(map.ok());
  EXPECT_EQ(
      map.error().message,
      "the plan and two checkpoints take 4294967376 bytes of storage, and emitted C addresses "
      "4 GiB");
}

TEST(Fingerprint, TellsTrainingsApartByWhatTheyKeepAndWhatDecidesTheirNumbers) {
  EmitRequest request;
  request.model = "m";
  const std::uint32_t one = fingerprint_of(request, {floats("a", 3)});
  EXPECT_EQ(one, fingerprint_of(request, {floats("a", 3)}));
  EXPECT_NE(one, fingerprint_of(request, {floats("a", 4)}));
  EXPECT_NE(one, fingerprint_of(request, {floats("b", 3)}));
  request.settings = "seed 2\n";
  EXPECT_NE(one, fingerprint_of(request, {floats("a", 3)}));
}

TEST(LearningRateText, IsConstantAfterItsWarmUp) {
  EXPECT_EQ(learning_rate_text({.peak = 0.5F, .warm_up_steps = 4}),
            "float poet_learning_rate(uint32_t step) {\n"
            "  if (step <= 4u) return 0x1p-1f * (float)step / (float)4;\n"
            "  (void)step;\n"
            "  return 0x1p-1f;\n"
            "}\n");
}

}  // namespace
}  // namespace poet
