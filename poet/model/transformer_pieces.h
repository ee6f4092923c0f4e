#pragma once

#include <functional>

#include "poet/model/composer.h"

// What language models are made of beside matrix products, put together of other operations.

namespace poet {

// x / sqrt(mean of x^2 + epsilon) * scale, over all dimensions from the axis on: equation 4 of B.
// Zhang, R. Sennrich, "Root mean square layer normalization" (NeurIPS 2019).
struct RmsNorm {
  float epsilon = 1e-5F;
  std::size_t axis = 0;
};
TensorId rms_norm(Composer& to, TensorId x, TensorId scale, const RmsNorm& norm);

// Complex numbers, their parts in two tensors.
struct ComplexPair {
  TensorId real{};
  TensorId imaginary{};
};
// x turned by angles of which `turn` has cosine and sine: equation 34 of J. Su et al., "RoFormer:
// enhanced transformer with rotary position embedding" (2021).
ComplexPair turned(Composer& to, const ComplexPair& x, const ComplexPair& turn);

// (N, heads, S, size) each; keys and values may have fewer heads, which several of the queries'
// share: J. Ainslie et al., "GQA: training generalized multi-query transformer models" (EMNLP
// 2023).
struct AttentionHeads {
  TensorId query{};
  TensorId key{};
  TensorId value{};
};
// softmax(what `shown` makes of scale * q k^T) v. Heads of queries that share their keys are rows
// of one product, so nothing is repeated. Their shapes must go together.
TensorId grouped_attention(Composer& to, const AttentionHeads& heads, float scale,
                           const std::function<TensorId(TensorId scores)>& shown);

}  // namespace poet
