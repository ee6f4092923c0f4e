#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/ids.h"
#include "poet/graph/operator.h"
#include "poet/model/known_array.h"
#include "poet/model/model.h"

namespace poet {

// Where the operations of a composition go: to the place of a node of an ONNX file, or into a
// network under construction. What is put together of several operations is written once, against
// this, and is the same in both. After a failure nothing is added any more and shapes have no
// dimensions: ask failed() before indexing one.
class Composer {
 public:
  virtual ~Composer() = default;

  virtual bool failed() const = 0;
  virtual Model& model() = 0;
  // The outputs of an operation.
  virtual std::vector<TensorId> add_all(Operator kind, Attributes attributes,
                                        std::vector<TensorId> inputs) = 0;
  virtual TensorId known(const Constant& constant, const std::string& name) = 0;

  TensorId add(Operator kind, Attributes attributes, std::vector<TensorId> inputs);  // the first
  // Of operators without attributes.
  TensorId unary(Operator kind, TensorId x) { return add(kind, std::monostate{}, {x}); }
  TensorId binary(Operator kind, TensorId a, TensorId b) {
    return add(kind, std::monostate{}, {a, b});
  }
  TensorId scalar(float value);
  TensorId filled(const Shape& shape, float value);  // of one value

  const TensorType& type_of(TensorId tensor);
  const Shape& shape_of(TensorId tensor) { return type_of(tensor).shape; }

  // These are the same tensor where nothing changes.
  TensorId reshaped(TensorId x, Shape shape);
  TensorId transposed(TensorId x, std::vector<std::int64_t> permutation);
  // `extent` places of a dimension, from `start` on in steps.
  TensorId sliced(TensorId x, std::size_t axis, std::int64_t start, std::int64_t extent,
                  std::int64_t step = 1);
  // Each place of a dimension so many times, one beside the other.
  TensorId repeated(TensorId x, std::size_t axis, std::int64_t times);
};

}  // namespace poet
