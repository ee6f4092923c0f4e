#include "poet/model/gptq.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "poet/model/narrow_floats.h"

namespace poet {
namespace {

GptqForm form_of(const std::string& config) {
  return *gptq_form(*parse_json(config, "q.json"), "q.json");
}

std::string refusal_of(const std::string& config) {
  const Result<GptqForm> form = gptq_form(*parse_json(config, "q.json"), "q.json");
  return form.ok() ? std::string() : form.error().message;
}

TEST(GptqForm, SaysWhatIsAddedToZeros) {
  EXPECT_EQ(form_of(R"({"bits": 4, "group_size": 128})").added_to_zero, 1);
  EXPECT_EQ(form_of(R"({"bits": 8, "group_size": -1, "checkpoint_format": "gptq",
                        "dynamic": null})")
                .added_to_zero,
            1);
  EXPECT_EQ(
      form_of(R"({"bits": 4, "group_size": 64, "checkpoint_format": "gptq_v2"})").added_to_zero, 0);
}

TEST(GptqForm, RefusesWhatIsElse) {
  EXPECT_EQ(refusal_of(R"({"bits": 3, "group_size": 128})"), "'bits' is 3, and POET reads 4 and 8");
  EXPECT_EQ(refusal_of(R"({"bits": 4, "group_size": 0})"), "'group_size' is 0");
  EXPECT_EQ(refusal_of(R"({"bits": 4, "group_size": 128, "quant_method": "awq"})"),
            "'quant_method' is 'awq', and POET reads gptq");
  EXPECT_EQ(refusal_of(R"({"bits": 4, "group_size": 128, "checkpoint_format": "marlin"})"),
            "'checkpoint_format' is 'marlin', and POET reads gptq or gptq_v2");
  EXPECT_EQ(refusal_of(R"({"bits": 4, "group_size": 128, "dynamic": {"-:k_proj": {}}})"),
            "'dynamic' has other numbers of bits for some layers, and POET reads one");
}

template <typename Number>
SafeTensor tensor(const std::string& name, SafeType type, Shape shape,
                  const std::vector<Number>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(Number));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {.name = name, .type = type, .shape = std::move(shape), .values = store(std::move(bytes))};
}

using Tensors = std::map<std::string, SafeTensor>;

// Of 8 columns and 8 rows, 4 bits: number = column, zero stored as row, one scale of 1/2.
Tensors small() {
  Tensors tensors;
  std::uint32_t counted = 0;
  for (std::uint32_t k = 0; k < 8; ++k) counted |= k << (4 * k);
  tensors["w.qweight"] = tensor<std::uint32_t>("w.qweight", SafeType::Int32, {1, 8},
                                               std::vector<std::uint32_t>(8, counted));
  tensors["w.qzeros"] = tensor<std::uint32_t>("w.qzeros", SafeType::Int32, {1, 1}, {counted});
  tensors["w.scales"] = tensor<std::uint16_t>("w.scales", SafeType::Float16, {1, 8},
                                              std::vector<std::uint16_t>(8, to_float16(0.5F)));
  tensors["w.g_idx"] =
      tensor<std::int32_t>("w.g_idx", SafeType::Int32, {8}, std::vector<std::int32_t>(8, 0));
  return tensors;
}

TEST(TakeGptq, MakesTheWeightOfItsParts) {
  for (const std::int64_t added : {0, 1}) {
    Tensors tensors = small();
    ASSERT_TRUE(has_gptq(tensors));
    ASSERT_FALSE(take_gptq({.bits = 4, .added_to_zero = added}, tensors));
    ASSERT_EQ(tensors.size(), 1U);
    const SafeTensor& weight = tensors.at("w.weight");
    EXPECT_EQ(weight.shape, (Shape{8, 8}));
    for (std::int64_t row = 0; row < 8; ++row)
      for (std::int64_t column = 0; column < 8; ++column)
        EXPECT_EQ(weight.made(row * 8 + column), 0.5F * static_cast<float>(column - (row + added)));
  }
}

std::string refused(Tensors tensors, const GptqForm& form = {}) {
  const Failure failure = take_gptq(form, tensors);
  return failure ? failure->message : std::string();
}

TEST(TakeGptq, RefusesPartsThatDoNotFit) {
  Tensors tensors = small();
  tensors.erase("w.qzeros");
  EXPECT_EQ(refused(tensors), "'w.qweight' has no 'w.qzeros' beside it");
  tensors = small();
  tensors["w.g_idx"] =
      tensor<std::int32_t>("w.g_idx", SafeType::Int32, {8}, {0, 0, 0, 0, 0, 0, 0, 1});
  EXPECT_EQ(refused(tensors), "place 7 of 'w.g_idx' is group 1, and there are 1");
  tensors["w.g_idx"] =
      tensor<std::int32_t>("w.g_idx", SafeType::Int32, {8}, {0, -1, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(refused(tensors), "place 1 of 'w.g_idx' is group -1, and there are 1");
  tensors.erase("w.g_idx");
  EXPECT_EQ(refused(tensors, {.group_size = 4}),
            "'w.scales' has 1 groups, and 8 rows in groups of 4 have 2");
  EXPECT_EQ(refused(tensors, {.group_size = 8}), "");
  EXPECT_EQ(refused(tensors, {.group_size = 9}), "");  // the last group is as long as it can be
  EXPECT_EQ(refused(tensors, {.bits = 8, .group_size = -1}),
            "'w.qzeros' is I32 (1, 1), and the numbers beside it take I32 (1, 2)");
  tensors = small();
  tensors["w.scales"] = tensor<std::uint16_t>("w.scales", SafeType::Float16, {1, 8},
                                              std::vector<std::uint16_t>(8, 0x7C00));
  const std::string end = " at (0, 0), and those of weights are finite numbers below 1e+36";
  EXPECT_EQ(refused(tensors), "'w.scales' has a scale of inf" + end);
  tensors["w.scales"] =
      tensor<float>("w.scales", SafeType::Float32, {1, 8}, std::vector<float>(8, 3e38F));
  EXPECT_EQ(refused(tensors), "'w.scales' has a scale of 3e+38" + end);
  tensors = small();
  tensors["w.qweight"].shape = {std::int64_t{1} << 60, 0};
  EXPECT_EQ(refused(tensors),
            "'w.qweight' is I32 (1152921504606846976, 0), and numbers of 4 bits are I32 (rows, a "
            "multiple of 8)");
  tensors = small();
  tensors["w.weight"] = tensors["w.scales"];
  EXPECT_EQ(refused(tensors), "'w.weight' is there twice, and quantised once");
}

}  // namespace
}  // namespace poet
