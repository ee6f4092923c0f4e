#include "poet/graph/operators/picks.h"

#include "poet/graph/operators/families.h"

namespace poet {

std::int64_t picked_bytes(const OperationTypes& types) {
  return size_bytes(types.inputs[1]) + 2 * size_bytes(types.outputs[0]);
}

std::int64_t picked_gradient_flop(const OperationTypes& types) {
  return value_count(types.inputs[1].shape);
}

OperatorEntry pick_entry(const PickRow& row,
                         Result<std::vector<TensorType>> (*output_types)(const OperationTypes&),
                         std::vector<GradientPart> (*gradient)(const OperationTypes&),
                         const OnnxName& onnx) {
  return {.id = row.id,
          .name = row.name,
          .least_inputs = 2,
          .most_inputs = 2,
          .roles = row.roles,
          .output_types = output_types,
          .flop = no_flop,
          .moved_bytes = picked_bytes,
          .gradient = gradient,
          .kernel = row.kernel,
          .divides = row.divides,
          .parts = row.parts,
          .domain = row.domain,
          .onnx = onnx};
}

OperatorEntry pick_gradient_entry(const PickRow& row) {
  return {.id = row.id,
          .name = row.name,
          .least_inputs = 2,
          .most_inputs = 2,
          .roles = row.roles,
          .output_types = nullptr,
          .flop = picked_gradient_flop,
          .gradient = nullptr,
          .kernel = row.kernel,
          .divides = row.divides,
          .parts = row.parts,
          .domain = row.domain,
          .onnx = kNotInOnnx};
}

}  // namespace poet
