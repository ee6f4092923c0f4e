#include "poet/model/peft_adapters.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "poet/base/json_out.h"
#include "poet/model/real_networks.h"

namespace poet {
namespace {

Model network(const char* name) {
  return *real_network(name, {});
}

// The refusal of a folder of no matrices with this configuration, or nothing.
std::string refusal_of(const std::string& config) {
  const std::string folder = ::testing::TempDir() + "peft_adapters_test";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/" + kAdapterConfigFile) << config;
  std::ofstream(folder + "/" + kAdapterFile, std::ios::binary)
      << std::string("\2\0\0\0\0\0\0\0{}", 10);
  const Result<PublishedAdapters> adapters = open_adapters(folder);
  std::filesystem::remove_all(folder);
  return adapters.ok() ? std::string() : adapters.error().message;
}

TEST(OpenAdapters, RefusesAConfigurationThatSaysLessOrElse) {
  EXPECT_EQ(refusal_of(R"({"peft_type": "LORA", "r": 2, "lora_alpha": 4})"), "");
  EXPECT_EQ(refusal_of(R"({"peft_type": "LORA", "lora_alpha": 4})"),
            "a configuration of adapters must have 'r'");
  EXPECT_EQ(refusal_of(R"({"r": 2, "lora_alpha": 4})"),
            "a configuration of adapters must have 'peft_type'");
  EXPECT_EQ(refusal_of(R"({"peft_type": "LORA", "r": 0, "lora_alpha": 4})"),
            "'r' must be a whole number from 1 to 2147483647, found 0");
  EXPECT_EQ(refusal_of("[]"), "a configuration of adapters must be an object, found a list");
}

PublishedAdapters of_modules(const std::vector<std::string>& modules) {
  PublishedAdapters adapters{.path = "lora", .rank = 2, .alpha = 3};
  for (const std::string& module : modules)
    for (const char* const part : {".lora_A.weight", ".lora_B.weight"})
      adapters.tensors.emplace("base_model.model." + module + part, SafeTensor{});
  return adapters;
}

TEST(AdaptersFor, FindsTheirWeightsByTheNamesThatAreTaken) {
  const Model llama = network("llama-tiny");
  const std::string ends = "(^|[./])(q_proj|v_proj)(\\.weight)?$";
  for (const std::string prefix : {"model.layers.", "layers."}) {
    const PublishedAdapters adapters =
        of_modules({prefix + "0.self_attn.q_proj", prefix + "0.self_attn.v_proj",
                    prefix + "1.self_attn.q_proj", prefix + "1.self_attn.v_proj"});
    const Result<LowRankAdapters> asked = adapters_for(adapters, "llama-tiny", llama);
    ASSERT_TRUE(asked.ok()) << asked.error().message;
    EXPECT_EQ(*asked, (LowRankAdapters{2, 3, "regex:" + ends}));
  }
}

TEST(TargetsOf, ChooseTheseWeightsAndNoOthers) {
  const Model llama = network("llama-tiny");
  std::set<std::string> all;
  std::set<std::string> attention;
  for (const TensorId id : adaptable_weights(llama)) {
    const std::string& name = at(llama.graph.tensors, id).name;
    all.insert(name);
    if (name.find("attn") != name.npos) attention.insert(name);
  }
  EXPECT_EQ(all.size(), 14U);  // the table of words, which is the head, is none
  EXPECT_EQ(targets_of(llama, all), "all");
  EXPECT_EQ(targets_of(llama, attention), "attention");
  EXPECT_EQ(targets_of(llama, {"model.layers.1.mlp.up_proj.weight"}),
            R"(regex:^(model\.layers\.1\.mlp\.up_proj\.weight)$)");
}

TEST(TargetsOf, TakeNamesLiterally) {
  Model model = network("llama-tiny");
  const TensorId id = adaptable_weights(model)[0];
  std::string& name = model.graph.tensors[static_cast<std::size_t>(index_of(id))].name;
  for (const char* const odd : {"a+b (1)", "a\nb", "\xC3\xA4.weight", "[a-z]*"}) {
    name = odd;
    const Result<Model> with =
        with_adapters(model, {.rank = 1, .alpha = 1, .targets = targets_of(model, {name})}, 1);
    ASSERT_TRUE(with.ok()) << odd << ": " << with.error().message;
    ASSERT_EQ(with->adapters.size(), 1U) << odd;
    EXPECT_EQ(with->adapters[0].weight, id) << odd;
  }
}

TEST(AdapterConfig, NamesModulesWholeWhereTheirEndsWouldChooseMore) {
  const Model llama = network("llama-tiny");
  const auto modules = [&llama](const char* targets) {
    const LowRankAdapters asked{2, 3, targets};
    return json_line(adapter_config(*with_adapters(llama, asked, 1), asked, "llama-tiny",
                                    std::nullopt)["target_modules"]);
  };
  EXPECT_EQ(modules("regex:up_proj"), R"(["up_proj"])");
  EXPECT_EQ(modules("regex:1.mlp.up_proj"), R"(["model.layers.1.mlp.up_proj"])");
}

}  // namespace
}  // namespace poet
