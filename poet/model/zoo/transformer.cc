#include "poet/model/zoo/transformer.h"

namespace poet {

TensorId add_tokens(NetworkBuilder& net, const std::string& name, const NetworkSizes& sizes) {
  return add_input(net, name, {ElementType::Int64, {sizes.batch, sizes.sequence}});
}

TensorId positions(NetworkBuilder& net, const std::string& name, const NetworkSizes& sizes,
                   const Embedding& table) {
  const TensorId weight = add_embedding_weight(net, name, table);
  if (sizes.sequence == table.rows) return weight;
  return apply(net, {.name = name,
                     .kind = Operator::Slice,
                     .attributes = SliceAttributes{.start = {0, 0},
                                                   .step = {1, 1},
                                                   .extent = {sizes.sequence, table.features}},
                     .inputs = {weight}});
}

TensorId self_attention(NetworkBuilder& net, const std::string& name, TensorId x,
                        const Attention& layer) {
  const std::int64_t features = extent(net, x, 2);
  const TensorId query = linear(net, name + ".query", x, features);
  const TensorId key = linear(net, name + ".key", x, features);
  const TensorId value = linear(net, name + ".value", x, features);
  return attention(net, name, {.query = query, .key = key, .value = value}, layer);
}

TensorId linear_and_add(NetworkBuilder& net, const std::string& name, TensorId x,
                        TensorId shortcut) {
  x = linear(net, name + ".dense", x, extent(net, shortcut, 2));
  x = dropout(net, name + ".dropout", x, kTransformerDropout);
  return apply(net, Operator::Add, name + ".add", {x, shortcut});
}

}  // namespace poet
