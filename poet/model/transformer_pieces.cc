#include "poet/model/transformer_pieces.h"

namespace poet {
namespace {

TensorId binary(Composer& to, Operator kind, TensorId a, TensorId b) {
  return to.add(kind, std::monostate{}, {a, b});
}

}  // namespace

TensorId rms_norm(Composer& to, TensorId x, TensorId scale, const RmsNorm& norm) {
  ReduceAttributes over;
  for (std::size_t d = norm.axis; d < to.shape_of(x).size(); ++d)
    over.axes.push_back(static_cast<std::int64_t>(d));
  const TensorId squares = binary(to, Operator::Mul, x, x);
  const TensorId mean = to.add(Operator::ReduceMean, over, {squares});
  const TensorId sum = binary(to, Operator::Add, mean, to.scalar(norm.epsilon));
  const TensorId root = to.add(Operator::Sqrt, std::monostate{}, {sum});
  return binary(to, Operator::Mul, binary(to, Operator::Div, x, root), scale);
}

ComplexPair turned(Composer& to, const ComplexPair& x, const ComplexPair& turn) {
  const auto product = [&to](TensorId a, TensorId b) { return binary(to, Operator::Mul, a, b); };
  return {.real = binary(to, Operator::Sub, product(turn.real, x.real),
                         product(turn.imaginary, x.imaginary)),
          .imaginary = binary(to, Operator::Add, product(turn.imaginary, x.real),
                              product(turn.real, x.imaginary))};
}

TensorId grouped_attention(Composer& to, const AttentionHeads& heads, float scale,
                           const std::function<TensorId(TensorId scores)>& shown) {
  if (to.failed()) return heads.query;
  const Shape queries = to.shape_of(heads.query);
  const Shape keys = to.shape_of(heads.key);
  const Shape values = to.shape_of(heads.value);
  const std::int64_t rows = queries[1] / keys[1] * queries[2];
  const TensorId grouped = to.reshaped(heads.query, {queries[0], keys[1], rows, queries[3]});
  TensorId scores = to.add(Operator::MatMul, MatMulAttributes{.transpose_b = true, .alpha = scale},
                           {grouped, heads.key});
  scores = shown(to.reshaped(scores, {queries[0], queries[1], queries[2], keys[2]}));
  TensorId shares = to.add(Operator::Softmax, AxisAttributes{3}, {scores});
  shares = to.reshaped(shares, {queries[0], keys[1], rows, keys[2]});
  const TensorId y = to.add(Operator::MatMul, MatMulAttributes{}, {shares, heads.value});
  return to.reshaped(y, {queries[0], queries[1], queries[2], values[3]});
}

}  // namespace poet
