#include "poet/model/real_networks.h"

#include <fmt/core.h>

#include <utility>

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/model/network_builder.h"
#include "poet/model/released_networks.h"
#include "poet/model/zoo/networks.h"
#include "poet/model/zoo/transformer.h"

namespace poet {
namespace {

constexpr std::string_view kHe = "He et al., CVPR 2016";
constexpr std::string_view kLeCun = "LeCun et al., Proc. IEEE 1998";
constexpr std::string_view kAlpaydin = "for the digits of Alpaydin and Kaynak, Kybernetika 1998";
constexpr std::string_view kDevlin = "Devlin et al., NAACL 2019";
constexpr std::string_view kRadford = "Radford et al., 2019";
constexpr std::string_view kHoward = "Howard et al., ICCV 2019";
constexpr std::string_view kZaremba = "Zaremba et al., 2014";
constexpr std::string_view kHo = "Ho et al., NeurIPS 2020";
constexpr std::string_view kMehta = "Mehta and Rastegari, ICLR 2022";
constexpr std::string_view kLin = "Lin et al., NeurIPS 2020";
constexpr std::string_view kLlama = "Dubey et al., 2024; Meta's configuration of Llama 3.2";
constexpr std::string_view kQwen = "Qwen Team, Qwen2.5 technical report, 2024";
constexpr std::string_view kGemma = "Gemma Team, Gemma 3 technical report, 2025";

std::vector<RealNetwork> all_networks() {
  return {
      {.name = "mlp",
       .what = "fully connected layers of 300 and 100 for digits",
       .source = kLeCun,
       .build = build_mlp,
       .image_size = 28,
       .classes = 10},
      {.name = "lenet5",
       .what = "two convolutions and three linear layers for digits",
       .source = kLeCun,
       .build = build_lenet5,
       .image_size = 32,
       .classes = 10,
       .least_image_size = 16},
      {.name = "digits-mlp",
       .what = "a hidden layer of 16 for 8x8 digits",
       .source = kAlpaydin,
       .build = build_digits_mlp,
       .image_size = 8,
       .classes = 10},
      {.name = "digits-cnn",
       .what = "two small convolutions and a linear layer for 8x8 digits",
       .source = kAlpaydin,
       .build = build_digits_cnn,
       .image_size = 8,
       .classes = 10,
       .least_image_size = 4},
      {.name = "resnet8",
       .what = "three residual blocks for CIFAR",
       .source = kHe,
       .build = build_resnet8,
       .image_size = 32,
       .classes = 10},
      {.name = "resnet18",
       .what = "eight residual blocks of two convolutions",
       .source = kHe,
       .build = build_resnet18,
       .image_size = 224,
       .classes = 1000,
       .small_classes = 10},
      {.name = "resnet50",
       .what = "sixteen residual blocks with bottlenecks",
       .source = kHe,
       .build = build_resnet50,
       .image_size = 224,
       .classes = 1000,
       .small_classes = 10},
      {.name = "vgg16",
       .what = "thirteen convolutions and three linear layers",
       .source = "Simonyan and Zisserman, ICLR 2015",
       .build = build_vgg16,
       .image_size = 224,
       .classes = 1000,
       .least_image_size = 32,
       .small_classes = 10},
      {.name = "mobilenetv2",
       .what = "seventeen inverted residuals with depthwise convolutions",
       .source = "Sandler et al., CVPR 2018",
       .build = build_mobilenetv2,
       .image_size = 224,
       .classes = 1000,
       .small_classes = 10},
      {.name = "bert-tiny",
       .what = "encoder of 2 layers and 128 features with a classifier",
       .source = "Turc et al., 2019",
       .build = build_bert_tiny,
       .sequence_length = 128,
       .classes = 2,
       .most_sequence_length = kBertPositions},
      {.name = "bert-base",
       .what = "encoder of 12 layers and 768 features with a classifier",
       .source = kDevlin,
       .build = build_bert_base,
       .sequence_length = 128,
       .classes = 2,
       .most_sequence_length = kBertPositions},
      {.name = "gpt2-tiny",
       .what = "decoder of 2 layers and 128 features",
       .source = kRadford,
       .build = build_gpt2_tiny,
       .sequence_length = 128,
       .most_sequence_length = kGpt2Positions},
      {.name = "gpt2-small",
       .what = "decoder of 12 layers and 768 features",
       .source = kRadford,
       .build = build_gpt2_small,
       .sequence_length = 128,
       .most_sequence_length = kGpt2Positions},
      {.name = "unet",
       .what = "segmentation: down four levels and up again",
       .source = "Ronneberger et al., MICCAI 2015",
       .build = build_unet,
       .image_size = 256,
       .classes = 2,
       .least_image_size = 16,
       .image_size_multiple = 16},
      {.name = "llama-tiny",
       .what = "Llama's decoder with 2 layers, 64 features and 512 words",
       .source = kLlama,
       .build = build_llama_tiny,
       .sequence_length = 32,
       .most_sequence_length = 8192},
      {.name = "gemma-tiny",
       .what = "Gemma 3's decoder with 2 layers, 64 features and 512 words",
       .source = kGemma,
       .build = build_gemma_tiny,
       .sequence_length = 32,
       .most_sequence_length = 8192},
      {.name = "smollm2-135m",
       .what = "decoder of 30 layers and 576 features: Llama's form",
       .source = "Ben Allal et al., 2025",
       .build = build_smollm2_135m,
       .sequence_length = 128,
       .most_sequence_length = 8192},
      {.name = "gemma-3-270m",
       .what = "decoder of 18 layers and 640 features; most see 512 tokens",
       .source = kGemma,
       .build = build_gemma_3_270m,
       .sequence_length = 128,
       .most_sequence_length = 32'768},
      {.name = "qwen2.5-0.5b",
       .what = "decoder of 24 layers and 896 features",
       .source = kQwen,
       .build = build_qwen2_5_0_5b,
       .sequence_length = 128,
       .most_sequence_length = 32'768},
      {.name = "gemma-3-1b",
       .what = "decoder of 26 layers and 1,152 features; most see 512 tokens",
       .source = kGemma,
       .build = build_gemma_3_1b,
       .sequence_length = 128,
       .most_sequence_length = 32'768},
      {.name = "llama-3.2-1b",
       .what = "decoder of 16 layers and 2,048 features",
       .source = kLlama,
       .build = build_llama_3_2_1b,
       .sequence_length = 128,
       .most_sequence_length = 131'072},
      {.name = "qwen2.5-1.5b",
       .what = "decoder of 28 layers and 1,536 features",
       .source = kQwen,
       .build = build_qwen2_5_1_5b,
       .sequence_length = 128,
       .most_sequence_length = 32'768},
      {.name = "llama-3.2-3b",
       .what = "decoder of 28 layers and 3,072 features",
       .source = kLlama,
       .build = build_llama_3_2_3b,
       .sequence_length = 128,
       .most_sequence_length = 131'072},
      {.name = "lstm-small",
       .what = "language model of two LSTM layers of 200",
       .source = kZaremba,
       .build = build_lstm_small,
       .sequence_length = 20,
       .most_sequence_length = 8192},
      {.name = "lstm-medium",
       .what = "language model of two LSTM layers of 650",
       .source = kZaremba,
       .build = build_lstm_medium,
       .sequence_length = 35,
       .most_sequence_length = 8192},
      {.name = "vit-s16",
       .what = "encoder of 12 layers and 384 features over patches of 16 x 16",
       .source = "Dosovitskiy et al., ICLR 2021; Touvron et al., ICML 2021",
       .build = build_vit_s16,
       .image_size = 224,
       .classes = 1000,
       .least_image_size = 16,
       .image_size_multiple = 16},
      {.name = "convnext-t",
       .what = "eighteen blocks with depthwise convolutions of 7 x 7",
       .source = "Liu et al., CVPR 2022",
       .build = build_convnext_t,
       .image_size = 224,
       .classes = 1000,
       .least_image_size = 32,
       .image_size_multiple = 32},
      {.name = "efficientnet-b0",
       .what = "sixteen inverted residuals with squeeze and excitation",
       .source = "Tan and Le, ICML 2019",
       .build = build_efficientnet_b0,
       .image_size = 224,
       .classes = 1000},
      {.name = "mobilenetv3-small",
       .what = "eleven inverted residuals, most with squeeze and excitation",
       .source = kHoward,
       .build = build_mobilenetv3_small,
       .image_size = 224,
       .classes = 1000},
      {.name = "mobilenetv3-large",
       .what = "fifteen inverted residuals, half with squeeze and excitation",
       .source = kHoward,
       .build = build_mobilenetv3_large,
       .image_size = 224,
       .classes = 1000},
      {.name = "ds-cnn",
       .what = "keyword spotting: four separable convolutions",
       .source = "Zhang et al., 2017; Banbury et al., NeurIPS 2021",
       .build = build_ds_cnn,
       .classes = 12},
      {.name = "ddpm-tiny",
       .what = "diffusion: predicts noise over three levels of 32 and 64 channels",
       .source = kHo,
       .build = build_ddpm_tiny,
       .image_size = 32,
       .least_image_size = 4,
       .image_size_multiple = 4},
      {.name = "ddpm-cifar10",
       .what = "diffusion: predicts noise over four levels of 128 and 256 channels",
       .source = kHo,
       .build = build_ddpm_cifar10,
       .image_size = 32,
       .least_image_size = 8,
       .image_size_multiple = 8},
      {.name = "mobilevit-xs",
       .what = "inverted residuals, and transformers of up to 144 features",
       .source = kMehta,
       .build = build_mobilevit_xs,
       .image_size = 256,
       .classes = 1000,
       .least_image_size = 64,
       .image_size_multiple = 64},
      {.name = "mobilevit-s",
       .what = "inverted residuals, and transformers of up to 240 features",
       .source = kMehta,
       .build = build_mobilevit_s,
       .image_size = 256,
       .classes = 1000,
       .least_image_size = 64,
       .image_size_multiple = 64},
      {.name = "mcunet-in1",
       .what = "fourteen inverted residuals, searched for five pictures a second",
       .source = kLin,
       .build = build_mcunet_in1,
       .image_size = 96,
       .classes = 1000},
      {.name = "mcunet-in2",
       .what = "eighteen inverted residuals, searched for 256 KB of RAM",
       .source = kLin,
       .build = build_mcunet_in2,
       .image_size = 160,
       .classes = 1000},
      {.name = "mcunet-in3",
       .what = "eighteen inverted residuals, searched for 320 KB of RAM",
       .source = kLin,
       .build = build_mcunet_in3,
       .image_size = 176,
       .classes = 1000},
      {.name = "mcunet-in4",
       .what = "seventeen inverted residuals, searched for 512 KB of RAM",
       .source = kLin,
       .build = build_mcunet_in4,
       .image_size = 160,
       .classes = 1000},
  };
}

// The network of whose name the other is a variant, as vgg16 is of vgg16_cifar.
std::string kind_of_the_same(std::string_view name, const std::vector<std::string_view>& names) {
  for (const std::string_view one : names)
    if (name.starts_with(std::string(one) + "_"))
      return fmt::format("; did you mean {}?", in_quotes(one));
  return "";
}

Result<RealNetwork> network_called(std::string_view name) {
  std::vector<std::string_view> names;
  for (const RealNetwork& network : real_network_table()) {
    if (network.name == name) return network;
    names.push_back(network.name);
  }
  const std::string near = suggestion(name, names);
  const std::string rest = near.empty() ? "; 'poet models' lists them" : near;
  for (const ReleasedNetwork& released : released_network_table()) {
    if (released.name != name) continue;
    const std::string kind = kind_of_the_same(name, names);
    return bad_input(
        fmt::format("{} has only a released graph, which can be planned and not trained{}", name,
                    kind.empty() ? rest : kind));
  }
  return bad_input(fmt::format("unknown network {}{}", in_quotes(name), rest));
}

// The value that was asked for, or the network's own.
Result<std::int64_t> chosen(const RealNetwork& network, std::string_view what,
                            const std::optional<std::int64_t>& asked,
                            const std::optional<std::int64_t>& own) {
  if (!asked) return own.value_or(1);
  if (!own) return bad_input(fmt::format("{} has no {}: leave it out", network.name, what));
  if (*asked < 1)
    return bad_input(fmt::format("the {} is {}: it must be at least 1", what, *asked));
  return *asked;
}

Failure check_image(const RealNetwork& network, std::int64_t size) {
  if (!network.image_size) return std::nullopt;
  if (size < network.least_image_size)
    return bad_input(fmt::format("the image size is {}: {} needs at least {}", size, network.name,
                                 network.least_image_size));
  if (size % network.image_size_multiple != 0)
    return bad_input(fmt::format("the image size is {}: {} needs a multiple of {}", size,
                                 network.name, network.image_size_multiple));
  return std::nullopt;
}

Result<NetworkSizes> chosen_sizes(const RealNetwork& network, const NetworkOptions& options) {
  if (options.batch_size < 1)
    return bad_input(
        fmt::format("the batch size is {}: it must be at least 1", options.batch_size));
  const Result<std::int64_t> image =
      chosen(network, "image size", options.image_size, network.image_size);
  if (!image.ok()) return image.error();
  if (Failure failure = check_image(network, *image)) return *failure;
  const Result<std::int64_t> sequence =
      chosen(network, "sequence length", options.sequence_length, network.sequence_length);
  if (!sequence.ok()) return sequence.error();
  if (network.sequence_length && *sequence > network.most_sequence_length)
    return bad_input(fmt::format("the sequence length is {}: {} takes up to {}", *sequence,
                                 network.name, network.most_sequence_length));
  const bool small = *image <= kSmallImage && network.small_classes;
  const Result<std::int64_t> classes = chosen(network, "number of classes", options.classes,
                                              small ? network.small_classes : network.classes);
  if (!classes.ok()) return classes.error();
  return NetworkSizes{
      .batch = options.batch_size, .image = *image, .sequence = *sequence, .classes = *classes};
}

Failure check_dropout(const NetworkOptions& options) {
  const float probability = options.dropout_probability.value_or(0);
  if (probability >= 0 && probability < 1) return std::nullopt;
  return bad_input(fmt::format(
      "the dropout probability is {}: it must be at least 0 and less than 1", probability));
}

}  // namespace

const std::vector<RealNetwork>& real_network_table() {
  static const std::vector<RealNetwork> table = all_networks();
  return table;
}

TensorId add_image(NetworkBuilder& net, const NetworkSizes& sizes, std::int64_t channels) {
  return add_input(net, "image",
                   {ElementType::Float32, {sizes.batch, channels, sizes.image, sizes.image}});
}

Result<Model> real_network(std::string_view name, const NetworkOptions& options) {
  const Result<RealNetwork> network = network_called(name);
  if (!network.ok()) return network.error();
  const Result<NetworkSizes> sizes = chosen_sizes(*network, options);
  if (!sizes.ok()) return sizes.error();
  if (Failure failure = check_dropout(options)) return *failure;
  NetworkBuilder net{.seed = options.seed, .dropout_probability = options.dropout_probability};
  net.model.graph.name = name;
  network->build(net, *sizes);
  if (net.failure)
    return bad_input(fmt::format("{} is too large at these sizes: {}", name, net.failure->message));
  return std::move(net.model);
}

}  // namespace poet
