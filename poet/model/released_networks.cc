#include "poet/model/released_networks.h"

#include <fmt/format.h>

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/model/real_networks.h"
#include "poet/model/released_layers.h"

// The architectures of github.com/ShishirPatil/poet,
// poet/architectures/{linear,vgg,resnet,bert}.py.
namespace poet {
namespace {

constexpr Window k3x3 = {.kernel = 3, .stride = 1, .padding = 1};

Outline linear_network(std::int64_t) {
  ReleasedLayers net("linear");
  TensorId x = net.input({1, 784});
  for (const std::int64_t features : {10, 120, 100, 200, 10, 10})
    x = net.relu(net.linear(x, features));
  return std::move(net).finish(x, 10);
}

Outline vgg16_network(const char* name, Shape picture, std::int64_t classes) {
  ReleasedLayers net(name);
  TensorId x = net.input(std::move(picture));
  const std::vector<std::vector<std::int64_t>> stacks = {
      {64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}};
  for (const std::vector<std::int64_t>& stack : stacks) {
    for (const std::int64_t channels : stack) x = net.relu(net.conv2d(x, channels, k3x3));
    x = net.max_pool(x, {.kernel = 2, .stride = 2});
  }
  x = net.flatten(x);
  for (const std::int64_t features : {4096, 4096})
    x = net.dropout(net.relu(net.linear(x, features)));
  return std::move(net).finish(net.linear(x, classes), classes);
}

Outline vgg16(std::int64_t batch_size) {
  return vgg16_network("vgg16", {batch_size, 3, 224, 224}, 1000);
}

Outline vgg16_cifar(std::int64_t batch_size) {
  return vgg16_network("vgg16_cifar", {batch_size, 3, 32, 32}, 10);
}

TensorId imagenet_stem(ReleasedLayers& net, std::int64_t batch_size) {
  const TensorId picture = net.input({batch_size, 3, 224, 224});
  const TensorId x = net.conv2d(picture, 64, {.kernel = 7, .stride = 2, .padding = 3});
  return net.max_pool(net.batch_norm(x), {.kernel = 3, .stride = 2});
}

Outline classify(ReleasedLayers net, TensorId x, std::int64_t pool_kernel, std::int64_t classes) {
  x = net.flatten(net.avg_pool(x, {.kernel = pool_kernel}));
  return std::move(net).finish(net.linear(x, classes), classes);
}

// The connection starts behind the first convolution, not before it.
TensorId resnet18_block(ReleasedLayers& net, TensorId x, std::int64_t channels,
                        std::int64_t stride) {
  const Window first = {.kernel = 3, .stride = stride, .padding = 1};
  const TensorId relu = net.relu(net.batch_norm(net.conv2d(x, channels, first)));
  const TensorId main = net.batch_norm(net.conv2d(relu, channels, k3x3));
  return net.relu(net.skip_add(relu, main));
}

Outline resnet18(std::int64_t batch_size) {
  ReleasedLayers net("resnet18");
  TensorId x = imagenet_stem(net, batch_size);
  for (const std::int64_t channels : {64, 128, 256, 512}) {
    x = resnet18_block(net, x, channels, channels == 64 ? 1 : 2);
    x = resnet18_block(net, x, channels, 1);
  }
  return classify(std::move(net), x, 7, 1000);
}

TensorId resnet50_block(ReleasedLayers& net, TensorId x, std::int64_t channels,
                        std::int64_t stride) {
  const TensorId relu =
      net.relu(net.batch_norm(net.conv2d(x, channels, {.kernel = 1, .stride = stride})));
  x = net.relu(net.batch_norm(net.conv2d(relu, channels, k3x3)));
  x = net.batch_norm(net.conv2d(x, 4 * channels, {.kernel = 1}));
  return net.relu(net.skip_add(x, relu));
}

Outline resnet50(std::int64_t batch_size) {
  struct Stage {
    std::int64_t channels;
    int blocks;
  };
  ReleasedLayers net("resnet50");
  TensorId x = imagenet_stem(net, batch_size);
  for (const Stage& stage : {Stage{64, 3}, Stage{128, 4}, Stage{256, 6}, Stage{512, 3}}) {
    for (int block = 0; block < stage.blocks; ++block) {
      const bool halves = block == 0 && stage.channels > 64;
      x = resnet50_block(net, x, stage.channels, halves ? 2 : 1);
    }
  }
  return classify(std::move(net), x, 7, 1000);
}

TensorId resnet18_cifar_block(ReleasedLayers& net, TensorId x, std::int64_t channels,
                              std::int64_t stride) {
  const Window first = {.kernel = 3, .stride = stride, .padding = 1};
  TensorId main = net.relu(net.batch_norm(net.conv2d(x, channels, first)));
  main = net.relu(net.batch_norm(net.conv2d(main, channels, k3x3)));
  const TensorId side = net.batch_norm(net.conv2d(x, channels, first));
  return net.relu(net.skip_add(main, side));
}

Outline resnet18_cifar(std::int64_t batch_size) {
  ReleasedLayers net("resnet18_cifar");
  TensorId x = net.input({batch_size, 3, 32, 32});
  x = net.batch_norm(net.conv2d(x, 16, k3x3));
  for (const std::int64_t channels : {16, 32, 64}) {
    x = resnet18_cifar_block(net, x, channels, channels == 16 ? 1 : 2);
    x = resnet18_cifar_block(net, x, channels, 1);
  }
  return classify(std::move(net), x, 8, 10);
}

TensorId transformer_block(ReleasedLayers& net, TensorId x, const AttentionSize& size) {
  TensorId attention = net.attention_scores(net.qkv_projection(x, size), size);
  attention = net.linear(net.attention_values(attention, size), size.hidden);
  const TensorId sum = net.skip_add(x, attention);
  const TensorId wide = net.linear_relu(sum, 4 * size.hidden);
  // The second connection should start at `sum`: fault 3.
  return net.skip_add(attention, net.linear(wide, size.hidden));
}

Outline bert_network(const char* name, int blocks) {
  const AttentionSize size = {.sequence = 512, .hidden = 768, .intermediate = 64, .heads = 12};
  ReleasedLayers net(name);
  TensorId x = net.input({size.sequence, size.hidden});
  for (int block = 0; block < blocks; ++block) x = transformer_block(net, x, size);
  return std::move(net).finish(x, size.sequence);
}

Outline bert(std::int64_t) {
  return bert_network("bert", 12);
}

Outline transformer(std::int64_t) {
  return bert_network("transformer", 1);
}

std::vector<std::string_view> network_names() {
  std::vector<std::string_view> names;
  for (const ReleasedNetwork& row : released_network_table()) names.push_back(row.name);
  return names;
}

}  // namespace

const std::vector<ReleasedNetwork>& released_network_table() {
  static const std::vector<ReleasedNetwork> table = {
      {"linear", "six linear layers for 28x28 digits", BatchSize::Ignored, linear_network},
      {"vgg16", "VGG-16 for 224x224 pictures, 1,000 classes", BatchSize::Scales, vgg16},
      {"vgg16_cifar", "VGG-16 for 32x32 pictures, 10 classes", BatchSize::Scales, vgg16_cifar},
      {"resnet18", "ResNet-18 for 224x224 pictures, 1,000 classes", BatchSize::Scales, resnet18},
      {"resnet50", "ResNet-50 for 224x224 pictures, 1,000 classes", BatchSize::Scales, resnet50},
      {"resnet18_cifar", "a small ResNet for 32x32 pictures, 10 classes", BatchSize::Scales,
       resnet18_cifar},
      {"bert", "BERT-base: 12 transformer blocks, 512 tokens", BatchSize::Ignored, bert},
      {"transformer", "one block of bert", BatchSize::Ignored, transformer},
  };
  return table;
}

Result<Outline> released_graph(std::string_view name, std::int64_t batch_size) {
  if (batch_size < 1 || batch_size > kMaxReleasedBatchSize)
    return bad_input(fmt::format("the batch size is {}; it must lie between 1 and {}", batch_size,
                                 kMaxReleasedBatchSize));
  for (const ReleasedNetwork& row : released_network_table())
    if (row.name == name) return row.build(batch_size);
  const std::vector<std::string_view> names = network_names();
  const std::string near = suggestion(name, names);
  for (const RealNetwork& real : real_network_table())
    if (real.name == name)
      return bad_input(fmt::format("{} has only a real graph, and released ones have {}", name,
                                   alternatives(names)));
  return Error{
      ErrorCode::NotFound,
      "unknown model " + in_quotes(name) + (near.empty() ? "; use " + alternatives(names) : near),
      {}};
}

}  // namespace poet
