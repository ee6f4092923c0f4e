#include "poet/model/onnx_import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "poet/graph/operator.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

OnnxNode node(const std::string& op_type, const std::vector<std::string>& inputs,
              const std::vector<std::string>& outputs,
              const std::vector<OnnxAttribute>& attributes = {}) {
  return {.name = outputs.front() + "_node",
          .op_type = op_type,
          .inputs = inputs,
          .outputs = outputs,
          .attributes = attributes};
}

OnnxTensor floats(const std::string& name, const Shape& shape, float value = 1) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(value_count(shape)) * sizeof value);
  for (std::size_t i = 0; i < bytes.size(); i += sizeof value)
    std::memcpy(&bytes[i], &value, sizeof value);
  return {name, {ElementType::Float32, "float32"}, shape, store(std::move(bytes))};
}

OnnxTensor wholes(const std::string& name, const std::vector<std::int64_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::int64_t));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {name,
          {ElementType::Int64, "int64"},
          {static_cast<std::int64_t>(values.size())},
          store(std::move(bytes))};
}

OnnxTensor scalar(const std::string& name, std::int64_t value) {
  OnnxTensor tensor = wholes(name, {value});
  tensor.shape = {};
  return tensor;
}

OnnxInput picture(const std::string& name, const std::vector<OnnxDimension>& shape) {
  return {name, {ElementType::Float32, "float32"}, shape};
}

const OnnxDimension kOpen = std::string("batch");
OnnxDimension extent(std::int64_t value) {
  return value;
}

OnnxModel exported_by(const std::string& producer, OnnxModel file) {
  file.producer = producer;
  return file;
}

// y of x (batch, 6) by the nodes.
OnnxModel model_of(const std::vector<OnnxNode>& nodes,
                   const std::vector<OnnxTensor>& initializers = {}) {
  return {.path = "m.onnx",
          .graph_name = "m",
          .opset = 13,
          .nodes = nodes,
          .initializers = initializers,
          .inputs = {picture("x", {kOpen, extent(6)})},
          .outputs = {"y"}};
}

Result<Model> imported(const OnnxModel& file) {
  return import_onnx(file, {.batch_size = 4});
}

std::string refusal(const OnnxModel& file) {
  const Result<Model> model = imported(file);
  return model.ok() ? "none" : to_string(model.error());
}

const GraphTensor& tensor_named(const Model& model, const std::string& name) {
  return *std::find_if(model.graph.tensors.begin(), model.graph.tensors.end(),
                       [&name](const GraphTensor& tensor) { return tensor.name == name; });
}

std::vector<Operator> kinds(const Model& model) {
  std::vector<Operator> kinds;
  for (const GraphOperation& operation : model.graph.operations) kinds.push_back(operation.kind);
  return kinds;
}

TEST(OnnxImport, MakesAGraphWithTheNamesOfTheFile) {
  const Result<Model> model =
      imported(model_of({node("Gemm", {"x", "w", "b"}, {"h"}, {{"transB", std::int64_t{1}}}),
                         node("Relu", {"h"}, {"y"})},
                        {floats("w", {3, 6}), floats("b", {3})}));
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(kinds(*model), (std::vector<Operator>{Operator::MatMul, Operator::Relu}));
  EXPECT_EQ(model->graph.operations[0].name, "h_node");
  EXPECT_EQ(tensor_named(*model, "h").type.shape, (Shape{4, 3}));
  EXPECT_EQ(tensor_named(*model, "w").role, TensorRole::Parameter);
  EXPECT_EQ(tensor_named(*model, "w").home, Home::Storage);
  EXPECT_EQ(tensor_named(*model, "x").role, TensorRole::Input);
  ASSERT_EQ(model->inputs.size(), 1U);
  EXPECT_EQ(model->inputs[0].name, "x");
  ASSERT_EQ(model->outputs.size(), 1U);
  EXPECT_EQ(model->outputs[0].name, "y");
  EXPECT_FALSE(check_model(*model).has_value());
}

TEST(OnnxImport, TakesOpenExtentsFromTheOptions) {
  OnnxModel file = model_of({node("Relu", {"x"}, {"y"})});
  file.inputs = {picture("x", {kOpen, std::string("length"), extent(2)})};
  const Result<Model> model = import_onnx(file, {.batch_size = 4, .dimensions = {{"length", 7}}});
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(tensor_named(*model, "y").type.shape, (Shape{4, 7, 2}));
  EXPECT_EQ(refusal(file),
            "m.onnx: input 'x': dimension 1 ('length') has no fixed extent; give it by its name");
  EXPECT_EQ(to_string(import_onnx(file, {.dimensions = {{"length", 7}}}).error()),
            "m.onnx: input 'x': dimension 0 ('batch') has no fixed extent; give the batch size");
  EXPECT_EQ(to_string(import_onnx(file, {.batch_size = 1, .dimensions = {{"lenght", 7}}}).error()),
            "m.onnx: no input has a dimension called 'lenght'; did you mean 'length'?");
  file.inputs = {picture("x", {extent(1), std::monostate{}})};
  EXPECT_EQ(refusal(file),
            "m.onnx: input 'x' was exported for a batch size of 1; for 4, export it with an open "
            "one");
  EXPECT_EQ(to_string(import_onnx(file, {}).error()),
            "m.onnx: input 'x': dimension 1 has no fixed extent; export it with a fixed or named "
            "one");
  file.inputs[0].shape.reset();
  EXPECT_EQ(refusal(file), "m.onnx: input 'x' has no shape; export it with one");
}

// As exporters flatten: the batch size of the input, and -1.
TEST(OnnxImport, CalculatesShapesWhileImporting) {
  const Result<Model> model = imported(
      model_of({node("Shape", {"x"}, {"shape"}), node("Gather", {"shape", "zero"}, {"batch"}),
                node("Concat", {"batch", "rest"}, {"wanted"}, {{"axis", std::int64_t{0}}}),
                node("Reshape", {"x", "wanted"}, {"y"})},
               {wholes("zero", {0}), wholes("rest", {3, -1})}));
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(kinds(*model), std::vector<Operator>{Operator::Reshape});
  EXPECT_EQ(tensor_named(*model, "y").type.shape, (Shape{4, 3, 2}));
  EXPECT_EQ(model->graph.tensors.size(), 2U);
}

TEST(OnnxImport, LeavesOutWhatTheOutputsDoNotNeed) {
  OnnxModel file = model_of({node("Relu", {"x"}, {"y"}), node("Nonsense", {"z"}, {"unused"})});
  file.inputs.push_back(picture("z", {std::monostate{}}));
  const Result<Model> model = imported(file);
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(model->inputs.size(), 1U);
  EXPECT_EQ(model->graph.operations.size(), 1U);
}

TEST(OnnxImport, SortsNodesThatAreOutOfOrder) {
  const Result<Model> model =
      imported(model_of({node("Relu", {"h"}, {"y"}), node("Exp", {"x"}, {"h"})}));
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(kinds(*model), (std::vector<Operator>{Operator::Exp, Operator::Relu}));
}

TEST(OnnxImport, NamesTheNodeThatIsWrong) {
  EXPECT_EQ(refusal(model_of({node("Relu", {"h"}, {"y"}), node("Exp", {"y"}, {"h"})})),
            "m.onnx: Relu 'y_node': what it reads needs its own output, directly or not");
  EXPECT_EQ(refusal(model_of({node("Relu", {"h"}, {"y"})})),
            "m.onnx: Relu 'y_node': no node makes its input 'h'");
  EXPECT_EQ(refusal(model_of({node("Relu", {"x"}, {"h"})})),
            "m.onnx: no node makes the output 'y'");
  EXPECT_EQ(refusal(model_of({node("Relu", {"x"}, {"y"}), node("Exp", {"x"}, {"y"})})),
            "m.onnx: Exp 'y_node': its output 'y' is there already");
  EXPECT_EQ(refusal(model_of({node("Relu", {}, {"y"})})),
            "m.onnx: Relu 'y_node': takes 1 input, not 0");
  EXPECT_EQ(refusal(model_of({node("Relu", {"x"}, {"y"}, {{"slope", 1.0F}})})),
            "m.onnx: Relu 'y_node': POET does not know its attribute 'slope'");
  EXPECT_EQ(refusal(model_of({node("Softmax", {"x"}, {"y"}, {{"axis", 1.0F}})})),
            "m.onnx: Softmax 'y_node': the attribute axis must be a whole number");
  EXPECT_EQ(refusal(model_of({node("Softmax", {"x"}, {"y"}, {{"axis", std::int64_t{2}}})})),
            "m.onnx: Softmax 'y_node': axis 2 is not one of the 2 dimensions");
  EXPECT_EQ(refusal(model_of({node("Reshape", {"x", "s"}, {"y"})}, {wholes("s", {5, -1})})),
            "m.onnx: Reshape 'y_node': float32 (4, 6) cannot take the shape (5, -1)");
  EXPECT_EQ(
      refusal(model_of({node("Gemm", {"x", "w"}, {"y"})}, {floats("w", {5, 3})})),
      "m.onnx: y_node (matmul): the matrices (4, 6) and (5, 3) do not fit: 6 columns for 5 rows");
  EXPECT_EQ(refusal(model_of({node("MaxPool", {"x"}, {"y"})})),
            "m.onnx: MaxPool 'y_node': takes (N, C) and spatial dimensions, not (4, 6)");
}

// Found by fuzzing: what is folded may be missing or senseless too.
TEST(OnnxImport, RefusesConstantsThatAreNone) {
  EXPECT_EQ(refusal(model_of({node("Floor", {""}, {"y"})})),
            "m.onnx: Floor 'y_node': its input 0 is missing");
  EXPECT_EQ(refusal(model_of({node("Expand", {"one", "s"}, {"y"})},
                             {wholes("one", {1}), wholes("s", {-5})})),
            "m.onnx: Expand 'y_node': its shape is (-5)");
  // Each extent was a reason to refuse, and each sentence named all of them.
  EXPECT_EQ(refusal(model_of({node("Expand", {"one", "s"}, {"y"})},
                             {wholes("one", {1}), wholes("s", std::vector<std::int64_t>(17, -2))})),
            "m.onnx: Expand 'y_node': its shape has 17 dimensions, and the extent -2 among them");
  EXPECT_EQ(
      refusal(model_of({node("Reshape", {"none", "s"}, {"y"}, {{"allowzero", std::int64_t{1}}})},
                       {wholes("none", {}), wholes("s", {0, 1LL << 62})})),
      "m.onnx: Reshape 'y_node': its output has the shape (1, 4611686018427387904): a tensor "
      "has at most 2147483647 values");
  EXPECT_EQ(refusal(model_of(
                {node("ConstantOfShape", {"s"}, {"y"}, {{"value", wholes("", {(1LL << 53) + 1})}})},
                {wholes("s", {2})})),
            "m.onnx: ConstantOfShape 'y_node': POET fills a tensor with whole numbers of up to 53 "
            "bits only");
}

TEST(OnnxImport, RefusesHugeShapes) {
  OnnxModel file = model_of({node("Relu", {"x"}, {"y"})});
  const auto refusal_of_input = [&file](const std::vector<OnnxDimension>& shape) {
    file.inputs = {picture("x", shape)};
    return to_string(import_onnx(file, {}).error());
  };
  EXPECT_EQ(refusal_of_input({extent(1LL << 40)}),
            "m.onnx: input 'x': dimension 0 has the extent 1099511627776; it must be from 1 to "
            "2147483647");
  EXPECT_EQ(refusal_of_input({extent(6), extent(-3)}),
            "m.onnx: input 'x': dimension 1 has the extent -3; it must be from 1 to 2147483647");
  EXPECT_EQ(refusal_of_input({extent(1 << 20), extent(1 << 20)}),
            "m.onnx: input 'x' has the shape (1048576, 1048576): a tensor has at most 2147483647 "
            "values");
  const OnnxTensor huge = wholes("s", {1 << 20, 1 << 20, 6});
  EXPECT_EQ(
      refusal(model_of({node("Expand", {"row", "s"}, {"y"})}, {huge, floats("row", {6})})),
      "m.onnx: y_node (expand): what is asked for has the shape (1048576, 1048576, 6): a tensor "
      "has at most 2147483647 values");
  EXPECT_EQ(refusal(model_of({node("ConstantOfShape", {"s"}, {"y"})}, {huge})),
            "m.onnx: ConstantOfShape 'y_node': its output has the shape (1048576, 1048576, 6): a "
            "tensor has at most 2147483647 values");
  EXPECT_EQ(refusal(model_of({node("Range", {"zero", "many", "one"}, {"y"})},
                             {scalar("zero", 0), scalar("one", 1), scalar("many", 1 << 30)})),
            "m.onnx: Range 'y_node': makes more than 2097152 values before the network runs");
}

// Each of them is small enough, but nothing is forgotten before the import ends.
TEST(OnnxImport, RefusesToCalculateWithoutEnd) {
  if (testing::kUnderSanitizers) GTEST_SKIP() << "half a gigabyte, which sanitizers triple";
  std::vector<OnnxNode> nodes;
  OnnxNode all = node("Concat", {}, {"y"}, {{"axis", std::int64_t{0}}});
  for (int i = 0; i < 33; ++i) {
    all.inputs.push_back("part" + std::to_string(i));
    nodes.push_back(node("Range", {"zero", "many", "one"}, {all.inputs.back()}));
  }
  nodes.push_back(all);
  EXPECT_EQ(
      refusal(model_of(nodes, {scalar("zero", 0), scalar("one", 1), scalar("many", 1 << 21)})),
      "m.onnx: Range 'part32_node': with it, more than 536870912 bytes would be calculated "
      "before the network runs");
}

TEST(OnnxImport, RefusesValuesOfTheWrongType) {
  OnnxModel file = model_of({node("Relu", {"x"}, {"y"})});
  file.inputs[0].element = {ElementType::Int64, "int64"};
  EXPECT_EQ(refusal(file), "m.onnx: y_node (relu): takes float32 values, not int64 (4, 6)");
  EXPECT_EQ(refusal(model_of({node("Add", {"x", "w"}, {"y"})}, {wholes("w", {1})})),
            "m.onnx: y_node (add): the second input must be float32, not int64 (1)");
  EXPECT_EQ(refusal(model_of({node("Gather", {"x", "w"}, {"y"})}, {floats("w", {2})})),
            "m.onnx: y_node (gather): the indices must be int32 or int64, not float32 (2)");
  EXPECT_EQ(refusal(model_of({node("Reshape", {"x", "w"}, {"y"})}, {floats("w", {2})})),
            "m.onnx: Reshape 'y_node': its shape must be whole numbers, not float32 (2)");
}

TEST(OnnxImport, ListsAllOperatorsThatItHasNotGot) {
  EXPECT_EQ(
      refusal(model_of({node("Det", {"x"}, {"h"}), node("NonZero", {"x"}, {"i"}),
                        node("Cast", {"x"}, {"j"}, {{"to", std::int64_t{8}}}),
                        node("Concat", {"h", "i", "j"}, {"y"}, {{"axis", std::int64_t{0}}})})),
      "m.onnx: POET does not support these operators:\n  Det 'h_node': write it with other "
      "operators, or export it with its definition as a function of the file\n  NonZero "
      "'i_node': the size of what it makes depends on values; leave it out of the network, or "
      "use a mask\n  Cast 'j_node': POET has no string values");
  std::vector<OnnxNode> many;
  std::vector<std::string> made;
  for (int i = 0; i < 27; ++i) {
    made.push_back(std::to_string(i));
    many.push_back(node("Det", {"x"}, {made.back()}));
  }
  many.push_back(node("Sum", made, {"y"}));
  const std::string all = refusal(model_of(many));
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 21);
  EXPECT_NE(all.find("\n  and 7 more"), std::string::npos);
  OnnxNode foreign = node("Relu", {"x"}, {"y"});
  foreign.domain = "com.example";
  EXPECT_EQ(refusal(model_of({foreign})),
            "m.onnx: POET does not support these operators:\n  Relu 'y_node' of 'com.example': "
            "export it as operators of ONNX, or with its definition as a function of the file");
}

TEST(OnnxImport, RefusesTypesThatItHasNotGot) {
  OnnxModel file = model_of({node("Relu", {"x"}, {"y"})});
  file.inputs[0].element = {std::nullopt, "uint16"};
  EXPECT_EQ(refusal(file), "m.onnx: input 'x' has uint16 values, which POET does not support");
  file = model_of({node("Add", {"x", "w"}, {"y"})}, {floats("w", {6})});
  file.initializers[0].element = {std::nullopt, "int8"};
  EXPECT_EQ(refusal(file), "m.onnx: initializer 'w' has int8 values, which POET does not support");
}

OnnxTensor halves(const std::string& name, const std::vector<std::uint16_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::uint16_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {name,
          {std::nullopt, "float16", ElementType::Float32},
          {static_cast<std::int64_t>(values.size())},
          store(std::move(bytes))};
}

TEST(OnnxImport, WidensFloat16AndSaysSo) {
  // 1, -2, the least above 0, the largest, infinity, a third
  const Result<Model> model =
      imported(model_of({node("Add", {"x", "w"}, {"y"})},
                        {halves("w", {0x3C00, 0xC000, 0x0001, 0x7BFF, 0x7C00, 0x3555})}));
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  const TensorId w = model->graph.operations[0].inputs[1];
  EXPECT_EQ(at(model->graph.tensors, w).role, TensorRole::Parameter);
  const std::vector<std::byte> bytes =
      initial_bytes(model->initial.at(w), at(model->graph.tensors, w).type);
  std::vector<float> values(6);
  ASSERT_EQ(bytes.size(), values.size() * sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  EXPECT_EQ(values, (std::vector<float>{1, -2, 0x1p-24F, 65504,
                                        std::numeric_limits<float>::infinity(), 0x1.554p-2F}));
  ASSERT_EQ(model->notes.size(), 1U);
  EXPECT_EQ(
      model->notes[0],
      "the file has float16 values, in 1 place; POET calculates with them as float32, so that "
      "results differ by the rounding of float16");
}

TEST(OnnxImport, RefusesFloat64ThatFloat32HasNotGot) {
  const double large = 1e300;
  std::vector<std::byte> bytes(sizeof large);
  std::memcpy(bytes.data(), &large, sizeof large);
  OnnxModel file = model_of({node("Add", {"x", "w"}, {"y"})});
  file.initializers = {
      {"w", {std::nullopt, "float64", ElementType::Float32}, {1}, store(std::move(bytes))}};
  EXPECT_EQ(
      refusal(file),
      "m.onnx: 'w' holds 1e+300, which is beyond float32, the type that POET calculates with");
}

// y = Outer(x), whose body calls Scale with an attribute of its own call.
OnnxModel with_functions() {
  OnnxModel file = model_of({});
  OnnxNode call = node("Outer", {"x"}, {"y"}, {{"slope", 0.25F}});
  call.domain = "mine";
  file.nodes = {call};
  OnnxNode inner = node("Scale", {"a"}, {"h"}, {{"alpha", AttributeOfCall{"slope"}}});
  inner.domain = "mine";
  OnnxNode leaky = node("LeakyRelu", {"v"}, {"w"}, {{"alpha", AttributeOfCall{"alpha"}}});
  OnnxNode reduce = node("ReduceMean", {"h", "axes"}, {"b"});
  OnnxNode axes = node("Constant", {}, {"axes"}, {{"value_ints", std::vector<std::int64_t>{1}}});
  file.functions = {
      {.name = "Outer",
       .domain = "mine",
       .opset = 18,
       .inputs = {"a"},
       .outputs = {"b"},
       .nodes = {axes, inner, reduce}},
      {.name = "Scale", .domain = "mine", .inputs = {"v"}, .outputs = {"w"}, .nodes = {leaky}}};
  for (OnnxNode& one : file.functions[0].nodes) one.opset = 18;
  return file;
}

TEST(OnnxImport, PutsFunctionsInThePlacesOfTheirCalls) {
  const Result<Model> model = imported(with_functions());
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(kinds(*model), (std::vector<Operator>{Operator::LeakyRelu, Operator::ReduceMean}));
  EXPECT_EQ(model->graph.operations[0].attributes, Attributes(ScalarAttributes{.alpha = 0.25F}));
  EXPECT_EQ(model->graph.operations[0].name, "y_node/h_node/w_node");
  EXPECT_EQ(tensor_named(*model, "y_node/h").type.shape, (Shape{4, 6}));
  EXPECT_EQ(tensor_named(*model, "y").type.shape, (Shape{4, 1}));
}

TEST(OnnxImport, TakesAttributesThatACallLeavesOutFromTheFunction) {
  OnnxModel file = with_functions();
  file.nodes[0].attributes.clear();
  file.functions[0].defaults = {{"slope", 0.5F}};
  Result<Model> model = imported(file);
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(model->graph.operations[0].attributes, Attributes(ScalarAttributes{.alpha = 0.5F}));
  file.functions[0].defaults.clear();  // then the operator's own
  model = imported(file);
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(model->graph.operations[0].attributes, Attributes(ScalarAttributes{.alpha = 0.01F}));
}

TEST(OnnxImport, PassesOnWhatAFunctionOnlyHandsBack) {
  OnnxModel file = model_of({node("Pair", {"x"}, {"h", "i"}), node("Add", {"h", "i"}, {"y"})});
  file.functions = {{.name = "Pair", .inputs = {"a", "b"}, .outputs = {"a", "a"}}};
  const Result<Model> model = imported(file);
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(kinds(*model), std::vector<Operator>{Operator::Add});
  EXPECT_EQ(model->graph.operations[0].inputs[0], model->inputs[0].tensor);
}

TEST(OnnxImport, RefusesFunctionsThatDoNotEnd) {
  OnnxModel file = with_functions();
  file.functions[1].nodes[0].op_type = "Outer";
  file.functions[1].nodes[0].domain = "mine";
  EXPECT_EQ(refusal(file),
            "m.onnx: Outer 'y_node/h_node/w_node': the function calls itself, "
            "directly or not");
  // Each calls the next one twice: 2^63 calls of nothing.
  file = model_of({node("f0", {"x"}, {"y"})});
  for (int i = 0; i < 63; ++i) {
    const std::string next = "f" + std::to_string(i + 1);
    file.functions.push_back({.name = "f" + std::to_string(i),
                              .inputs = {"a"},
                              .outputs = {"b"},
                              .nodes = {node(next, {"a"}, {"h"}), node(next, {"h"}, {"b"})}});
  }
  file.functions.push_back({.name = "f63", .inputs = {"a"}, .outputs = {"a"}});
  EXPECT_NE(refusal(file).find("in its functions are too long"), std::string::npos)
      << refusal(file);
}

TEST(OnnxImport, RefusesFunctionsThatReadWhatIsNotThere) {
  OnnxModel file = with_functions();
  file.functions[1].nodes[0].inputs = {"u"};
  EXPECT_EQ(refusal(file),
            "m.onnx: Scale 'y_node/h_node': LeakyRelu 'w_node' of the function reads 'u', which is "
            "neither an input nor made there");
  file = with_functions();
  file.functions[1].outputs = {"z"};
  EXPECT_EQ(refusal(file),
            "m.onnx: Scale 'y_node/h_node': the function does not make its output 'z'");
  file = with_functions();
  file.nodes[0].inputs = {"x", "x"};
  EXPECT_EQ(refusal(file),
            "m.onnx: Outer 'y_node': the function has 1 inputs and 1 outputs, not 2 and 1");
}

std::vector<OnnxTensor> batch_norm_weights() {
  return {floats("scale", {6}), floats("bias", {6}), floats("mean", {6}), floats("var", {6})};
}

TEST(OnnxImport, KeepsBatchNormsTrainable) {
  const OnnxModel file = model_of({node("BatchNormalization", {"x", "scale", "bias", "mean", "var"},
                                        {"y"}, {{"momentum", 0.75F}, {"epsilon", 0.5F}})},
                                  batch_norm_weights());
  const Result<Model> model = imported(file);
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(kinds(*model), std::vector<Operator>{Operator::BatchNormInference});
  EXPECT_EQ(tensor_named(*model, "scale").role, TensorRole::Parameter);
  EXPECT_EQ(tensor_named(*model, "mean").role, TensorRole::Statistic);
  EXPECT_EQ(model->batch_norms,
            (std::vector<TrainedBatchNorm>{{.operation = {}, .rate = 0.25F, .unbiased = false}}));
  const Result<Model> frozen =
      import_onnx(file, {.batch_size = 4, .batch_norms = BatchNormTraining::Frozen});
  ASSERT_TRUE(frozen.ok());
  EXPECT_TRUE(frozen->batch_norms.empty());
}

// In training mode the outputs of the running statistics are there, but nobody reads them.
TEST(OnnxImport, TakesBatchNormsThatWereExportedToTrain) {
  OnnxModel file = model_of({node("BatchNormalization", {"x", "scale", "bias", "mean", "var"},
                                  {"y", "m", "v"}, {{"training_mode", std::int64_t{1}}})},
                            batch_norm_weights());
  file.opset = 14;
  const Result<Model> model =
      import_onnx(file, {.batch_size = 4, .batch_norms = BatchNormTraining::Frozen});
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(kinds(*model), std::vector<Operator>{Operator::BatchNormInference});
  EXPECT_EQ(model->batch_norms.size(), 1U);
  file.outputs = {"y", "m", "v"};
  const Result<Model> with_statistics = imported(file);
  ASSERT_TRUE(with_statistics.ok()) << to_string(with_statistics.error());
  EXPECT_EQ(kinds(*with_statistics),
            (std::vector<Operator>{Operator::BatchNorm, Operator::RunningStatistics}));
}

TEST(OnnxImport, GivesATensorThatIsWeightAndStatisticTwoPlaces) {
  const Result<Model> model =
      imported(model_of({node("BatchNormalization", {"x", "one", "zero", "zero", "one"}, {"y"})},
                        {floats("one", {6}, 1), floats("zero", {6}, 0)}));
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(tensor_named(*model, "one").role, TensorRole::Parameter);
  EXPECT_EQ(tensor_named(*model, "one_2").role, TensorRole::Statistic);
}

// As the ONNX project's own networks without weights are.
TEST(OnnxImport, TrainsWeightsThatARuleMakesWhereAFileHasNoOthers) {
  const Result<Model> model = imported(
      model_of({node("ConstantOfShape", {"shape"}, {"w"}), node("MatMul", {"x", "w"}, {"y"})},
               {wholes("shape", {6, 3})}));
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(tensor_named(*model, "w").role, TensorRole::Parameter);
  EXPECT_TRUE(std::holds_alternative<FilledWith>(model->initial.begin()->second));
}

// GroupNorm of PyTorch is written so: the ones and zeros normalise, and are not trained.
TEST(OnnxImport, KeepsConstantsThatAreReadAsScaleBiasOrWeight) {
  const Result<Model> model =
      imported(model_of({node("Constant", {}, {"one"}, {{"value", floats("", {6}, 1)}}),
                         node("Constant", {}, {"zero"}, {{"value", floats("", {6}, 0)}}),
                         node("Constant", {}, {"fixed"}, {{"value", floats("", {6, 6}, 2)}}),
                         node("MatMul", {"x", "w"}, {"h"}), node("MatMul", {"h", "fixed"}, {"n"}),
                         node("LayerNormalization", {"n", "one", "zero"}, {"y"})},
                        {floats("w", {6, 6})}));
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(tensor_named(*model, "w").role, TensorRole::Parameter);
  for (const char* const name : {"one", "zero", "fixed"}) {
    EXPECT_EQ(tensor_named(*model, name).role, TensorRole::Constant) << name;
    EXPECT_EQ(tensor_named(*model, name).home, Home::Rom) << name;
  }
}

TEST(OnnxImport, TrainsAnInitializerWithoutDimensionsThatIsReadAsAWeight) {
  const Result<Model> model =
      imported(model_of({node("MatMul", {"x", "w"}, {"h"}), node("PRelu", {"h", "slope"}, {"y"})},
                        {floats("w", {6, 6}), floats("slope", {}, 0.25F)}));
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(tensor_named(*model, "slope").role, TensorRole::Parameter);
}

// PyTorch writes what is no parameter as a node, or under a name of its own.
TEST(OnnxImport, TrainsANumberWithoutDimensionsThatPyTorchNamed) {
  const auto role_of = [](const std::string& producer, const std::string& name) {
    const Result<Model> model = imported(exported_by(
        producer, model_of({node("MatMul", {"x", "w"}, {"h"}), node("Mul", {"h", name}, {"y"})},
                           {floats("w", {6, 6}), floats(name, {}, 0.25F)})));
    EXPECT_TRUE(model.ok());
    return model.ok() ? tensor_named(*model, name).role : TensorRole::Input;
  };
  EXPECT_EQ(role_of("pytorch", "logit_scale"), TensorRole::Parameter);
  EXPECT_EQ(role_of("pytorch", "val_13"), TensorRole::Constant);
  EXPECT_EQ(role_of("pytorch", "lifted_tensor_0"), TensorRole::Constant);
  EXPECT_EQ(role_of("another", "logit_scale"), TensorRole::Constant);
}

// Ones and zeros under names of the export's stand where a group norm became one of instances.
TEST(OnnxImport, DoesNotTrainWhatFillsANormOfInstances) {
  const auto parameters = [](const std::string& scale, const std::string& bias, float ones) {
    OnnxModel file = model_of(
        {node("Conv", {"x", "w"}, {"h"}), node("InstanceNormalization", {"h", scale, bias}, {"y"})},
        {floats("w", {2, 2, 1, 1}), floats(scale, {2}, ones), floats(bias, {2}, 0)});
    file.inputs = {picture("x", {kOpen, extent(2), extent(3), extent(3)})};
    const Result<Model> model = imported(exported_by("pytorch", file));
    EXPECT_TRUE(model.ok());
    std::int64_t count = 0;
    for (const GraphTensor& tensor : model->graph.tensors)
      count += tensor.role == TensorRole::Parameter ? 1 : 0;
    return count;
  };
  EXPECT_EQ(parameters("val_5", "val_6", 1), 1);
  EXPECT_EQ(parameters("val_5", "val_6", 0.5F), 3);
  EXPECT_EQ(parameters("norm.weight", "norm.bias", 1), 3);
}

TEST(OnnxImport, SaysThatAnExportFoldedBatchNorms) {
  OnnxModel file = model_of(
      {node("Conv", {"x", "onnx::Conv_48", "onnx::Conv_49"}, {"h"}),
       node("Conv", {"h", "c.weight", "c.bias"}, {"i"}), node("Conv", {"i", "50", "51"}, {"y"})},
      {floats("onnx::Conv_48", {2, 2, 1, 1}), floats("onnx::Conv_49", {2}),
       floats("c.weight", {2, 2, 1, 1}), floats("c.bias", {2}), floats("50", {2, 2, 1, 1}),
       floats("51", {2})});
  file.inputs = {picture("x", {kOpen, extent(2), extent(3), extent(3)})};
  const Result<Model> model = imported(exported_by("pytorch", file));
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(model->notes,
            std::vector<std::string>{
                "the export folded batch norms into 2 convolutions, such as Conv 'h_node', which "
                "train without them, to other numbers than in PyTorch; torch.onnx.export(..., "
                "training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False) keeps "
                "them"});
  EXPECT_TRUE(imported(file)->notes.empty());  // by another program
}

TEST(OnnxImport, SaysThatAnExportMergedParameters) {
  const OnnxModel file = exported_by("pytorch", model_of({node("Identity", {"a.bias"}, {"b.bias"}),
                                                          node("Add", {"x", "a.bias"}, {"h"}),
                                                          node("Add", {"h", "b.bias"}, {"y"})},
                                                         {floats("a.bias", {6}, 0)}));
  const Result<Model> model = imported(file);
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(model->notes,
            std::vector<std::string>{
                "the export merged 2 parameters that had equal values, such as 'a.bias' and "
                "'b.bias', and they are trained as one where PyTorch trains each; "
                "torch.onnx.export(..., training=torch.onnx.TrainingMode.TRAINING, "
                "do_constant_folding=False) keeps them apart"});
}

TEST(OnnxImport, SaysThatParametersWereMergedAlsoOneBehindTheOther) {
  const Result<Model> model = imported(exported_by(
      "pytorch", model_of({node("Identity", {"a.b"}, {"b.b"}), node("Identity", {"b.b"}, {"c.b"}),
                           node("Add", {"x", "a.b"}, {"h"}), node("Add", {"h", "c.b"}, {"y"})},
                          {floats("a.b", {6}, 0)})));
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  ASSERT_EQ(model->notes.size(), 1U);
  EXPECT_NE(model->notes[0].find("2 parameters that had equal values, such as 'a.b' and 'c.b'"),
            std::string::npos);
}

// What is tied in PyTorch too has one name; running statistics are tensors of their own.
TEST(OnnxImport, SaysNothingOfParametersThatAreOneOrWouldBeTwo) {
  const OnnxModel file = exported_by(
      "pytorch",
      model_of({node("Identity", {"n.weight"}, {"n.running_var"}),
                node("Identity", {"n.bias"}, {"n.running_mean"}), node("Add", {"x", "tied"}, {"h"}),
                node("Add", {"h", "tied"}, {"i"}),
                node("BatchNormalization",
                     {"i", "n.weight", "n.bias", "n.running_mean", "n.running_var"}, {"y"})},
               {floats("tied", {6}), floats("n.weight", {6}), floats("n.bias", {6}, 0)}));
  const Result<Model> model = imported(file);
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_TRUE(model->notes.empty());
}

TEST(OnnxImport, DropsDropoutsUnlessTheyWereExportedToTrain) {
  OnnxModel file = model_of({node("Dropout", {"x", "ratio", "training"}, {"h"}),
                             node("Dropout", {"h", "", "training"}, {"y"})},
                            {floats("ratio", {}, 0.25F)});
  OnnxTensor training = wholes("training", {1});
  training.shape = {};
  file.initializers.push_back(training);
  const Result<Model> model = imported(file);
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  ASSERT_EQ(model->graph.operations.size(), 2U);
  EXPECT_EQ(model->graph.operations[0].attributes,
            Attributes(DropoutAttributes{.probability = 0.25F, .number = 0}));
  EXPECT_EQ(model->graph.operations[1].attributes,
            Attributes(DropoutAttributes{.probability = 0.5F, .number = 1}));
  EXPECT_TRUE(model->step.has_value());
  const Result<Model> inference =
      imported(model_of({node("Dropout", {"x"}, {"h"}), node("Relu", {"h"}, {"y"})}));
  ASSERT_TRUE(inference.ok());
  EXPECT_EQ(kinds(*inference), std::vector<Operator>{Operator::Relu});
}

TEST(OnnxImport, JoinsAnyNumberOfTensors) {
  std::vector<std::string> inputs(20, "x");
  const Result<Model> model =
      imported(model_of({node("Concat", inputs, {"y"}, {{"axis", std::int64_t{-1}}})}));
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_EQ(model->graph.operations.size(), 3U);
  EXPECT_EQ(tensor_named(*model, "y").type.shape, (Shape{4, 120}));
}

TEST(OnnxImport, KeepsAnOutputThatIsAnInput) {
  const Result<Model> model = imported(model_of({node("Identity", {"x"}, {"y"})}));
  ASSERT_TRUE(model.ok()) << to_string(model.error());
  EXPECT_TRUE(model->graph.operations.empty());
  EXPECT_EQ(model->outputs[0].tensor, model->inputs[0].tensor);
  EXPECT_EQ(model->outputs[0].name, "y");
}

}  // namespace
}  // namespace poet
