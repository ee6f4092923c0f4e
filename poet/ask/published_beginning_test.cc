#include "poet/ask/published_beginning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "poet/base/text_file.h"
#include "poet/model/load_weights.h"
#include "poet/model/safetensors_write.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

constexpr const char* kNetwork = "digits-mlp";

struct Tensor {
  Shape shape = {};
  std::vector<float> values = {};
};
using Tensors = std::map<std::string, Tensor>;

void write(const std::string& path, const Tensors& tensors) {
  std::vector<SafeTensorSource> sources;
  for (const auto& [name, tensor] : tensors)
    sources.push_back({name, tensor.shape, [&values = tensor.values](const ByteSink& sink) {
                         return sink(std::as_bytes(std::span(values)));
                       }});
  ASSERT_FALSE(write_safetensors(path, sources));
}

Tensors weights_of_network() {
  Tensors tensors;
  for (const PublishedTensor& tensor : published_form(*real_network(kNetwork, {}), kNetwork))
    tensors[tensor.name] = {
        tensor.shape,
        std::vector<float>(static_cast<std::size_t>(value_count(tensor.shape)), 0.5F)};
  return tensors;
}

class PublishedBeginning : public ::testing::Test {
 protected:
  std::string path(const char* name) const { return folder_.path(name); }

  // The refusal, or the notes; paths in it as they are in the folder.
  std::string beginning_of(const PlanRequest& request, NonFinite non_finite = NonFinite::Refused) {
    const Result<Question> question = read_network_question(request);
    if (!question.ok()) return "no question: " + to_string(question.error());
    const Result<std::vector<std::string>> notes = check_beginning(*question, non_finite);
    std::string text;
    if (!notes.ok()) return named(to_string(notes.error()));
    for (const std::string& note : *notes) text += named(note);
    return text;
  }

  PlanRequest with_weights(const Tensors& tensors) {
    write(path("w.safetensors"), tensors);
    return {.model = kNetwork, .weights_path = path("w.safetensors")};
  }

  // Adapters of rank 1 beside the first layer, whose configuration says so much of their base.
  void write_adapters(const std::string& base, float value) {
    const Shape weight = weights_of_network().at("fc1.weight").shape;
    const auto matrix = [value](std::int64_t rows, std::int64_t columns) {
      return Tensor{{rows, columns},
                    std::vector<float>(static_cast<std::size_t>(rows * columns), value)};
    };
    write(path("adapter_model.safetensors"),
          {{"base_model.model.fc1.lora_A.weight", matrix(1, weight[1])},
           {"base_model.model.fc1.lora_B.weight", matrix(weight[0], 1)}});
    ASSERT_FALSE(write_text_file(
        path("adapter_config.json"),
        R"({"peft_type": "LORA", "r": 1, "lora_alpha": 1, "base_model_name_or_path": )" + base +
            "}"));
  }

 private:
  std::string named(std::string text) const {
    const std::string folder = folder_.path("");
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
      text.replace(at, folder.size(), "DIR/");
    return text;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(PublishedBeginning, LooksAtEveryValueThatIsTaken) {
  Tensors tensors = weights_of_network();
  EXPECT_EQ(beginning_of(with_weights(tensors)), "");
  tensors.at("fc1.weight").values[3] = -INFINITY;
  const std::string refusal =
      "DIR/w.safetensors: 'fc1.weight' holds -inf at (0, 3), which is not a finite number: "
      "--allow-non-finite goes on with it";
  EXPECT_EQ(beginning_of(with_weights(tensors)), refusal);
  EXPECT_EQ(beginning_of(with_weights(tensors), NonFinite::Taken), "");
  // What the network has no place for is not taken, and names come before values.
  tensors = weights_of_network();
  tensors["other"] = {{1}, {NAN}};
  PlanRequest request = with_weights(tensors);
  EXPECT_EQ(beginning_of(request),
            "DIR/w.safetensors: the weights are not those of digits-mlp: digits-mlp has no place "
            "for 'other'");
  request.missing_weights = MissingWeights::AsInitial;
  EXPECT_EQ(beginning_of(request), "");
}

TEST_F(PublishedBeginning, WantsTheWeightsThatAdaptersWereLearntBeside) {
  PlanRequest request{.model = kNetwork, .adapters_path = path(".")};
  write_adapters(R"("somebody/digits")", 0);
  EXPECT_EQ(beginning_of(request),
            "the adapters in 'DIR/.' were learnt beside the weights of 'somebody/digits', and "
            "without these the network begins with values that are drawn: say where they are, by "
            "--weights");
  write(path("w.safetensors"), weights_of_network());
  request.weights_path = path("w.safetensors");
  EXPECT_EQ(beginning_of(request), "");
  request.weights_path.reset();
  for (const char* const none : {"null", "\"\""}) {
    write_adapters(none, 0);
    EXPECT_EQ(beginning_of(request),
              "the adapters in 'DIR/.' do not say which weights they were learnt beside, and the "
              "network begins with values that --seed 1 draws: --weights gives it others");
  }
  write_adapters("null", NAN);
  EXPECT_EQ(beginning_of(request),
            "DIR/./adapter_model.safetensors: 'base_model.model.fc1.lora_A.weight' holds nan at "
            "(0, 0), which is not a finite number: --allow-non-finite goes on with it");
}

}  // namespace
}  // namespace poet
