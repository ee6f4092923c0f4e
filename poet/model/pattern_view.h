#pragma once

#include <optional>
#include <vector>

#include "poet/graph/operator.h"
#include "poet/model/model.h"

namespace poet {

// Who makes and who reads each tensor of a model that does not change meanwhile: for finding
// operations that stand for one.
class PatternView {
 public:
  explicit PatternView(const Model& model);

  const Model& model() const { return model_; }
  const Shape& shape(TensorId tensor) const { return at(model_.graph.tensors, tensor).type.shape; }

  // Null for what is given, or is made by another kind.
  const GraphOperation* maker(TensorId tensor, Operator kind) const;
  // The same, and nobody else reads the tensor: it is gone when its reader is.
  const GraphOperation* private_maker(TensorId tensor, Operator kind) const;
  // By operations, each as often as it reads it, and as an output.
  int read_count(TensorId tensor) const { return at(read_count_, tensor); }
  bool is_read_once(TensorId tensor) const { return read_count(tensor) == 1; }
  // The only reader; null where there are none or several, or it is an output.
  const GraphOperation* only_reader(TensorId tensor, Operator kind) const;

  // The value of a constant of one value.
  std::optional<float> number(TensorId tensor) const;
  // Whether it is that number, to the last digits of a float.
  bool is_number(TensorId tensor, double wanted) const;

  // The factors of a product that is made by Muls which nobody else reads.
  std::vector<TensorId> factors(TensorId product) const;

 private:
  const Model& model_;
  std::vector<std::optional<OperationId>> makers_;
  std::vector<std::optional<OperationId>> readers_;  // the last
  std::vector<int> read_count_;
};

// An operation with one output that two inputs go into in either order: the other one, where one
// is `known`.
std::optional<TensorId> other_input(const GraphOperation& operation, TensorId known);

// Takes these out of the list once each; false where one is missing.
bool take_out(std::vector<TensorId>& list, TensorId tensor);

}  // namespace poet
