// Networks built layer by layer (poet/model/network_builder.h), with everything checked that a user
// can get wrong.

#include <fmt/core.h>
#include <pybind11/stl.h>

#include <atomic>
#include <utility>

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/model/network_builder.h"
#include "poet/model/onnx_export.h"
#include "python/src/bindings.h"
#include "python/src/refusal.h"

namespace poet::python {
namespace {

// Far beyond any layer, and small enough to multiply.
constexpr std::int64_t kLargestSize = 1'000'000;

constexpr Named<Operator> kPlainLayers[] = {
    {"relu", Operator::Relu},    {"sigmoid", Operator::Sigmoid}, {"tanh", Operator::Tanh},
    {"gelu", Operator::GeluErf}, {"silu", Operator::Silu},       {"exp", Operator::Exp},
    {"add", Operator::Add},      {"sub", Operator::Sub},         {"mul", Operator::Mul},
    {"div", Operator::Div},
};

// What a layer gives: a tensor of the builder that made it.
struct LayerOutput {
  std::int64_t builder = 0;  // none has this number
  TensorId tensor{};
};

// Of builders in this process: addresses come again.
std::int64_t next_number() {
  static std::atomic<std::int64_t> last = 0;
  return ++last;
}

class LayerBuilder {
 public:
  explicit LayerBuilder(std::uint64_t seed) { net_.seed = seed; }

  LayerOutput input(const std::string& name, const Shape& shape, const std::string& element) {
    const std::optional<ElementType> type = value_of(kElementTypes, element);
    if (!type || *type == ElementType::Bool)
      throw Refusal{bad_input(
          fmt::format("{} has the type {}; inputs are 'float32', 'int64', 'int32' or 'uint8'",
                      in_quotes(name), in_quotes(element)))};
    return add(name, [&](NetworkBuilder& net) { return add_input(net, name, {*type, shape}); });
  }

  LayerOutput conv2d(const std::string& name, LayerOutput x, const Conv2d& layer) {
    want_rank(name, x, 4, "(N, C, H, W)");
    want_window(name, layer.kernel, layer.stride, layer.padding);
    want_size(name, "channels", layer.channels);
    want_size(name, "groups", layer.groups);
    return add(name, [&](NetworkBuilder& net) { return poet::conv2d(net, name, of(x), layer); });
  }

  LayerOutput pool2d(const std::string& kind, const std::string& name, LayerOutput x,
                     const Pool2d& pool) {
    want_rank(name, x, 4, "(N, C, H, W)");
    want_window(name, pool.kernel, pool.stride, pool.padding);
    return add(name, [&](NetworkBuilder& net) {
      return kind == "max" ? max_pool2d(net, name, of(x), pool)
                           : average_pool2d(net, name, of(x), pool);
    });
  }

  LayerOutput mean_of_pictures(const std::string& name, LayerOutput x) {
    want_rank(name, x, 4, "(N, C, H, W)");
    return add(name, [&](NetworkBuilder& net) { return global_average_pool(net, name, of(x)); });
  }

  LayerOutput norm_by_batch(const std::string& name, LayerOutput x) {
    want_rank(name, x, 4, "(N, C, H, W)");
    return add(name, [&](NetworkBuilder& net) { return batch_norm(net, name, of(x)); });
  }

  LayerOutput norm_by_layer(const std::string& name, LayerOutput x, float epsilon) {
    want_at_least(name, x, 2);
    return add(name, [&](NetworkBuilder& net) { return layer_norm(net, name, of(x), epsilon); });
  }

  LayerOutput linear_layer(const std::string& name, LayerOutput x, std::int64_t features,
                           Bias bias) {
    want_at_least(name, x, 2);
    want_size(name, "features", features);
    return add(name, [&](NetworkBuilder& net) { return linear(net, name, of(x), features, bias); });
  }

  LayerOutput drop_out(const std::string& name, LayerOutput x, float probability) {
    if (!(probability >= 0 && probability < 1))
      throw Refusal{
          bad_input(fmt::format("{}: a probability of {} is not at least 0 and less than 1",
                                in_quotes(name), probability))};
    return add(name, [&](NetworkBuilder& net) { return dropout(net, name, of(x), probability); });
  }

  LayerOutput flat(const std::string& name, LayerOutput x) {
    want_at_least(name, x, 2);
    return add(name, [&](NetworkBuilder& net) { return flatten(net, name, of(x)); });
  }

  LayerOutput in_shape(const std::string& name, LayerOutput x, const Shape& shape) {
    for (const std::int64_t extent : shape) want_size(name, "an extent", extent);
    return add(name, [&](NetworkBuilder& net) { return reshape(net, name, of(x), shape); });
  }

  LayerOutput embedding(const std::string& name, LayerOutput indices, const Embedding& table) {
    want_size(name, "rows", table.rows);
    want_size(name, "features", table.features);
    return add(name, [&](NetworkBuilder& net) {
      const TensorId weight = add_embedding_weight(net, name, table);
      return look_up(net, name, weight, of(indices));
    });
  }

  LayerOutput heads(const std::string& name, const std::vector<LayerOutput>& x,
                    std::int64_t heads) {
    for (const LayerOutput& one : x) want_rank(name, one, 3, "(N, S, H)");
    want_size(name, "heads", heads);
    if (shape(x[0])[2] % heads != 0)
      throw Refusal{bad_input(fmt::format("{}: {} features cannot be split among {} heads",
                                          in_quotes(name), shape(x[0])[2], heads))};
    return add(name, [&](NetworkBuilder& net) {
      return attention(net, name, {of(x[0]), of(x[1]), of(x[2])}, {.heads = heads});
    });
  }

  LayerOutput plain(const std::string& kind, const std::string& name,
                    const std::vector<LayerOutput>& inputs) {
    const Operator operation = *value_of(kPlainLayers, kind);
    std::vector<TensorId> tensors;
    for (const LayerOutput& input : inputs) tensors.push_back(of(input));
    return add(name, [&](NetworkBuilder& net) { return apply(net, operation, name, tensors); });
  }

  Shape shape(LayerOutput x) const { return at(net_.model.graph.tensors, of(x)).type.shape; }

  void output(const std::string& name, LayerOutput x) {
    for (const NamedTensor& other : net_.model.outputs)
      if (other.name == name)
        throw Refusal{bad_input(fmt::format("there is an output {} already", in_quotes(name)))};
    add_output(net_, name, of(x));
  }

  void write(const std::string& name, const Text& path) const {
    if (net_.model.outputs.empty())
      throw Refusal{bad_input("the network has no output; name one with output()")};
    Model model = net_.model;
    model.graph.name = name;
    or_refuse(check_model(model));
    const auto value = [&model](TensorId id) -> Result<StoredBytes> {
      return store(initial_bytes(model.initial.at(id), at(model.graph.tensors, id).type));
    };
    or_refuse(write_onnx(or_refuse(export_onnx(model, value)), path));
  }

 private:
  TensorId of(LayerOutput x) const {
    if (x.builder != number_)
      throw Refusal{
          bad_input("a layer reads a tensor of another builder; use those that this one "
                    "made")};
    return x.tensor;
  }

  void want_rank(const std::string& name, LayerOutput x, std::size_t rank, const char* form) const {
    if (shape(x).size() != rank)
      throw Refusal{
          bad_input(fmt::format("{} reads a tensor of shape {}, and needs one of the form {}",
                                in_quotes(name), to_text(shape(x)), form))};
  }

  void want_at_least(const std::string& name, LayerOutput x, std::size_t rank) const {
    if (shape(x).size() < rank)
      throw Refusal{bad_input(fmt::format("{} reads a tensor of shape {}, and needs {} dimensions",
                                          in_quotes(name), to_text(shape(x)), rank))};
  }

  static void want_size(const std::string& name, const char* what, std::int64_t size) {
    if (size < 1 || size > kLargestSize)
      throw Refusal{bad_input(fmt::format("{}: {} is {}; it must be from 1 to {}", in_quotes(name),
                                          what, size, grouped_digits(kLargestSize)))};
  }

  static void want_window(const std::string& name, std::int64_t kernel, std::int64_t stride,
                          std::int64_t padding) {
    want_size(name, "kernel", kernel);
    want_size(name, "stride", stride);
    if (padding < 0 || padding >= kernel)
      throw Refusal{
          bad_input(fmt::format("{}: padding is {}; it must be at least 0 and less than "
                                "the kernel's {}",
                                in_quotes(name), padding, kernel))};
  }

  // Names of tensors and operations begin with the layer's.
  bool is_taken(const std::string& name) const {
    const auto collides = [&name](const std::string& other) {
      return other == name || other.starts_with(name + ".");
    };
    for (const GraphTensor& tensor : net_.model.graph.tensors)
      if (collides(tensor.name)) return true;
    for (const GraphOperation& operation : net_.model.graph.operations)
      if (collides(operation.name)) return true;
    return false;
  }

  // A layer that is refused leaves nothing behind.
  template <typename Layer>
  LayerOutput add(const std::string& name, const Layer& layer) {
    if (name.empty()) throw Refusal{bad_input("a layer needs a name that is not empty")};
    if (is_taken(name))
      throw Refusal{bad_input(
          fmt::format("there is a layer {} already; give this one another name", in_quotes(name)))};
    NetworkBuilder grown = net_;
    const TensorId made = layer(grown);
    or_refuse(grown.failure);
    net_ = std::move(grown);
    return {number_, made};
  }

  std::int64_t number_ = next_number();
  NetworkBuilder net_ = {};
};

}  // namespace

void add_builder(py::module_& module) {
  py::class_<LayerOutput>(module, "LayerOutput");
  py::class_<LayerBuilder>(module, "LayerBuilder")
      .def(py::init<std::uint64_t>())
      .def("input", &LayerBuilder::input)
      .def("conv2d",
           [](LayerBuilder& net, const std::string& name, LayerOutput x, std::int64_t channels,
              std::int64_t kernel, std::int64_t stride, std::int64_t padding, std::int64_t groups,
              bool bias) {
             return net.conv2d(name, x,
                               {.channels = channels,
                                .kernel = kernel,
                                .stride = stride,
                                .padding = padding,
                                .groups = groups,
                                .bias = bias ? Bias::With : Bias::Without});
           })
      .def("pool2d",
           [](LayerBuilder& net, const std::string& kind, const std::string& name, LayerOutput x,
              std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
             return net.pool2d(kind, name, x,
                               {.kernel = kernel, .stride = stride, .padding = padding});
           })
      .def("global_average_pool", &LayerBuilder::mean_of_pictures)
      .def("batch_norm", &LayerBuilder::norm_by_batch)
      .def("layer_norm", &LayerBuilder::norm_by_layer)
      .def("linear",
           [](LayerBuilder& net, const std::string& name, LayerOutput x, std::int64_t features,
              bool bias) {
             return net.linear_layer(name, x, features, bias ? Bias::With : Bias::Without);
           })
      .def("dropout", &LayerBuilder::drop_out)
      .def("flatten", &LayerBuilder::flat)
      .def("reshape", &LayerBuilder::in_shape)
      .def("embedding",
           [](LayerBuilder& net, const std::string& name, LayerOutput indices, std::int64_t rows,
              std::int64_t features) {
             return net.embedding(name, indices, {.rows = rows, .features = features});
           })
      .def("attention",
           [](LayerBuilder& net, const std::string& name, LayerOutput query, LayerOutput key,
              LayerOutput value, std::int64_t heads) {
             return net.heads(name, {query, key, value}, heads);
           })
      .def("plain", &LayerBuilder::plain)
      .def("shape", &LayerBuilder::shape)
      .def("output", &LayerBuilder::output)
      .def("write", &LayerBuilder::write);
}

}  // namespace poet::python
