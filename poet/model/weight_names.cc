#include "poet/model/weight_names.h"

#include <algorithm>
#include <utility>

#include "poet/model/weight_families.h"
#include "poet/model/zoo/decoder.h"
#include "poet/model/zoo/diffusion.h"

namespace poet {
namespace {

using Row = WeightRow;
constexpr auto kTransposed = WeightLayout::Transposed;

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

// What the wildcards of a pattern stand for in a name, appended to `found`; the longest first.
bool match(std::string_view pattern, std::string_view name, std::vector<std::string>& found) {
  const std::size_t plain = std::min(pattern.find_first_of("#*"), pattern.size());
  if (name.substr(0, plain) != pattern.substr(0, plain)) return false;
  pattern.remove_prefix(plain);
  name.remove_prefix(plain);
  if (pattern.empty()) return name.empty();
  const bool number = pattern.front() == '#';
  std::size_t most = name.size();
  if (number)
    most = static_cast<std::size_t>(std::find_if_not(name.begin(), name.end(), is_digit) -
                                    name.begin());
  // What follows a wildcard is tried only where its first plain part is.
  const std::string_view rest = pattern.substr(1);
  const std::string_view next = rest.substr(0, rest.find_first_of("#*"));
  for (std::size_t length = most + 1; length-- > (number ? 1U : 0U);) {
    if (name.compare(length, next.size(), next) != 0) continue;
    if (next.size() == rest.size() && length + next.size() != name.size()) continue;
    found.emplace_back(name.substr(0, length));
    if (match(rest, name.substr(length), found)) return true;
    found.pop_back();
  }
  return false;
}

std::string filled(std::string_view pattern, const std::vector<std::string>& found) {
  std::string name;
  std::size_t next = 0;
  for (const char byte : pattern)
    if (byte == '#' || byte == '*')
      name += found[next++];
    else
      name += byte;
  return name;
}

// --- By family

// Names of GGUF files are those of llama.cpp, whose program that writes them puts the rows of
// queries and keys of Llama into pairs, and adds the 1 to Gemma's norms that these scale by beside
// their weights.
WeightNaming decoder_in_gguf(const NamedDecoder& decoder) {
  const std::string theirs = "blk.#.";
  const std::string ours = "model.layers.#.";
  const bool is_gemma = decoder.family == DecoderFamily::Gemma;
  const std::int64_t pairs =
      decoder.family == DecoderFamily::Llama ? decoder.size.head_features : 0;
  const float added = is_gemma ? 1.0F : 0.0F;
  const auto norm = [added](const std::string& name, const std::string& of_ours) {
    return Row{.theirs = name + ".weight", .ours = of_ours + ".weight", .added = added};
  };
  std::vector<Row> rows = {
      {"token_embd.*", "model.embed_tokens.*"},
      norm("output_norm", "model.norm"),
      norm(theirs + "attn_norm", ours + "input_layernorm"),
      {.theirs = theirs + "attn_q.*", .ours = ours + "self_attn.q_proj.*", .paired_rows = pairs},
      {.theirs = theirs + "attn_k.*", .ours = ours + "self_attn.k_proj.*", .paired_rows = pairs},
      {theirs + "attn_v.*", ours + "self_attn.v_proj.*"},
      {theirs + "attn_output.*", ours + "self_attn.o_proj.*"},
      {theirs + "ffn_gate.*", ours + "mlp.gate_proj.*"},
      {theirs + "ffn_up.*", ours + "mlp.up_proj.*"},
      {theirs + "ffn_down.*", ours + "mlp.down_proj.*"}};
  if (is_gemma) {
    rows.push_back(norm(theirs + "attn_q_norm", ours + "self_attn.q_norm"));
    rows.push_back(norm(theirs + "attn_k_norm", ours + "self_attn.k_norm"));
    rows.push_back(norm(theirs + "post_attention_norm", ours + "post_attention_layernorm"));
    rows.push_back(norm(theirs + "ffn_norm", ours + "pre_feedforward_layernorm"));
    rows.push_back(norm(theirs + "post_ffw_norm", ours + "post_feedforward_layernorm"));
  } else {
    rows.push_back(norm(theirs + "ffn_norm", ours + "post_attention_layernorm"));
  }
  return {.rows = std::move(rows)};
}

// Names are those that Hugging Face's transformers give the modules of these networks, without
// "model." where the decoder was saved without its head.
WeightFamily decoder_family(const NamedDecoder& decoder) {
  return {.namings = {{}, {.rows = {{"*", "model.*"}}}, decoder_in_gguf(decoder)},
          .ignored = {"*rotary_emb.inv_freq", "rope_freqs.weight"},
          .shared = {{"lm_head.weight", "model.embed_tokens.weight"},
                     {"output.weight", "model.embed_tokens.weight"}}};
}

// Its linear layers keep their weights the other way round. `prefix`: "transformer.", which the
// published file goes without.
WeightNaming gpt2_naming(const std::string& prefix) {
  const std::string theirs = prefix + "h.#.";
  const std::string ours = "transformer.h.#.";
  WeightNaming naming;
  add_query_key_value(naming.rows, theirs + "attn.c_attn", ours + "attn.", ".weight", kTransposed);
  add_query_key_value(naming.rows, theirs + "attn.c_attn", ours + "attn.", ".bias",
                      WeightLayout::Same);
  for (const std::string& part : {std::string("attn.c_proj"), std::string("mlp.c_proj")}) {
    naming.rows.push_back({theirs + part + ".weight", ours + part + ".dense.weight", kTransposed});
    naming.rows.push_back({theirs + part + ".bias", ours + part + ".dense.bias"});
  }
  naming.rows.push_back({theirs + "mlp.c_fc.weight", ours + "mlp.c_fc.weight", kTransposed});
  naming.rows.push_back({prefix + "*", "transformer.*"});
  return naming;
}

// llama.cpp's program turns them back.
WeightNaming gpt2_in_gguf() {
  const std::string theirs = "blk.#.";
  const std::string ours = "transformer.h.#.";
  WeightNaming naming;
  for (const char* const end : {".weight", ".bias"})
    add_query_key_value(naming.rows, theirs + "attn_qkv", ours + "attn.", end, WeightLayout::Same);
  for (const auto& [name, of_ours] :
       {std::pair("attn_norm.*", "ln_1.*"), std::pair("attn_output.*", "attn.c_proj.dense.*"),
        std::pair("ffn_norm.*", "ln_2.*"), std::pair("ffn_up.*", "mlp.c_fc.*"),
        std::pair("ffn_down.*", "mlp.c_proj.dense.*")})
    naming.rows.push_back({theirs + name, ours + of_ours});
  naming.rows.push_back({"token_embd.*", "transformer.wte.*"});
  naming.rows.push_back({"position_embd.*", "transformer.wpe.*"});
  naming.rows.push_back({"output_norm.*", "transformer.ln_f.*"});
  return naming;
}

WeightFamily gpt2_family() {
  // The masks of attention, which are no weights.
  return {.namings = {gpt2_naming("transformer."), gpt2_naming(""), gpt2_in_gguf()},
          .ignored = {"*h.#.attn.bias", "*h.#.attn.masked_bias"},
          .shared = {{"lm_head.weight", "transformer.wte.weight"},
                     {"output.weight", "transformer.wte.weight"}}};
}

// The files of 2018 call what norms scale and shift by gamma and beta.
WeightFamily bert_family() {
  return {.namings = {{},
                      {.rows = {{"*.LayerNorm.gamma", "*.LayerNorm.weight"},
                                {"*.LayerNorm.beta", "*.LayerNorm.bias"}}},
                      {.rows = {{"*", "bert.*"}}}},
          .ignored = {"*embeddings.position_ids", "cls.*"}};
}

struct NamedFamily {
  std::string_view network;
  WeightFamily (*make)();
};
constexpr NamedFamily kFamilies[] = {{"gpt2-tiny", gpt2_family},
                                     {"gpt2-small", gpt2_family},
                                     {"bert-tiny", bert_family},
                                     {"bert-base", bert_family},
                                     {"vit-s16", vit_family},
                                     {"convnext-t", convnext_family},
                                     {"mobilevit-xs", mobilevit_family},
                                     {"mobilevit-s", mobilevit_family},
                                     {"efficientnet-b0", efficientnet_family}};

WeightFamily own_family(std::string_view network) {
  if (const NamedDecoder* const decoder = find_decoder(network)) return decoder_family(*decoder);
  if (const DiffusionSize* const size = find_diffusion(network)) return diffusion_family(*size);
  for (const NamedFamily& row : kFamilies)
    if (row.network == network) return row.make();
  return {.namings = {{}}};
}

}  // namespace

WeightFamily weight_family(std::string_view network) {
  WeightFamily family = own_family(network);
  // PyTorch counts the batches that a batch norm has seen.
  family.ignored.push_back("*.num_batches_tracked");
  return family;
}

WeightPlace place_of(const WeightNaming& naming, const std::string& ours) {
  for (const WeightRow& row : naming.rows) {
    std::vector<std::string> found;
    if (match(row.ours, ours, found))
      return {filled(row.theirs, found), row.layout, row.part, row.parts,
              row.paired_rows,           row.added};
  }
  return {.name = ours};
}

bool fits(std::string_view pattern, std::string_view name) {
  std::vector<std::string> found;
  return match(pattern, name, found);
}

}  // namespace poet
