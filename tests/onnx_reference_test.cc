// Four networks of the ONNX project's own tests, with the outputs that they must give (AlexNet,
// ResNet-50, SqueezeNet, VGG-19; their weights are made by rules): imported, checked and run
// forward with the reference kernels, where they are at hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "poet/model/onnx_import.h"
#include "support/model_run.h"

namespace poet {
namespace {

std::string folder() {
  return std::string(POET_REFERENCE) + "/onnx";
}

struct Network {
  const char* name;
  const char* input;
  std::int64_t parameters;
};

class LightNetwork : public ::testing::TestWithParam<Network> {};
INSTANTIATE_TEST_SUITE_P(Reference, LightNetwork,
                         ::testing::Values(Network{"light_bvlc_alexnet", "data_0", 60'965'224},
                                           Network{"light_resnet50", "gpu_0/data_0", 25'557'032},
                                           Network{"light_squeezenet", "data_0", 1'235'496},
                                           Network{"light_vgg19", "data_0", 143'667'240}),
                         [](const ::testing::TestParamInfo<Network>& network) {
                           return network.param.name;
                         });

TEST_P(LightNetwork, GivesItsStoredOutput) {
  const std::string path = folder() + "/" + GetParam().name + ".onnx";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference networks in " << folder();
  const Result<OnnxModel> file = read_onnx(path);
  ASSERT_TRUE(file.ok()) << to_string(file.error());
  const Result<Model> model = import_onnx(*file, {.batch_size = 1});
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_FALSE(check_model(*model).has_value());
  std::int64_t parameters = 0;
  for (const GraphTensor& tensor : model->graph.tensors)
    if (tensor.role == TensorRole::Parameter) parameters += value_count(tensor.type.shape);
  EXPECT_EQ(parameters, GetParam().parameters);

  // The input of the stored outputs: i / (number of values), over the whole picture.
  const TensorType type{ElementType::Float32, {1, 3, 224, 224}};
  std::vector<float> picture(static_cast<std::size_t>(value_count(type.shape)));
  for (std::size_t i = 0; i < picture.size(); ++i)
    picture[i] = static_cast<float>(i) / static_cast<float>(picture.size());
  const TensorView input{type, std::as_bytes(std::span<const float>(picture))};
  const Result<std::vector<TensorValue>> outputs =
      testing::run_forward(*model, {{GetParam().input, input}});
  ASSERT_TRUE(outputs.ok()) << to_string(outputs.error());

  const Result<OnnxTensor> stored =
      read_onnx_tensor(folder() + "/" + GetParam().name + "_output_0.pb");
  ASSERT_TRUE(stored.ok()) << to_string(stored.error());
  ASSERT_EQ(outputs->front().type.shape, stored->shape);
  const std::vector<float> is = floats_of(outputs->front());
  std::vector<float> wanted(is.size());
  std::memcpy(wanted.data(), stored->values.bytes.data(), stored->values.bytes.size());
  for (std::size_t i = 0; i < is.size(); ++i)
    ASSERT_NEAR(is[i], wanted[i], 1e-7 + 1e-3 * std::abs(wanted[i])) << "value " << i;
}

}  // namespace
}  // namespace poet
