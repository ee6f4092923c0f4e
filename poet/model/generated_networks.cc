#include "poet/model/generated_networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/model/generated_layers.h"

namespace poet {
namespace {

constexpr std::int64_t kClasses = 10;
// A bound on what a block of any kind adds, so that no network is built that is far too large.
constexpr std::int64_t kLeastOperationsPerBlock = 10;

// One of some values. The generator's own numbers are used, because the library's distributions
// differ from one system to another.
template <std::size_t N>
std::int64_t one_of(const std::array<std::int64_t, N>& values, std::mt19937_64& random) {
  return values[static_cast<std::size_t>(random() % N)];
}

// Blocks spread over stages by weights of 1 to 3; each stage has at least one, and there are no
// more stages than blocks.
std::vector<std::int64_t> spread(std::int64_t blocks, std::int64_t stages,
                                 std::mt19937_64& random) {
  std::vector<std::int64_t> weights;
  for (std::int64_t s = 0; s < stages; ++s) weights.push_back(one_of<3>({1, 2, 3}, random));
  weights.resize(static_cast<std::size_t>(std::min(blocks, stages)));
  std::int64_t weight_left = 0;
  for (const std::int64_t weight : weights) weight_left += weight;
  std::int64_t blocks_left = blocks;
  std::int64_t stages_left = std::ssize(weights);
  std::vector<std::int64_t> counts;
  for (const std::int64_t weight : weights) {
    --stages_left;
    const std::int64_t share = blocks_left * weight / weight_left;
    counts.push_back(std::clamp<std::int64_t>(share, 1, blocks_left - stages_left));
    blocks_left -= counts.back();
    weight_left -= weight;
  }
  return counts;
}

// Convolution and batch norm, as they come in pairs.
TensorId conv_norm(Tape& tape, const std::string& name, TensorId in, std::int64_t channels,
                   WindowSize kernel) {
  return batch_norm(tape, name + "_norm", conv(tape, name, in, channels, kernel));
}

TensorId conv_norm_relu(Tape& tape, const std::string& name, TensorId in, std::int64_t channels,
                        WindowSize kernel) {
  return relu(tape, name + "_relu", conv_norm(tape, name, in, channels, kernel));
}

// The way around a block: the input itself, or a projection when the shapes differ.
TensorId way_around(Tape& tape, const std::string& name, TensorId in, std::int64_t channels,
                    std::int64_t stride) {
  if (tape.shape(in)[1] == channels && stride == 1) return in;
  return conv_norm(tape, name + "_skip", in, channels, {1, stride});
}

// Two convolutions of 3x3, and the way around them.
TensorId basic_block(Tape& tape, const std::string& name, TensorId in, std::int64_t channels,
                     std::int64_t stride) {
  const TensorId around = way_around(tape, name, in, channels, stride);
  const TensorId first = conv_norm_relu(tape, name + "_conv1", in, channels, {3, stride});
  const TensorId second = conv_norm(tape, name + "_conv2", first, channels, {3, 1});
  return relu(tape, name + "_relu", add(tape, name + "_add", second, around));
}

// Convolutions of 1x1, 3x3 and 1x1, the inner ones on a quarter of the channels.
TensorId bottleneck_block(Tape& tape, const std::string& name, TensorId in, std::int64_t channels,
                          std::int64_t stride) {
  const TensorId around = way_around(tape, name, in, channels, stride);
  const TensorId first = conv_norm_relu(tape, name + "_conv1", in, channels / 4, {1, 1});
  const TensorId second = conv_norm_relu(tape, name + "_conv2", first, channels / 4, {3, stride});
  const TensorId third = conv_norm(tape, name + "_conv3", second, channels, {1, 1});
  return relu(tape, name + "_relu", add(tape, name + "_add", third, around));
}

Outline residual_network(std::int64_t blocks, std::mt19937_64 random) {
  const std::int64_t picture = one_of<3>({32, 48, 64}, random);
  const std::int64_t width = one_of<3>({16, 24, 32}, random);
  const bool bottleneck = one_of<2>({0, 1}, random) == 1;
  const std::vector<std::int64_t> stages = spread(blocks, 3, random);
  Tape tape("resnet");
  TensorId last = tape.input("picture", {1, 3, picture, picture});
  last = conv_norm_relu(tape, "stem", last, width, {3, 1});
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const std::int64_t channels = (width << s) * (bottleneck ? 4 : 1);
    for (std::int64_t b = 0; b < stages[s]; ++b)
      last = (bottleneck ? bottleneck_block : basic_block)(
          tape, fmt::format("stage{}_block{}", s + 1, b + 1), last, channels,
          s > 0 && b == 0 ? 2 : 1);
  }
  cross_entropy(tape, linear(tape, "classes", picture_mean(tape, "mean", last), kClasses));
  return std::move(tape).differentiate();
}

TensorId attention(Tape& tape, const std::string& name, TensorId in, std::int64_t heads) {
  const std::int64_t features = tape.shape(in).back();
  const TensorId queries = linear(tape, name + "_queries", in, features);
  const TensorId keys = linear(tape, name + "_keys", in, features);
  const TensorId values = linear(tape, name + "_values", in, features);
  const TensorId scores = attention_scores(tape, name + "_scores", queries, keys, heads);
  const TensorId weights = softmax(tape, name + "_softmax", scores);
  const TensorId mixed = attention_values(tape, name + "_context", weights, values);
  return linear(tape, name + "_output", mixed, features);
}

// Norms come first in each half (pre-norm), which is what lets such stacks be deep.
TensorId transformer_block(Tape& tape, const std::string& name, TensorId in, std::int64_t heads) {
  const std::int64_t features = tape.shape(in).back();
  const TensorId attended =
      attention(tape, name + "_attention", layer_norm(tape, name + "_norm1", in), heads);
  const TensorId middle = add(tape, name + "_add1", attended, in);
  const TensorId wide =
      linear(tape, name + "_wide", layer_norm(tape, name + "_norm2", middle), 4 * features);
  const TensorId narrow =
      linear(tape, name + "_narrow", gelu(tape, name + "_gelu", wide), features);
  return add(tape, name + "_add2", narrow, middle);
}

Outline transformer_network(std::int64_t blocks, std::mt19937_64 random) {
  const std::int64_t tokens = one_of<3>({64, 144, 256}, random);
  const std::int64_t features = one_of<3>({128, 192, 256}, random);
  const std::int64_t heads = features / one_of<2>({32, 64}, random);
  constexpr std::int64_t kPatch = 4 * 4 * 3;  // values of a patch of the picture
  Tape tape("transformer");
  TensorId last = tape.input("patches", {1, tokens, kPatch});
  last = linear(tape, "embedding", last, features);
  for (std::int64_t b = 0; b < blocks; ++b)
    last = transformer_block(tape, fmt::format("block{}", b + 1), last, heads);
  last = token_mean(tape, "mean", layer_norm(tape, "norm", last));
  cross_entropy(tape, linear(tape, "classes", last, kClasses));
  return std::move(tape).differentiate();
}

// Each block on the way down has a block on the way up, which reads its output beside that of the
// block before it.
Outline u_network(std::int64_t blocks, std::mt19937_64 random) {
  const std::int64_t picture = one_of<3>({64, 96, 128}, random);
  const std::int64_t width = one_of<3>({16, 24, 32}, random);
  const std::int64_t depth = one_of<2>({3, 4}, random);
  const std::vector<std::int64_t> levels = spread(blocks, depth, random);
  Tape tape("unet");
  TensorId last = tape.input("picture", {1, 3, picture, picture});
  last = conv_norm_relu(tape, "stem", last, width, {3, 1});
  std::vector<TensorId> skips;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (l > 0) last = halving_max_pool(tape, fmt::format("down{}_pool", l + 1), last);
    for (std::int64_t b = 0; b < levels[l]; ++b) {
      last = basic_block(tape, fmt::format("down{}_block{}", l + 1, b + 1), last, width << l, 1);
      skips.push_back(last);
    }
  }
  last = basic_block(tape, "bottom", last, width << (levels.size() - 1), 1);
  for (std::size_t l = levels.size(); l-- > 0;) {
    for (std::int64_t b = levels[l]; b-- > 0;) {
      const std::string name = fmt::format("up{}_block{}", l + 1, b + 1);
      last = concat(tape, name + "_concat", last, skips.back());
      skips.pop_back();
      last = basic_block(tape, name, last, width << l, 1);
    }
    if (l > 0) last = up_conv(tape, fmt::format("up{}_conv", l), last, width << (l - 1));
  }
  cross_entropy(tape, conv(tape, "classes", last, kClasses, {1, 1}));
  return std::move(tape).differentiate();
}

Result<GeneratedNetwork> network_called(std::string_view kind) {
  std::vector<std::string_view> names;
  for (const GeneratedNetwork& row : generated_network_table()) {
    if (row.name == kind) return row;
    names.push_back(row.name);
  }
  const std::string hint = suggestion(kind, names);
  return Error{ErrorCode::NotFound,
               fmt::format("unknown kind of network {}{}", in_quotes(kind),
                           hint.empty() ? "; use " + alternatives(names) : hint),
               {}};
}

}  // namespace

const std::vector<GeneratedNetwork>& generated_network_table() {
  static const std::vector<GeneratedNetwork> table = {
      {"resnet", "a deep residual network of convolutions", residual_network},
      {"transformer", "a stack of transformer encoder blocks", transformer_network},
      {"unet", "a U-Net of residual blocks with a long connection from each", u_network},
  };
  return table;
}

Result<Outline> generated_graph(std::string_view kind, std::int64_t operations,
                                std::uint64_t seed) {
  const Result<GeneratedNetwork> network = network_called(kind);
  if (!network.ok()) return network.error();
  const auto build = [&](std::int64_t blocks) {
    return network->build(blocks, std::mt19937_64(seed));
  };
  if (operations > kMostGeneratedOperations)
    return bad_input(
        fmt::format("a generated network has at most {} operations, and {} were asked for",
                    kMostGeneratedOperations, operations));
  Outline below = build(1);
  if (operations < std::ssize(below.operations))
    return bad_input(
        fmt::format("the smallest {} of seed {} has {} operations, and {} were asked for", kind,
                    seed, below.operations.size(), operations));
  // `below` has no more operations than were asked for, `above` has more. Each block adds about as
  // many, so the place between them is soon found.
  std::int64_t fewer = 1;
  std::int64_t more = operations / kLeastOperationsPerBlock + 2;
  Outline above = build(more);
  while (more - fewer > 1) {
    const std::int64_t guess =
        fewer + (more - fewer) * (operations - std::ssize(below.operations)) /
                    (std::ssize(above.operations) - std::ssize(below.operations));
    const std::int64_t blocks = std::clamp(guess, fewer + 1, more - 1);
    Outline between = build(blocks);
    const bool reached = std::ssize(between.operations) > operations;
    (reached ? more : fewer) = blocks;
    (reached ? above : below) = std::move(between);
  }
  const std::int64_t missing = operations - std::ssize(below.operations);
  const std::int64_t extra = std::ssize(above.operations) - operations;
  return missing <= extra ? below : above;
}

}  // namespace poet
