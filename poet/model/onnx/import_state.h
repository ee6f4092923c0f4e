#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "poet/model/known_array.h"
#include "poet/model/model.h"
#include "poet/model/onnx_import.h"

namespace poet {

// What a name of an ONNX graph stands for: a tensor of our graph, or values that are known before
// the network runs and become one as soon as an operation needs them there.
struct ImportedValue {
  std::string name = {};  // several names may mean the same value; this is the first
  std::optional<TensorId> tensor = {};
  std::optional<TensorId> statistic = {};  // what a batch norm follows is a tensor of its own
  std::optional<TensorId> fixed = {};      // and what is never trained, where others train it
  std::optional<Constant> constant = {};
  bool trainable = false;  // is_trainable()
  // Becomes a parameter where a convolution, matrix product or norm reads it as its weight, scale
  // or bias; what a Constant node holds does not.
  bool may_be_weight = false;

  bool is_foldable() const { return constant && !trainable; }
};

// Whether an initializer becomes a parameter: one of floats that has dimensions. One number alone
// is a constant for most that write files; PyTorch has nodes for these, and initializers for
// parameters.
bool is_trainable(const OnnxModel& file, const OnnxTensor& tensor);

enum class ValueId : std::int32_t {};

// What is calculated before the network runs stays in memory until all is imported, and a few bytes
// of a file can ask for any amount of it.
inline constexpr std::int64_t kMostCalculatedBytes = std::int64_t{512} << 20;

// Names of which none is given twice.
class NewNames {
 public:
  void take(const std::string& name) { taken_.insert(name); }
  std::string give(const std::string& wanted);  // with a number behind it where it is taken

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> counts_;  // how often a taken name was wanted
};

// A model while it is made from an ONNX graph.
class ImportState {
 public:
  // The names of the file's values are kept for them.
  ImportState(const OnnxModel& file, const OnnxImportOptions& options,
              std::set<std::string> needed);

  const OnnxImportOptions& options() const { return options_; }
  std::int64_t opset() const { return opset_; }

  const ValueId* find(const std::string& name) const;
  ValueId add_value(ImportedValue value);  // under its own name
  void add_name(const std::string& name, ValueId value);
  ImportedValue& operator[](ValueId id) { return values_[static_cast<std::size_t>(id)]; }

  // The value as a tensor of the graph. A constant becomes one: of role Constant, or Parameter
  // where it is trainable. Refuses constants without values.
  Result<TensorId> tensor_of(ValueId id);
  // The same, and float32 values that may be a weight become a Parameter.
  Result<TensorId> weight_of(ValueId id);
  // The same, and a Constant of float32 values becomes a Statistic.
  Result<TensorId> statistic_of(ValueId id);
  // The same, and what may be trained elsewhere is a Constant here.
  Result<TensorId> fixed_of(ValueId id);
  TensorId tensor_of(const Constant& constant, const std::string& name);

  TensorId step();
  // Whether the file keeps its weights in nodes: more values are made by a rule than stand in
  // initializers that can be trained.
  bool weights_lie_in_nodes() const { return weights_lie_in_nodes_; }
  // Whether a node that is imported, or the outputs, read that value.
  bool is_needed(const std::string& name) const { return needed_.count(name) > 0; }

  // Whether so much more may be calculated, and counts it.
  bool calculates(std::int64_t more_bytes) {
    calculated_bytes_ += more_bytes;
    return calculated_bytes_ <= kMostCalculatedBytes;
  }

  // Counts a value, or a cast, of a type that POET takes as another.
  void take_as(const OnnxElement& element) {
    if (!element.known) ++taken_as_[element.name];
  }
  const std::map<std::string, int>& taken_as() const { return taken_as_; }

  std::string new_operation_name(const std::string& wanted);
  // Gives a tensor that an operation just made the name that the file has for it.
  void rename(TensorId tensor, const std::string& name) {
    at(model.graph.tensors, tensor).name = name;
  }
  Result<std::vector<TensorId>> add_operation(GraphOperation operation);

  Model model = {};

 private:
  Result<TensorId> given_tensor(const ImportedValue& value, TensorRole role);
  std::string new_tensor_name(const std::string& wanted);

  OnnxImportOptions options_;
  std::int64_t opset_;
  bool weights_lie_in_nodes_ = true;
  std::int64_t calculated_bytes_ = 0;
  std::map<std::string, int> taken_as_;
  std::vector<ImportedValue> values_;
  std::map<std::string, ValueId> by_name_;
  std::set<std::string> needed_;
  NewNames tensor_names_;
  NewNames operation_names_;
};

}  // namespace poet
