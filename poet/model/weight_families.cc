#include "poet/model/weight_families.h"

#include <utility>

#include "poet/model/published_weights.h"

namespace poet {

void add_query_key_value(std::vector<WeightRow>& rows, const std::string& theirs,
                         const std::string& ours, const std::string& end, WeightLayout layout) {
  std::int64_t part = 0;
  for (const char* const which : {"query", "key", "value"})
    rows.push_back({theirs + end, ours + which + end, layout, part++, 3});
}

namespace {

using Row = WeightRow;

WeightNaming transformers_vit() {
  const std::string block = "vit.encoder.layer.#.";
  return {.rows = {{"vit.embeddings.cls_token", "cls_token"},
                   {"vit.embeddings.position_embeddings", "pos_embed"},
                   {"vit.embeddings.patch_embeddings.projection.*", "patch_embed.proj.*"},
                   {block + "layernorm_before.*", "blocks.#.norm1.*"},
                   {block + "attention.output.dense.*", "blocks.#.attn.proj.*"},
                   {block + "attention.attention.*", "blocks.#.attn.*"},
                   {block + "layernorm_after.*", "blocks.#.norm2.*"},
                   {block + "intermediate.dense.*", "blocks.#.mlp.fc1.*"},
                   {block + "output.dense.*", "blocks.#.mlp.fc2.*"},
                   {"vit.layernorm.*", "norm.*"},
                   {"classifier.*", "head.*"}}};
}

// The library timm, whose names are ours but for attention.
WeightNaming timm_vit() {
  WeightNaming naming;
  for (const char* const end : {".weight", ".bias"})
    add_query_key_value(naming.rows, "blocks.#.attn.qkv", "blocks.#.attn.", end,
                        WeightLayout::Same);
  return naming;
}

}  // namespace

WeightFamily vit_family() {
  return {.namings = {transformers_vit(), timm_vit()}, .ignored = {"vit.pooler.*"}};
}

// timm's names are ours.
WeightFamily convnext_family() {
  const std::string stage = "convnext.encoder.stages.#.";
  const std::string block = stage + "layers.#.";
  return {.namings = {{.rows = {{"convnext.embeddings.patch_embeddings.*", "stem.0.*"},
                                {"convnext.embeddings.layernorm.*", "stem.1.*"},
                                {stage + "downsampling_layer.#.*", "stages.#.downsample.#.*"},
                                {block + "dwconv.*", "stages.#.blocks.#.conv_dw.*"},
                                {block + "layernorm.*", "stages.#.blocks.#.norm.*"},
                                {block + "pwconv1.*", "stages.#.blocks.#.mlp.fc1.*"},
                                {block + "pwconv2.*", "stages.#.blocks.#.mlp.fc2.*"},
                                {block + "layer_scale_parameter", "stages.#.blocks.#.gamma"},
                                {"convnext.layernorm.*", "head.norm.*"},
                                {"classifier.*", "head.fc.*"}}},
                      {}}};
}

namespace {

// A convolution and its batch norm, which are the parts 0 and 1 of ours.
void add_conv_norm(std::vector<Row>& rows, const std::string& ours, const std::string& conv,
                   const std::string& norm) {
  rows.push_back({conv + ".*", ours + ".0.*"});
  rows.push_back({norm + ".*", ours + ".1.*"});
}

WeightNaming timm_mobilevit() {
  WeightNaming naming;
  const auto add = [&naming](const std::string& theirs, const std::string& ours) {
    add_conv_norm(naming.rows, ours, theirs + ".conv", theirs + ".bn");
  };
  const std::string block = "stages.#.#.";
  add("stem", "stem");
  add("final_conv", "final_conv");
  add(block + "conv1_1x1", block + "expand");
  add(block + "conv2_kxk", block + "depthwise");
  add(block + "conv3_1x1", block + "reduce");
  for (const char* const part : {"conv_kxk", "conv_proj", "conv_fusion"})
    add(block + part, block + part);
  const std::string attention = block + "transformer.#.attn.";
  for (const char* const end : {".weight", ".bias"})
    add_query_key_value(naming.rows, attention + "qkv", attention, end, WeightLayout::Same);
  return naming;
}

// A convolution with its norm, of transformers.
void add_conv_layer(std::vector<Row>& rows, const std::string& theirs, const std::string& ours) {
  add_conv_norm(rows, ours, theirs + ".convolution", theirs + ".normalization");
}

void add_inverted_residual(std::vector<Row>& rows, const std::string& theirs,
                           const std::string& ours) {
  add_conv_layer(rows, theirs + "expand_1x1", ours + "expand");
  add_conv_layer(rows, theirs + "conv_3x3", ours + "depthwise");
  add_conv_layer(rows, theirs + "reduce_1x1", ours + "reduce");
}

// A level with transformers: `theirs` is the level, and `ours` its second block.
void add_mobilevit_level(std::vector<Row>& rows, const std::string& theirs,
                         const std::string& ours) {
  for (const auto& [name, of_ours] :
       {std::pair("conv_kxk", "conv_kxk"), std::pair("conv_projection", "conv_proj"),
        std::pair("fusion", "conv_fusion")})
    add_conv_layer(rows, theirs + name, ours + of_ours);
  rows.push_back({theirs + "conv_1x1.convolution.*", ours + "conv_1x1.*"});
  rows.push_back({theirs + "layernorm.*", ours + "norm.*"});
  const std::string layer = theirs + "transformer.layer.#.";
  const std::string block = ours + "transformer.#.";
  rows.push_back({layer + "layernorm_before.*", block + "norm1.*"});
  rows.push_back({layer + "layernorm_after.*", block + "norm2.*"});
  rows.push_back({layer + "attention.output.dense.*", block + "attn.proj.*"});
  rows.push_back({layer + "attention.attention.*", block + "attn.*"});
  rows.push_back({layer + "intermediate.dense.*", block + "mlp.fc1.*"});
  rows.push_back({layer + "output.dense.*", block + "mlp.fc2.*"});
}

WeightNaming transformers_mobilevit() {
  WeightNaming naming;
  add_conv_layer(naming.rows, "mobilevit.conv_stem", "stem");
  add_conv_layer(naming.rows, "mobilevit.conv_1x1_exp", "final_conv");
  for (int stage = 0; stage < 5; ++stage) {
    const std::string theirs = "mobilevit.encoder.layer." + std::to_string(stage) + ".";
    const std::string ours = "stages." + std::to_string(stage) + ".";
    const bool is_level = stage >= 2;
    add_inverted_residual(naming.rows, theirs + (is_level ? "downsampling_layer." : "layer.#."),
                          ours + (is_level ? "0." : "#."));
    if (is_level) add_mobilevit_level(naming.rows, theirs, ours + "1.");
  }
  naming.rows.push_back({"classifier.*", "head.fc.*"});
  return naming;
}

}  // namespace

WeightFamily mobilevit_family() {
  return {.namings = {transformers_mobilevit(), timm_mobilevit(), {}}};
}

namespace {

// timm counts the parts of a block by what they are, and blocks without the first convolution.
WeightNaming timm_efficientnet() {
  WeightNaming naming;
  add_conv_norm(naming.rows, "features.0", "conv_stem", "bn1");
  for (int stage = 1; stage <= 7; ++stage) {
    const std::string theirs = "blocks." + std::to_string(stage - 1) + ".#.";
    const std::string ours = "features." + std::to_string(stage) + ".#.block.";
    int part = 0;
    const auto next = [&] { return ours + std::to_string(part++); };
    const auto norm = [&] { return theirs + "bn" + std::to_string(part); };
    const bool widens = stage > 1;
    if (widens) {
      const std::string name = next();
      add_conv_norm(naming.rows, name, theirs + "conv_pw", norm());
    }
    const std::string depthwise = next();
    add_conv_norm(naming.rows, depthwise, theirs + "conv_dw", norm());
    const std::string gate = next();
    naming.rows.push_back({theirs + "se.conv_reduce.*", gate + ".fc1.*"});
    naming.rows.push_back({theirs + "se.conv_expand.*", gate + ".fc2.*"});
    add_conv_norm(naming.rows, next(), theirs + (widens ? "conv_pwl" : "conv_pw"),
                  theirs + (widens ? "bn3" : "bn2"));
  }
  add_conv_norm(naming.rows, "features.8", "conv_head", "bn2");
  naming.rows.push_back({"classifier.*", "classifier.1.*"});
  return naming;
}

}  // namespace

// torchvision's names are ours.
WeightFamily efficientnet_family() {
  return {.namings = {{}, timm_efficientnet()}};
}

namespace {

constexpr auto kFlat = WeightLayout::Flat;

void add_residual_block(std::vector<Row>& rows, const std::string& theirs,
                        const std::string& ours) {
  rows.push_back({theirs + "time_emb_proj.*", ours + "time.*"});
  rows.push_back({theirs + "conv_shortcut.*", ours + "shortcut.*"});
  for (const char* const part : {"norm1.*", "conv1.*", "norm2.*", "conv2.*"})
    rows.push_back({theirs + part, ours + part});
}

// Query, key, value and what follows them: by their names of today, or those of the first files.
struct AttentionNames {
  const char* parts[4];
};
constexpr AttentionNames kNewer{{"to_q", "to_k", "to_v", "to_out.0"}};
constexpr AttentionNames kOlder{{"query", "key", "value", "proj_attn"}};

// Matrix products there, and convolutions of one pixel here.
void add_attention_block(std::vector<Row>& rows, const std::string& theirs, const std::string& ours,
                         const AttentionNames& names) {
  rows.push_back({theirs + "group_norm.*", ours + "norm.*"});
  const char* const of_ours[] = {"q", "k", "v", "proj"};
  for (std::size_t k = 0; k < 4; ++k) {
    rows.push_back({theirs + names.parts[k] + ".weight", ours + of_ours[k] + ".weight", kFlat});
    rows.push_back({theirs + names.parts[k] + ".bias", ours + of_ours[k] + ".bias"});
  }
}

// Those of the library diffusers, which counts levels on the way up from the lowest.
WeightNaming diffusers_naming(const DiffusionSize& size, const AttentionNames& names) {
  std::vector<Row> rows = {{"time_embedding.linear_#.*", "time.fc#.*"},
                           {"conv_norm_out.*", "norm_out.*"},
                           {"down_blocks.#.downsamplers.0.conv.*", "down.#.downsample.*"}};
  const auto add = [&](const std::string& theirs, const std::string& ours,
                       const std::string& attends) {
    add_attention_block(rows, theirs + "attentions." + (attends.empty() ? "0." : attends),
                        ours + attends + "attn.", names);
    add_residual_block(rows, theirs + "resnets.#.", ours + "#.");
  };
  add("down_blocks.#.", "down.#.", "#.");
  add("mid_block.", "mid.", "");
  for (std::size_t level = 0; level < size.multiples.size(); ++level) {
    const std::string theirs =
        "up_blocks." + std::to_string(size.multiples.size() - 1 - level) + ".";
    const std::string ours = "up." + std::to_string(level) + ".";
    rows.push_back({theirs + "upsamplers.0.conv.*", ours + "upsample.*"});
    add(theirs, ours, "#.");
  }
  return {.rows = std::move(rows)};
}

}  // namespace

WeightFamily diffusion_family(const DiffusionSize& size) {
  return {.namings = {diffusers_naming(size, kNewer), diffusers_naming(size, kOlder), {}},
          .file = kDiffusionWeightsFile};
}

}  // namespace poet
