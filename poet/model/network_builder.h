#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/graph/operator.h"
#include "poet/model/batch_norm.h"
#include "poet/model/composer.h"
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
  std::map<float, TensorId> numbers = {};  // constants of one value, each once
};

// Adds a composition under the name of its layer: operations are called "name.1", "name.2" ...
class LayerComposer final : public Composer {
 public:
  LayerComposer(NetworkBuilder& net, std::string name) : net_(net), name_(std::move(name)) {}

  bool failed() const override { return net_.failure.has_value(); }
  Model& model() override { return net_.model; }
  std::vector<TensorId> add_all(Operator kind, Attributes attributes,
                                std::vector<TensorId> inputs) override;
  TensorId known(const Constant& constant, const std::string& name) override;

 private:
  NetworkBuilder& net_;
  std::string name_;
  int operations_ = 0;
};

// What each step brings, a trained tensor, and one that never changes.
TensorId add_input(NetworkBuilder& net, const std::string& name, TensorType type);
TensorId add_parameter(NetworkBuilder& net, const std::string& name, Shape shape, Initial initial);
TensorId add_constant(NetworkBuilder& net, const std::string& name, TensorType type,
                      Initial initial);
void add_output(NetworkBuilder& net, const std::string& name, TensorId tensor);

std::int64_t extent(const NetworkBuilder& net, TensorId tensor, std::size_t dimension);

// The seed of the parameter that comes next.
std::uint64_t next_seed(const NetworkBuilder& net);

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
// The same with a window of any shape.
struct Convolution {
  std::int64_t channels = 1;  // of the output
  WindowAttributes window = {};
  Bias bias = Bias::Without;
};
TensorId convolution(NetworkBuilder& net, const std::string& name, TensorId x,
                     const Convolution& layer);
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

struct BatchNormLayer {
  float epsilon = 1e-5F;
  BatchNormRule rule = {};
};
TensorId batch_norm(NetworkBuilder& net, const std::string& name, TensorId x,
                    const BatchNormLayer& layer = {});
struct GroupNormLayer {
  std::int64_t groups = 1;
  float epsilon = 1e-5F;
};
TensorId group_norm(NetworkBuilder& net, const std::string& name, TensorId x,
                    const GroupNormLayer& layer);
// Over the last dimension.
TensorId layer_norm(NetworkBuilder& net, const std::string& name, TensorId x, float epsilon);

TensorId relu6(NetworkBuilder& net, const std::string& name, TensorId x);
// x clip(x / 6 + 1 / 2, 0, 1), and the clipped line alone.
TensorId hard_swish(NetworkBuilder& net, const std::string& name, TensorId x);
TensorId hard_sigmoid(NetworkBuilder& net, const std::string& name, TensorId x);
TensorId dropout(NetworkBuilder& net, const std::string& name, TensorId x, float probability);
TensorId reshape(NetworkBuilder& net, const std::string& name, TensorId x, Shape shape);
// (N, ...) to (N, features).
TensorId flatten(NetworkBuilder& net, const std::string& name, TensorId x);

// (..., inputs) to (..., features); weights (features, inputs).
TensorId linear(NetworkBuilder& net, const std::string& name, TensorId x, std::int64_t features,
                Bias bias = Bias::With);
// (..., features) times the transpose of an embedding's table: scores of its rows.
TensorId tied_head(NetworkBuilder& net, const std::string& name, TensorId x, TensorId weight);

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
