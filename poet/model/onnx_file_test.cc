#include "poet/model/onnx_file.h"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <filesystem>

#include "poet/base/text_file.h"
#include "poet/model/onnx_file_weights.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

// y = x + w, w = (1, 2)
onnx::ModelProto small_model() {
  onnx::ModelProto model;
  model.set_ir_version(7);
  model.add_opset_import()->set_version(13);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("small");
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("Add");
  node.set_name("add");
  node.add_input("x");
  node.add_input("w");
  node.add_output("y");
  onnx::TensorProto& weight = *graph.add_initializer();
  weight.set_name("w");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(2);
  weight.add_float_data(1);
  weight.add_float_data(2);
  onnx::ValueInfoProto& input = *graph.add_input();
  input.set_name("x");
  onnx::TypeProto::Tensor& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_param("batch");
  type.mutable_shape()->add_dim()->set_dim_value(2);
  type.mutable_shape()->add_dim();
  graph.add_output()->set_name("y");
  return model;
}

Result<OnnxModel> parsed(const onnx::ModelProto& model) {
  const std::string text = model.SerializeAsString();
  return parse_onnx(std::as_bytes(std::span<const char>(text)), "m.onnx");
}

std::string refusal(const onnx::ModelProto& model) {
  const Result<OnnxModel> file = parsed(model);
  return file.ok() ? "none" : to_string(file.error());
}

std::vector<float> floats(const OnnxTensor& tensor) {
  std::vector<float> values(tensor.values.bytes.size() / sizeof(float));
  if (!values.empty())
    std::memcpy(values.data(), tensor.values.bytes.data(), tensor.values.bytes.size());
  return values;
}

// A folder of its own for each test.
class OnnxFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("poet_onnx_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "model");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / "model" / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    EXPECT_FALSE(write_text_file(path(name), text).has_value());
    return path(name);
  }
  // The small model, its weight in the file `location`.
  std::string write_external(const std::string& location, const std::string& offset,
                             const std::string& length) const {
    onnx::ModelProto model = small_model();
    onnx::TensorProto& weight = *model.mutable_graph()->mutable_initializer(0);
    weight.clear_float_data();
    weight.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto add = [&weight](const char* key, const std::string& value) {
      onnx::StringStringEntryProto& entry = *weight.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    };
    add("location", location);
    if (!offset.empty()) add("offset", offset);
    if (!length.empty()) add("length", length);
    return write("m.onnx", model.SerializeAsString());
  }
  std::string external_refusal(const std::string& location, const std::string& offset,
                               const std::string& length) const {
    const Result<OnnxModel> file = read_onnx(write_external(location, offset, length));
    return file.ok() ? "none" : file.error().message;
  }

  fs::path folder_;
};

TEST(OnnxFile, ReadsNodesTensorsAndInputs) {
  const Result<OnnxModel> file = parsed(small_model());
  ASSERT_TRUE(file.ok()) << to_string(file.error());
  EXPECT_EQ(file->graph_name, "small");
  EXPECT_EQ(file->opset, 13);
  ASSERT_EQ(file->nodes.size(), 1U);
  EXPECT_EQ(title_of(file->nodes[0]), "Add 'add'");
  EXPECT_EQ(file->nodes[0].inputs, (std::vector<std::string>{"x", "w"}));
  ASSERT_EQ(file->initializers.size(), 1U);
  EXPECT_EQ(file->initializers[0].shape, Shape{2});
  EXPECT_EQ(floats(file->initializers[0]), (std::vector<float>{1, 2}));
  ASSERT_EQ(file->inputs.size(), 1U);
  EXPECT_EQ(*file->inputs[0].shape,
            (std::vector<OnnxDimension>{std::string("batch"), std::int64_t{2}, std::monostate{}}));
  EXPECT_EQ(file->outputs, std::vector<std::string>{"y"});
}

TEST(OnnxFile, ReadsEveryElementTypeFromFieldsAndRawBytes) {
  onnx::ModelProto model = small_model();
  onnx::TensorProto& truths = *model.mutable_graph()->add_initializer();
  truths.set_name("truths");
  truths.set_data_type(onnx::TensorProto::BOOL);
  truths.add_dims(3);
  truths.set_raw_data(std::string("\0\1\2", 3));
  onnx::TensorProto& bytes = *model.mutable_graph()->add_initializer();
  bytes.set_name("bytes");
  bytes.set_data_type(onnx::TensorProto::UINT8);
  bytes.add_dims(1);
  bytes.add_int32_data(200);
  onnx::TensorProto& half = *model.mutable_graph()->add_initializer();
  half.set_name("half");
  half.set_data_type(onnx::TensorProto::FLOAT16);
  half.add_dims(1);
  half.set_raw_data("ab");
  const Result<OnnxModel> file = parsed(model);
  ASSERT_TRUE(file.ok()) << to_string(file.error());
  const auto bytes_of = [&file](std::size_t i) {
    const std::span<const std::byte> values = file->initializers[i].values.bytes;
    return std::vector<std::byte>(values.begin(), values.end());
  };
  EXPECT_EQ(bytes_of(1), (std::vector<std::byte>{std::byte{0}, std::byte{1}, std::byte{1}}));
  EXPECT_EQ(bytes_of(2), std::vector<std::byte>{std::byte{200}});
  EXPECT_EQ(file->initializers[3].element,
            (OnnxElement{std::nullopt, "float16", ElementType::Float32}));
}

TEST(OnnxFile, RefusesWhatIsNoOnnx) {
  const auto refusal_of = [](const std::string& text) {
    return to_string(parse_onnx(std::as_bytes(std::span<const char>(text)), "m.onnx").error());
  };
  const std::string no_onnx =
      "m.onnx: it is not an ONNX file, or it is cut off or nested too deeply";
  EXPECT_EQ(refusal_of(""), no_onnx);
  EXPECT_EQ(refusal_of("hello"), no_onnx);
  const std::string whole = small_model().SerializeAsString();
  EXPECT_EQ(refusal_of(whole.substr(0, whole.size() - 1)), no_onnx);
  onnx::ModelProto empty;
  empty.set_ir_version(7);
  EXPECT_EQ(refusal(empty), "m.onnx: it is not an ONNX model: it has no graph");
}

TEST(OnnxFile, RefusesOtherVersions) {
  onnx::ModelProto model = small_model();
  model.set_ir_version(13);
  EXPECT_EQ(refusal(model), "m.onnx: its format is IR version 13; versions 3 to 12 are read");
  model = small_model();
  model.mutable_opset_import(0)->set_version(25);
  EXPECT_EQ(refusal(model), "m.onnx: it uses opset 25; opsets 6 to 24 are read");
  model.mutable_opset_import(0)->set_domain("com.example");
  EXPECT_EQ(refusal(model),
            "m.onnx: it uses no opset of the default operators; opsets 6 to 24 are read");
}

TEST(OnnxFile, RefusesTensorsWhoseBytesDoNotFitTheirShape) {
  onnx::ModelProto model = small_model();
  model.mutable_graph()->mutable_initializer(0)->set_dims(0, 3);
  EXPECT_EQ(refusal(model),
            "m.onnx: tensor 'w': it has 8 bytes of values, but float32 (3) needs 12");
  model.mutable_graph()->mutable_initializer(0)->set_dims(0, -2);
  EXPECT_EQ(refusal(model), "m.onnx: tensor 'w': its shape has the extent -2");
  model.mutable_graph()->mutable_initializer(0)->set_dims(0, std::int64_t{1} << 40);
  EXPECT_EQ(refusal(model), "m.onnx: tensor 'w': it has more than 2147483647 values");
}

TEST_F(OnnxFiles, SaysWhatCannotBeRead) {
  EXPECT_EQ(read_onnx(path("none.onnx")).error().message,
            "cannot read '" + path("none.onnx") + "': No such file or directory");
  EXPECT_EQ(read_onnx((folder_ / "model").string()).error().message,
            "cannot read '" + (folder_ / "model").string() + "': it is not a regular file");
}

TEST_F(OnnxFiles, MapsExternalData) {
  const float values[] = {7, 8, 9};
  write("w.bin", std::string(reinterpret_cast<const char*>(values), sizeof values));
  for (const std::string length : {"8", ""}) {
    const Result<OnnxModel> file = read_onnx(write_external("w.bin", "4", length));
    ASSERT_TRUE(file.ok()) << to_string(file.error());
    EXPECT_EQ(floats(file->initializers[0]), (std::vector<float>{8, 9}));
    ASSERT_EQ(file->files.size(), 1U);
    EXPECT_TRUE(file->files[0].ends_with("/w.bin"));
  }
}

TEST_F(OnnxFiles, RefusesExternalDataThatIsNotThere) {
  write("w.bin", "12345678");
  const std::string start = "tensor 'w': ";
  EXPECT_EQ(external_refusal("w.bin", "4", ""),
            start +
                "its external data is not in 'w.bin': it would be 8 bytes from byte 4 on, and "
                "the file has 8");
  EXPECT_EQ(external_refusal("w.bin", "9223372036854775807", ""),
            start +
                "its external data is not in 'w.bin': it would be 8 bytes from byte "
                "9223372036854775807 on, and the file has 8");
  EXPECT_EQ(external_refusal("w.bin", "0", "12"),
            start + "its external data has 12 bytes, not the 8 of its shape");
  EXPECT_EQ(external_refusal("w.bin", "-1", ""),
            start + "the offset of its external data is '-1', not a whole number");
  EXPECT_EQ(external_refusal("none.bin", "", ""),
            start + "cannot read '" + path("none.bin") + "': No such file or directory");
}

TEST_F(OnnxFiles, RefusesExternalDataOutsideTheFolder) {
  EXPECT_FALSE(write_text_file((folder_ / "secret").string(), "12345678").has_value());
  fs::create_symlink(folder_ / "secret", folder_ / "model" / "link");
  const auto outside = [](const std::string& place) {
    return "tensor 'w': external data in " + place + " lies outside the model's folder";
  };
  EXPECT_EQ(external_refusal("../secret", "", ""), outside("'../secret'"));
  EXPECT_EQ(external_refusal("a/../../secret", "", ""), outside("'a/../../secret'"));
  EXPECT_EQ(external_refusal("/etc/passwd", "", ""), outside("'/etc/passwd'"));
  EXPECT_EQ(external_refusal("link", "", ""), outside("'link'"));
  EXPECT_EQ(external_refusal("", "", ""), outside("nothing"));
}

// Caches of downloaded models keep both files elsewhere, side by side.
TEST_F(OnnxFiles, FollowsLinksToTheFolderThatTheModelIsIn) {
  write_external("w.bin", "", "");
  fs::create_directories(folder_ / "store");
  fs::rename(path("m.onnx"), folder_ / "store" / "1");
  EXPECT_FALSE(write_text_file((folder_ / "store" / "2").string(), "12345678").has_value());
  fs::create_symlink(folder_ / "store" / "1", path("m.onnx"));
  fs::create_symlink(folder_ / "store" / "2", path("w.bin"));
  EXPECT_TRUE(read_onnx(path("m.onnx")).ok());
}

OnnxWeight weight_of(const std::string& name, const std::vector<float>& values) {
  return {name, {static_cast<std::int64_t>(values.size())}, std::as_bytes(std::span(values))};
}

TEST_F(OnnxFiles, WritesWeightsBackInPlaceOfItsOwn) {
  const std::string original = write("m.onnx", small_model().SerializeAsString());
  const std::vector<float> values{5, 6};
  ASSERT_FALSE(write_onnx_weights(original, path("new.onnx"), {weight_of("w", values)}));
  const Result<OnnxModel> file = read_onnx(path("new.onnx"));
  ASSERT_TRUE(file.ok()) << to_string(file.error());
  EXPECT_EQ(floats(file->initializers[0]), values);
  EXPECT_EQ(file->nodes.size(), 1U);
  // In place too, from a model with external data.
  write("w.bin", "12345678");
  const std::string external = write_external("w.bin", "", "");
  ASSERT_FALSE(write_onnx_weights(external, external, {}));
  fs::remove(path("w.bin"));
  EXPECT_TRUE(read_onnx(external).ok());
}

TEST_F(OnnxFiles, WritesWeightsThatANodeMadeAsInitializers) {
  onnx::ModelProto model = small_model();
  model.set_ir_version(3);
  onnx::NodeProto& node = *model.mutable_graph()->add_node();
  node.set_op_type("Constant");
  node.add_output("made");
  const std::string original = write("m.onnx", model.SerializeAsString());
  const std::vector<float> values{5, 6, 7};
  ASSERT_FALSE(write_onnx_weights(original, original, {weight_of("made", values)}));
  const Result<OnnxModel> file = read_onnx(original);
  ASSERT_TRUE(file.ok()) << to_string(file.error());
  EXPECT_EQ(file->nodes.size(), 1U);
  EXPECT_EQ(file->initializers[1].name, "made");
  EXPECT_EQ(floats(file->initializers[1]), values);
  EXPECT_EQ(file->inputs[1].name, "made");
}

TEST_F(OnnxFiles, WritesExternalDataOfNodesIntoTheFile) {
  onnx::ModelProto model = small_model();
  onnx::NodeProto& node = *model.mutable_graph()->add_node();
  node.set_op_type("Constant");
  node.add_output("made");
  onnx::AttributeProto& value = *node.add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
  value.mutable_t()->add_dims(2);
  value.mutable_t()->set_data_location(onnx::TensorProto::EXTERNAL);
  onnx::StringStringEntryProto& entry = *value.mutable_t()->add_external_data();
  entry.set_key("location");
  entry.set_value("c.bin");
  write("c.bin", "12345678");
  const std::string original = write("m.onnx", model.SerializeAsString());
  ASSERT_FALSE(write_onnx_weights(original, original, {}));
  fs::remove(path("c.bin"));
  EXPECT_TRUE(read_onnx(original).ok());
}

TEST_F(OnnxFiles, RefusesWeightsThatTheFileHasNotGot) {
  const std::string original = write("m.onnx", small_model().SerializeAsString());
  const std::vector<float> values{5, 6, 7};
  EXPECT_EQ(to_string(*write_onnx_weights(original, path("new.onnx"), {weight_of("w", values)})),
            original + ": the weight 'w' is another one in the file: float32 (2)");
  EXPECT_EQ(to_string(*write_onnx_weights(original, path("new.onnx"), {weight_of("v", values)})),
            original + ": the file has no weight 'v'");
  EXPECT_FALSE(fs::exists(path("new.onnx")));
}

}  // namespace
}  // namespace poet
