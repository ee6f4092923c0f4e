#include "poet/model/batch_norm.h"

#include <vector>

#include "poet/graph/operator.h"

namespace poet {

Result<TensorId> add_batch_norm(Model& model, const std::string& name, TensorId x,
                                const BatchNormTensors& tensors, float epsilon,
                                const std::optional<BatchNormRule>& rule) {
  const Result<std::vector<TensorId>> outputs = add_operation(
      model.graph, {.name = name,
                    .kind = Operator::BatchNormInference,
                    .attributes = NormAttributes{.epsilon = epsilon},
                    .inputs = {x, tensors.scale, tensors.bias, tensors.mean, tensors.variance}});
  if (!outputs.ok()) return outputs.error();
  if (rule)
    model.batch_norms.push_back(
        {.operation = static_cast<OperationId>(model.graph.operations.size() - 1),
         .rate = rule->rate,
         .unbiased = rule->unbiased});
  return outputs->front();
}

}  // namespace poet
