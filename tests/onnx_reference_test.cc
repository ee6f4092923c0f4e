// Four networks of the ONNX project's own tests, with the outputs that they must give (AlexNet,
// ResNet-50, SqueezeNet, VGG-19; their weights are made by rules): imported, checked, run forward
// with the reference kernels, differentiated and planned, where they are at hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/make_plan.h"
#include "poet/ask/plan_check.h"
#include "poet/autodiff/training_graph.h"
#include "poet/model/onnx_import.h"
#include "support/model_run.h"

namespace poet {
namespace {

std::string folder() {
  return std::string(POET_REFERENCE) + "/onnx";
}

std::string path_of(const std::string& network) {
  return folder() + "/" + network + ".onnx";
}

std::int64_t parameter_values(const Graph& graph) {
  std::int64_t values = 0;
  for (const GraphTensor& tensor : graph.tensors)
    if (tensor.role == TensorRole::Parameter) values += value_count(tensor.type.shape);
  return values;
}

struct Network {
  const char* name;
  const char* input;
  std::int64_t parameters;
};

std::ostream& operator<<(std::ostream& out, const Network& network) {
  return out << network.name;
}

class LightNetwork : public ::testing::TestWithParam<Network> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(path_of(GetParam().name)))
      GTEST_SKIP() << "no reference networks in " << folder();
  }
};
INSTANTIATE_TEST_SUITE_P(Reference, LightNetwork,
                         ::testing::Values(Network{"light_bvlc_alexnet", "data_0", 60'965'224},
                                           Network{"light_resnet50", "gpu_0/data_0", 25'557'032},
                                           Network{"light_squeezenet", "data_0", 1'235'496},
                                           Network{"light_vgg19", "data_0", 143'667'240}),
                         [](const ::testing::TestParamInfo<Network>& network) {
                           return network.param.name;
                         });

TEST_P(LightNetwork, GivesItsStoredOutput) {
  const Result<OnnxModel> file = read_onnx(path_of(GetParam().name));
  ASSERT_TRUE(file.ok()) << to_string(file.error());
  const Result<Model> model = import_onnx(*file, {.batch_size = 1});
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_FALSE(check_model(*model).has_value());
  EXPECT_EQ(parameter_values(model->graph), GetParam().parameters);

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

TEST_P(LightNetwork, TrainsEveryParameter) {
  const Result<OnnxModel> file = read_onnx(path_of(GetParam().name));
  ASSERT_TRUE(file.ok()) << to_string(file.error());
  const Result<Model> model = import_onnx(*file, {.batch_size = 1});
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  const Result<TrainingGraph> step = training_graph(*model, {});
  ASSERT_TRUE(step.ok()) << to_string(step.error());
  EXPECT_FALSE(check_graph(step->graph).has_value());
  std::int64_t trained_values = 0;
  for (const TrainedParameter& trained : step->trained) {
    const Shape& shape = at(step->graph.tensors, trained.parameter).type.shape;
    EXPECT_EQ(at(step->graph.tensors, *trained.gradient).type.shape, shape);
    trained_values += value_count(shape);
  }
  EXPECT_EQ(trained_values, GetParam().parameters);
}

// One picture, SGD, no deadline, half of the way from the largest working set to the plain peak.
TEST_P(LightNetwork, IsPlannedHalfWay) {
  PlanRequest request{.model = path_of(GetParam().name), .platform = "a72"};
  request.ram_budget = RamOnTheWay{0.5};
  request.solve.max_iterations = 200;  // a plan is wanted here, and no proof
  const Result<PlanReport> report = make_plan(asked(request), {}, {});
  ASSERT_TRUE(report.ok()) << to_string(report.error());
  ASSERT_TRUE(report->plan.has_value());
  const PlanCheck check = check_plan(*report->plan, std::nullopt);
  EXPECT_TRUE(check.valid());
  EXPECT_LE(check.replay.peak_ram_bytes, report->problem.ram_budget_bytes);
}

}  // namespace
}  // namespace poet
