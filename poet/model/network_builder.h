#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/graph/operator.h"
#include "poet/model/initial.h"
#include "poet/model/model.h"

namespace poet {

// A network's forward pass under construction, layer by layer. Parameters are called as PyTorch
// would call them ("layer1.0.conv1.weight"), operations like the module that they come from, and
// initial values follow the rules of PyTorch's modules, each drawn with a seed of its own.
//
// Attributes must fit: anything that an operator refuses other than for its size is a bug of the
// caller. A tensor that is too large is the user's wish, and remembered in `failure`: from then on
// the functions below do nothing, and sizes read as 1.
struct NetworkBuilder {
  Model model = {};
  std::uint64_t seed = 1;
  // Of all dropouts, in place of what each asks for; 0: no dropouts.
  std::optional<float> dropout_probability = {};
  // Weights of linear layers and embeddings are drawn from a normal distribution, and biases are 0:
  // the way of BERT and GPT-2.
  std::optional<float> weight_deviation = {};
  Failure failure = {};
};

// What each step brings, a trained tensor, and one that never changes.
TensorId add_input(NetworkBuilder& net, const std::string& name, TensorType type);
TensorId add_parameter(NetworkBuilder& net, const std::string& name, Shape shape, Initial initial);
TensorId add_constant(NetworkBuilder& net, const std::string& name, TensorType type,
                      Initial initial);
void add_output(NetworkBuilder& net, const std::string& name, TensorId tensor);

std::int64_t extent(const NetworkBuilder& net, TensorId tensor, std::size_t dimension);

// Any operation; the first of its outputs.
TensorId apply(NetworkBuilder& net, GraphOperation operation);
// One without attributes: relu, add ...
TensorId apply(NetworkBuilder& net, Operator kind, const std::string& name,
               std::vector<TensorId> inputs);

enum class Bias { With, Without };

// Pictures are (N, C, H, W), kernels and strides square.
struct Conv2d {
  std::int64_t channels = 1;  // of the output
  std::int64_t kernel = 3;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t groups = 1;
  Bias bias = Bias::Without;
};
TensorId conv2d(NetworkBuilder& net, const std::string& name, TensorId x, const Conv2d& layer);
TensorId conv_transpose2d(NetworkBuilder& net, const std::string& name, TensorId x,
                          const Conv2d& layer);

struct Pool2d {
  std::int64_t kernel = 2;
  std::int64_t stride = 2;
  std::int64_t padding = 0;
};
TensorId max_pool2d(NetworkBuilder& net, const std::string& name, TensorId x, const Pool2d& pool);
TensorId average_pool2d(NetworkBuilder& net, const std::string& name, TensorId x,
                        const Pool2d& pool);
// (N, C, H, W) to (N, C).
TensorId global_average_pool(NetworkBuilder& net, const std::string& name, TensorId x);

TensorId batch_norm(NetworkBuilder& net, const std::string& name, TensorId x);
// Over the last dimension.
TensorId layer_norm(NetworkBuilder& net, const std::string& name, TensorId x, float epsilon);

TensorId relu6(NetworkBuilder& net, const std::string& name, TensorId x);
TensorId dropout(NetworkBuilder& net, const std::string& name, TensorId x, float probability);
TensorId reshape(NetworkBuilder& net, const std::string& name, TensorId x, Shape shape);
// (N, ...) to (N, features).
TensorId flatten(NetworkBuilder& net, const std::string& name, TensorId x);

// (..., inputs) to (..., features); weights (features, inputs).
TensorId linear(NetworkBuilder& net, const std::string& name, TensorId x, std::int64_t features,
                Bias bias = Bias::With);

struct Embedding {
  std::int64_t rows = 1;
  std::int64_t features = 1;
};
TensorId add_embedding_weight(NetworkBuilder& net, const std::string& name, const Embedding& table);
// The rows of `weight` with these indices of any shape (...): (..., features).
TensorId look_up(NetworkBuilder& net, const std::string& name, TensorId weight, TensorId indices);

struct Attention {
  std::int64_t heads = 1;
  float dropout_probability = 0;  // of attention weights
  // (S, S), added to the scores of every head: what may be looked at is 0 there, the rest very
  // negative.
  std::optional<TensorId> mask = {};
};
// softmax(q k^T / sqrt(d) + mask) v with heads of d = H / heads features: equation 1 of A. Vaswani
// et al., "Attention is all you need" (2017). All are (N, S, H).
struct QueryKeyValue {
  TensorId query{};
  TensorId key{};
  TensorId value{};
};
TensorId attention(NetworkBuilder& net, const std::string& name, const QueryKeyValue& x,
                   const Attention& layer);

}  // namespace poet
