#include "poet/model/recurrent_pieces.h"

#include <utility>

namespace poet {

TensorId row_product(Composer& to, TensorId x, TensorId weights, std::optional<TensorId> plus) {
  std::vector<TensorId> inputs{x, weights};
  if (plus) inputs.push_back(*plus);
  return to.add(Operator::MatMul, MatMulAttributes{.transpose_b = true}, std::move(inputs));
}

TensorId next_cell(Composer& to, const LstmGates& gates, TensorId before) {
  const auto binary = [&to](Operator kind, TensorId a, TensorId b) {
    return to.add(kind, std::monostate{}, {a, b});
  };
  const TensorId kept = binary(Operator::Mul, gates.forget, before);
  return binary(Operator::Add, kept, binary(Operator::Mul, gates.in, gates.candidate));
}

}  // namespace poet
