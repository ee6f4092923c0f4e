// Numbers of imported networks where the conformance cases do not look.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "poet/model/onnx_import.h"
#include "support/model_run.h"

namespace poet {
namespace {

OnnxTensor stored(const std::string& name, const OnnxElement& element, const TensorValue& value) {
  return {name, element, value.type.shape, store(value.bytes)};
}

// y of x by the nodes, x being an input or an initializer.
enum class When { AtRun, AtImport };

TensorValue result_of(const std::vector<OnnxNode>& nodes, const TensorValue& x, When known) {
  OnnxModel file{.path = "m.onnx", .opset = 13, .nodes = nodes, .outputs = {"y"}};
  const OnnxElement element{x.type.element, ""};
  if (known == When::AtImport) {
    // The value of a node is no parameter, and may be calculated with.
    file.nodes.insert(file.nodes.begin(), {.op_type = "Constant",
                                           .outputs = {"x"},
                                           .attributes = {{"value", stored("", element, x)}}});
  } else {
    file.inputs = {{"x", element, std::vector<OnnxDimension>{}}};
    for (const std::int64_t extent : x.type.shape) file.inputs[0].shape->emplace_back(extent);
  }
  const Result<Model> model = import_onnx(file, {});
  EXPECT_TRUE(model.ok()) << to_string(model.error());
  Result<std::vector<TensorValue>> made = testing::run_forward(*model, {{"x", view_of(x)}});
  EXPECT_TRUE(made.ok()) << to_string(made.error());
  return made->front();
}

OnnxNode cast_to(std::int64_t data_type) {
  return {.op_type = "Cast", .inputs = {"x"}, .outputs = {"y"}, .attributes = {{"to", data_type}}};
}

TEST(OnnxNumbers, AreCastWhileImportingAsTheKernelsDo) {
  constexpr std::int64_t kUint8 = 2;
  constexpr std::int64_t kInt32 = 6;
  constexpr std::int64_t kInt64 = 7;
  constexpr std::int64_t kBool = 9;
  const TensorValue fractions =
      float_tensor({8}, {-1.9F, 255.9F, 300, -5, 3e9F, -1e20F, std::nanf(""),
                         std::numeric_limits<float>::infinity()});
  for (const std::int64_t to : {kUint8, kInt32, kInt64, kBool})
    EXPECT_EQ(result_of({cast_to(to)}, fractions, When::AtImport),
              result_of({cast_to(to)}, fractions, When::AtRun))
        << "to " << to;
  const TensorValue wide = int64_tensor({4}, {7, 1LL << 31, -(1LL << 40), -1});
  EXPECT_EQ(result_of({cast_to(kInt32)}, wide, When::AtImport),
            result_of({cast_to(kInt32)}, wide, When::AtRun));
}

// Many of these have a mean of squares that is rounded to less than the square of the mean.
TEST(OnnxNumbers, AreThereForVarianceNormalisationOfEqualValues) {
  std::vector<float> values;
  for (int channel = 0; channel < 64; ++channel)
    values.insert(values.end(), 16, std::sqrt(static_cast<float>(channel) + 0.1F));
  const OnnxNode node{.op_type = "MeanVarianceNormalization",
                      .inputs = {"x"},
                      .outputs = {"y"},
                      .attributes = {{"axes", std::vector<std::int64_t>{2, 3}}}};
  const TensorValue y = result_of({node}, float_tensor({1, 64, 4, 4}, values), When::AtRun);
  for (const float value : floats_of(y)) EXPECT_LE(std::abs(value), 1);
}

}  // namespace
}  // namespace poet
