#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/operator.h"
#include "poet/model/batch_norm.h"
#include "poet/model/composer.h"
#include "poet/model/known_array.h"
#include "poet/model/onnx/import_state.h"
#include "poet/model/onnx_file.h"

namespace poet {

// One node of an ONNX file while its operations are added to the model. Remembers the first thing
// that is wrong; everything asked of it then is answered by a harmless default, and nothing is
// added any more, so that the code that imports an operator is a list of what it takes and makes.
// Defaults have no dimensions: ask failed() before indexing a shape or list.
class NodeImport final : public Composer {
 public:
  NodeImport(ImportState& state, const OnnxNode& node) : state_(state), node_(node) {}

  const OnnxNode& node() const { return node_; }
  std::int64_t opset() const { return node_.opset != 0 ? node_.opset : state_.opset(); }
  const OnnxImportOptions& options() const { return state_.options(); }
  Model& model() override { return state_.model; }

  void refuse(const std::string& what, ErrorCode code = ErrorCode::BadInput);
  bool failed() const override { return failure_.has_value(); }
  const Failure& failure() const { return failure_; }

  // Attributes, by name.
  bool has_attribute(std::string_view name);
  std::int64_t whole(std::string_view name, std::int64_t otherwise);
  bool flag(std::string_view name, bool otherwise) { return whole(name, otherwise ? 1 : 0) != 0; }
  float number(std::string_view name, float otherwise);
  std::string text(std::string_view name, std::string_view otherwise);
  std::vector<std::int64_t> wholes(std::string_view name);
  std::vector<float> numbers(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  std::optional<Constant> tensor_attribute(std::string_view name);
  // An element type as the attribute `name` has it, by its number in the format; nothing, and a
  // refusal, for one that POET has not and takes as no other.
  std::optional<ElementType> element_attribute(std::string_view name, std::int64_t otherwise);
  // For attributes that say nothing about what is calculated.
  void ignore(std::string_view name) { asked_.insert(name); }

  // Inputs, from 0 on. All but has_input() refuse one that is not there.
  int input_count() const { return static_cast<int>(node_.inputs.size()); }
  void expect_inputs(int least, int most);
  bool has_input(int i) const;
  TensorType type(int i);
  const Shape& shape(int i) { return (last_type_ = type(i)).shape; }
  std::int64_t rank(int i) { return static_cast<std::int64_t>(type(i).shape.size()); }
  TensorId tensor(int i);
  TensorId weight(int i);     // trained where it is an initializer
  TensorId statistic(int i);  // a running mean or variance, where it is known before
  TensorId fixed(int i);      // not trained, even where it is an initializer
  // Null where the value is only known when the network runs.
  const Constant* constant(int i);
  bool is_trainable(int i);  // an initializer that is a parameter wherever it is read
  // Whether all its values are this one, and by its name the export made it.
  bool is_filler(int i, float value);
  bool is_foldable(int i);  // a constant that is not trained, small enough to calculate with
  KnownArray array(int i);  // refuses what is not known; `what` it is: "its shape"
  std::vector<std::int64_t> known_wholes(int i, std::string_view what);
  // Refuses a shape with an extent below 0, once.
  void expect_extents(const Shape& shape);
  double known_number(int i, std::string_view what);

  // An axis as ONNX gives it, negative ones counted from the end, brought into [0, rank).
  std::int64_t axis(std::int64_t given, std::int64_t rank);
  // Increasing and different.
  std::vector<std::int64_t> axes(const std::vector<std::int64_t>& given, std::int64_t rank);

  // The graph, beside what every Composer has.
  std::vector<TensorId> add_all(Operator kind, Attributes attributes,
                                std::vector<TensorId> inputs) override;
  TensorId known(const Constant& constant, const std::string& name) override;
  TensorId step();  // the model's step tensor, which it gets with its first dropout
  std::int32_t new_dropout_number();
  TensorId batch_norm(TensorId x, const BatchNormTensors& tensors, float epsilon,
                      const std::optional<BatchNormRule>& rule);

  // Outputs, from 0 on.
  int output_count() const { return static_cast<int>(node_.outputs.size()); }
  bool wants_output(int k) const;
  bool is_needed(int k) const;  // somebody reads it
  void output(int k, TensorId tensor);
  void output(int k, Constant constant);
  void output(int k, const KnownArray& array);
  void output_input(int k, int i);  // the output is the input

  // After the last question: refuses attributes that were not asked for, and outputs that are
  // needed and were not made.
  void finish();

 private:
  const OnnxAttribute* find(std::string_view name);
  std::string operation_name();
  void refuse_kind(std::string_view name, std::string_view wanted);
  ImportedValue* value(int i);

  ImportState& state_;
  const OnnxNode& node_;
  Failure failure_ = {};
  std::set<std::string_view> asked_ = {};
  std::set<TensorId> made_ = {};  // by this node, and not named by an output yet
  TensorType last_type_ = {};
};

}  // namespace poet
