// J. Ho, A. Jain, P. Abbeel, "Denoising diffusion probabilistic models" (NeurIPS 2020), appendix B.
// Initial values follow PyTorch's rules; the publication begins last convolutions at 0.

#include "poet/model/zoo/diffusion.h"

#include <cmath>
#include <cstring>
#include <utility>

namespace poet {
namespace {

constexpr float kDiffusionEpsilon = 1e-6F;

TensorId silu_of(NetworkBuilder& net, const std::string& name, TensorId x) {
  return apply(net, Operator::Silu, name, {x});
}

TensorId norm_and_silu(NetworkBuilder& net, const std::string& name, TensorId x,
                       std::int64_t groups) {
  x = group_norm(net, name, x, {.groups = groups, .epsilon = kDiffusionEpsilon});
  return silu_of(net, name + ".silu", x);
}

TensorId conv(NetworkBuilder& net, const std::string& name, TensorId x, std::int64_t channels,
              std::int64_t kernel) {
  return conv2d(
      net, name, x,
      {.channels = channels, .kernel = kernel, .padding = kernel / 2, .bias = Bias::With});
}

// (kDiffusionSteps, features): sines and then cosines of every time, as of positions in A. Vaswani
// et al. (2017).
TensorId add_times(NetworkBuilder& net, std::int64_t features) {
  const std::int64_t half = features / 2;
  std::vector<float> values(static_cast<std::size_t>(kDiffusionSteps * features));
  for (std::int64_t time = 0; time < kDiffusionSteps; ++time)
    for (std::int64_t k = 0; k < half; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(half - 1);
      const double angle = static_cast<double>(time) * std::pow(10'000.0, -share);
      const auto place = static_cast<std::size_t>(time * features + k);
      values[place] = static_cast<float>(std::sin(angle));
      values[place + static_cast<std::size_t>(half)] = static_cast<float>(std::cos(angle));
    }
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return add_constant(net, "time.table", {ElementType::Float32, {kDiffusionSteps, features}},
                      store(std::move(bytes)));
}

// (N, 4 channels)
TensorId time_embedding(NetworkBuilder& net, const NetworkSizes& sizes, std::int64_t channels) {
  const TensorId times = add_input(net, "timestep", {ElementType::Int64, {sizes.batch}});
  TensorId x = look_up(net, "time.look_up", add_times(net, channels), times);
  x = silu_of(net, "time.silu", linear(net, "time.fc1", x, 4 * channels));
  return linear(net, "time.fc2", x, 4 * channels);
}

// What all blocks of a network share.
struct Around {
  const DiffusionSize& size;
  TensorId time{};
};

TensorId residual_block(NetworkBuilder& net, const std::string& name, TensorId x,
                        std::int64_t channels, const Around& around) {
  TensorId y = norm_and_silu(net, name + ".norm1", x, around.size.groups);
  y = conv(net, name + ".conv1", y, channels, 3);
  TensorId time = silu_of(net, name + ".time_silu", around.time);
  time = linear(net, name + ".time", time, channels);
  LayerComposer to(net, name + ".with_time");
  time = to.reshaped(time, {extent(net, time, 0), channels, 1, 1});
  y = to.add(Operator::Add, std::monostate{}, {y, time});
  y = norm_and_silu(net, name + ".norm2", y, around.size.groups);
  y = dropout(net, name + ".dropout", y, around.size.dropout_probability);
  y = conv(net, name + ".conv2", y, channels, 3);
  if (extent(net, x, 1) != channels) x = conv(net, name + ".shortcut", x, channels, 1);
  return apply(net, Operator::Add, name + ".add", {x, y});
}

// Every pixel attends to all others, with one head.
TensorId attention_block(NetworkBuilder& net, const std::string& name, TensorId x,
                         const DiffusionSize& size) {
  const Shape shape = {extent(net, x, 0), extent(net, x, 1), extent(net, x, 2), extent(net, x, 3)};
  const Shape flat = {shape[0], shape[1], shape[2] * shape[3]};
  const TensorId y =
      group_norm(net, name + ".norm", x, {.groups = size.groups, .epsilon = kDiffusionEpsilon});
  LayerComposer to(net, name);
  const auto pixels = [&](const char* part) {
    const TensorId made = conv(net, name + "." + part, y, shape[1], 1);
    return to.transposed(to.reshaped(made, flat), {0, 2, 1});
  };
  const QueryKeyValue parts{.query = pixels("q"), .key = pixels("k"), .value = pixels("v")};
  TensorId seen = attention(net, name + ".attention", parts, {.heads = 1});
  seen = to.reshaped(to.transposed(seen, {0, 2, 1}), shape);
  return apply(net, Operator::Add, name + ".add",
               {x, conv(net, name + ".proj", seen, shape[1], 1)});
}

TensorId downsample(NetworkBuilder& net, const std::string& name, TensorId x) {
  return convolution(net, name, x,
                     {.channels = extent(net, x, 1),
                      .window = {.kernel = {3, 3},
                                 .stride = {2, 2},
                                 .padding_begin = {0, 0},
                                 .padding_end = {1, 1},
                                 .dilation = {1, 1}},
                      .bias = Bias::With});
}

TensorId upsample(NetworkBuilder& net, const std::string& name, TensorId x) {
  LayerComposer to(net, name + ".nearest");
  x = to.repeated(to.repeated(x, 2, 2), 3, 2);
  return conv(net, name, x, extent(net, x, 1), 3);
}

TensorId level_block(NetworkBuilder& net, const std::string& name, TensorId x, std::size_t level,
                     const Around& around) {
  const DiffusionSize& size = around.size;
  x = residual_block(net, name, x, size.channels * size.multiples[level], around);
  return level == size.attention_level ? attention_block(net, name + ".attn", x, size) : x;
}

// All that the way up takes in again, the last of it last.
std::vector<TensorId> way_down(NetworkBuilder& net, TensorId x, const Around& around) {
  std::vector<TensorId> kept = {x};
  for (std::size_t level = 0; level < around.size.multiples.size(); ++level) {
    const std::string name = "down." + std::to_string(level);
    for (std::int64_t i = 0; i < around.size.blocks; ++i) {
      x = level_block(net, name + "." + std::to_string(i), x, level, around);
      kept.push_back(x);
    }
    if (level + 1 == around.size.multiples.size()) break;
    x = downsample(net, name + ".downsample", x);
    kept.push_back(x);
  }
  return kept;
}

TensorId way_up(NetworkBuilder& net, TensorId x, std::vector<TensorId> kept, const Around& around) {
  for (std::size_t level = around.size.multiples.size(); level-- > 0;) {
    const std::string name = "up." + std::to_string(level);
    for (std::int64_t i = 0; i <= around.size.blocks; ++i) {
      const std::string block = name + "." + std::to_string(i);
      x = apply(net, {.name = block + ".concat",
                      .kind = Operator::Concat,
                      .attributes = AxisAttributes{1},
                      .inputs = {x, kept.back()}});
      kept.pop_back();
      x = level_block(net, block, x, level, around);
    }
    if (level > 0) x = upsample(net, name + ".upsample", x);
  }
  return x;
}

}  // namespace

void build_diffusion(NetworkBuilder& net, const NetworkSizes& sizes, const DiffusionSize& size) {
  const TensorId image = add_image(net, sizes);
  const Around around{.size = size, .time = time_embedding(net, sizes, size.channels)};
  std::vector<TensorId> kept = way_down(net, conv(net, "conv_in", image, size.channels, 3), around);
  const std::int64_t widest = size.channels * size.multiples.back();
  TensorId x = residual_block(net, "mid.0", kept.back(), widest, around);
  x = attention_block(net, "mid.attn", x, size);
  x = residual_block(net, "mid.1", x, widest, around);
  x = way_up(net, x, std::move(kept), around);
  x = norm_and_silu(net, "norm_out", x, size.groups);
  add_output(net, "noise", conv(net, "conv_out", x, 3, 3));
}

const DiffusionSize* find_diffusion(std::string_view network) {
  // Three levels, with attention at the lowest.
  static const DiffusionSize tiny;
  static const DiffusionSize cifar10{.channels = 128,
                                     .multiples = {1, 2, 2, 2},
                                     .blocks = 2,
                                     .attention_level = 1,
                                     .groups = 32,
                                     .dropout_probability = 0.1F};
  if (network == "ddpm-tiny") return &tiny;
  return network == "ddpm-cifar10" ? &cifar10 : nullptr;
}

void build_ddpm_tiny(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_diffusion(net, sizes, *find_diffusion("ddpm-tiny"));
}

void build_ddpm_cifar10(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_diffusion(net, sizes, *find_diffusion("ddpm-cifar10"));
}

}  // namespace poet
