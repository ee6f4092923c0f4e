#include "poet/model/published_weights.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "poet/base/text_file.h"
#include "poet/model/safetensors_write.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

class PublishedFolder : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_FALSE(write_text_file(folder_.path(name), text));
  }

  // A file of tensors of one value each.
  void write_tensors(const std::string& name, const std::vector<std::string>& tensors) {
    std::vector<SafeTensorSource> sources;
    for (const std::string& tensor : tensors)
      sources.push_back({tensor, {1}, [](const ByteSink& sink) {
                           const std::vector<std::byte> value(4);
                           return sink(value);
                         }});
    ASSERT_FALSE(write_safetensors(folder_.path(name), sources));
  }

  // The names of what is found, or the refusal without the folder's path.
  std::string opened(const std::string& name = "") {
    const Result<PublishedWeights> weights =
        open_weights(name.empty() ? folder_.path() : folder_.path(name));
    std::string text;
    if (weights.ok()) {
      for (const auto& [tensor, place] : weights->tensors) text += tensor + " ";
      return text + (weights->config ? "and a configuration" : "");
    }
    text = to_string(weights.error());
    for (std::size_t at = 0; (at = text.find(folder_.path(), at)) != std::string::npos;)
      text.replace(at, folder_.path().size(), "DIR");
    return text;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(PublishedFolder, IsOneFileWithAConfiguration) {
  write_tensors("model.safetensors", {"b", "a"});
  EXPECT_EQ(opened(), "a b ");
  write("config.json", "{}");
  EXPECT_EQ(opened(), "a b and a configuration");
  EXPECT_EQ(opened("model.safetensors"), "a b ");
}

TEST_F(PublishedFolder, IsSeveralFilesByTheirIndex) {
  write_tensors("model-1.safetensors", {"a", "b"});
  write_tensors("model-2.safetensors", {"c"});
  write("model.safetensors.index.json",
        R"({"metadata": {"total_size": 12}, "weight_map": {"a": "model-1.safetensors",
"b": "model-1.safetensors", "c": "model-2.safetensors"}})");
  EXPECT_EQ(opened(), "a b c ");
  EXPECT_EQ(opened("model.safetensors.index.json"), "a b c ");
}

// As in the cache of Hugging Face's libraries, whose names are links into a folder of contents.
TEST_F(PublishedFolder, MayHaveLinks) {
  const testing::TemporaryFolder elsewhere;
  write_tensors("blob", {"a"});
  std::filesystem::rename(folder_.path("blob"), elsewhere.path("blob"));
  std::filesystem::create_symlink(elsewhere.path("blob"), folder_.path("model.safetensors"));
  EXPECT_EQ(opened(), "a ");
}

TEST_F(PublishedFolder, MayBeOneOfDiffusers) {
  write_tensors("diffusion_pytorch_model.safetensors", {"a"});
  EXPECT_EQ(opened(), "a ");
}

TEST_F(PublishedFolder, IsRefusedWithoutWeights) {
  EXPECT_EQ(opened(),
            "the folder 'DIR' has none of model.safetensors, model.safetensors.index.json and "
            "diffusion_pytorch_model.safetensors");
  EXPECT_EQ(opened("none.safetensors"),
            "cannot read 'DIR/none.safetensors': No such file or directory");
  write("config.json", "{");
  EXPECT_EQ(opened(),
            "DIR/config.json:1:2: not valid JSON: it is cut off; expected string literal");
}

TEST_F(PublishedFolder, IsRefusedWithAnIndexThatDoesNotFit) {
  write_tensors("model-1.safetensors", {"a", "b"});
  const auto index = [this](const std::string& text) {
    write("model.safetensors.index.json", text);
    return opened();
  };
  EXPECT_EQ(index("[]"),
            "DIR/model.safetensors.index.json:1:1: an index of weights must be an object, found a "
            "list");
  EXPECT_EQ(index("{}"),
            "DIR/model.safetensors.index.json:1:1: an index of weights must have 'weight_map'");
  EXPECT_EQ(index(R"({"weight_map": {"a": 1}})"),
            "DIR/model.safetensors.index.json:1:22: 'a' must be a text, found 1");
  EXPECT_EQ(index(R"({"weight_map": {"a": "../model-1.safetensors"}})"),
            "DIR/model.safetensors.index.json:1:22: 'a' must be in a file NAME.safetensors beside "
            "the index, found \"../model-1.safetensors\"");
  EXPECT_EQ(index(R"({"weight_map": {"a": "model-1.safetensors"}})"),
            "DIR/model-1.safetensors: it has 'b', which the index 'model.safetensors.index.json' "
            "does not have there");
  EXPECT_EQ(index(R"({"weight_map": {"a": "model-1.safetensors", "b": "model-1.safetensors",
"c": "model-1.safetensors"}})"),
            "DIR/model.safetensors.index.json:2:1: 'c' is not in 'model-1.safetensors'");
  EXPECT_EQ(index(R"({"weight_map": {"a": "model-3.safetensors"}})"),
            "cannot read 'DIR/model-3.safetensors': No such file or directory");
}

}  // namespace
}  // namespace poet
