#pragma once

#include <cstdint>

#include "poet/model/network_builder.h"

namespace poet {

// The sizes that a network is built with: all given, and checked.
struct NetworkSizes {
  std::int64_t batch = 1;
  std::int64_t image = 1;
  std::int64_t sequence = 1;
  std::int64_t classes = 1;
};

// Each adds one network of real_network_table() to a fresh builder; the families are one file each.
void build_mlp(NetworkBuilder& net, const NetworkSizes& sizes);
void build_lenet5(NetworkBuilder& net, const NetworkSizes& sizes);
void build_digits_mlp(NetworkBuilder& net, const NetworkSizes& sizes);
void build_digits_cnn(NetworkBuilder& net, const NetworkSizes& sizes);
void build_resnet8(NetworkBuilder& net, const NetworkSizes& sizes);
void build_resnet18(NetworkBuilder& net, const NetworkSizes& sizes);
void build_resnet50(NetworkBuilder& net, const NetworkSizes& sizes);
void build_vgg16(NetworkBuilder& net, const NetworkSizes& sizes);
void build_mobilenetv2(NetworkBuilder& net, const NetworkSizes& sizes);
void build_bert_tiny(NetworkBuilder& net, const NetworkSizes& sizes);
void build_bert_base(NetworkBuilder& net, const NetworkSizes& sizes);
void build_gpt2_tiny(NetworkBuilder& net, const NetworkSizes& sizes);
void build_gpt2_small(NetworkBuilder& net, const NetworkSizes& sizes);
void build_unet(NetworkBuilder& net, const NetworkSizes& sizes);
void build_llama_tiny(NetworkBuilder& net, const NetworkSizes& sizes);
void build_gemma_tiny(NetworkBuilder& net, const NetworkSizes& sizes);
void build_smollm2_135m(NetworkBuilder& net, const NetworkSizes& sizes);
void build_gemma_3_270m(NetworkBuilder& net, const NetworkSizes& sizes);
void build_qwen2_5_0_5b(NetworkBuilder& net, const NetworkSizes& sizes);
void build_gemma_3_1b(NetworkBuilder& net, const NetworkSizes& sizes);
void build_llama_3_2_1b(NetworkBuilder& net, const NetworkSizes& sizes);
void build_qwen2_5_1_5b(NetworkBuilder& net, const NetworkSizes& sizes);
void build_llama_3_2_3b(NetworkBuilder& net, const NetworkSizes& sizes);
void build_lstm_small(NetworkBuilder& net, const NetworkSizes& sizes);
void build_lstm_medium(NetworkBuilder& net, const NetworkSizes& sizes);
void build_vit_s16(NetworkBuilder& net, const NetworkSizes& sizes);
void build_convnext_t(NetworkBuilder& net, const NetworkSizes& sizes);
void build_efficientnet_b0(NetworkBuilder& net, const NetworkSizes& sizes);
void build_mobilenetv3_small(NetworkBuilder& net, const NetworkSizes& sizes);
void build_mobilenetv3_large(NetworkBuilder& net, const NetworkSizes& sizes);
void build_ds_cnn(NetworkBuilder& net, const NetworkSizes& sizes);
void build_ddpm_tiny(NetworkBuilder& net, const NetworkSizes& sizes);
void build_ddpm_cifar10(NetworkBuilder& net, const NetworkSizes& sizes);
void build_mobilevit_xs(NetworkBuilder& net, const NetworkSizes& sizes);
void build_mobilevit_s(NetworkBuilder& net, const NetworkSizes& sizes);
void build_mcunet_in1(NetworkBuilder& net, const NetworkSizes& sizes);
void build_mcunet_in2(NetworkBuilder& net, const NetworkSizes& sizes);
void build_mcunet_in3(NetworkBuilder& net, const NetworkSizes& sizes);
void build_mcunet_in4(NetworkBuilder& net, const NetworkSizes& sizes);

// Pictures of this size and below get the stems that networks for CIFAR have.
constexpr std::int64_t kSmallImage = 32;

// Of three channels.
TensorId add_image(NetworkBuilder& net, const NetworkSizes& sizes, std::int64_t channels = 3);

}  // namespace poet
