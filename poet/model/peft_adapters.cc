#include "poet/model/peft_adapters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/model/load_weights.h"
#include "poet/model/weight_names.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

constexpr WholeRange kRanks{1, std::numeric_limits<std::int32_t>::max()};

// --- The configuration

// What says where adapters came from, how they began and were trained, and which weights they are
// beside, which the matrices say themselves. None of it changes what they compute.
constexpr std::string_view kWithoutEffect[] = {
    "auto_mapping",        "base_model_name_or_path", "corda_config",
    "ensure_weight_tying", "ephemeral_gpu_offload",   "eva_config",
    "exclude_modules",     "fan_in_fan_out",          "inference_mode",
    "layers_pattern",      "layers_to_transform",     "loftq_config",
    "lora_dropout",        "lora_ga_config",          "megatron_core",
    "peft_version",        "qalora_group_size",       "revision",
    "runtime_config",      "target_modules",          "task_type"};

// How A and B may have begun, without changing the weight that they are beside.
constexpr std::string_view kPlainBeginnings[] = {"gaussian", "orthogonal", "eva"};

// Null, false, and lists and objects of nothing: what is there but not asked for.
bool asks_for_nothing(const JsonValue& value) {
  if (const bool* const flag = std::get_if<bool>(&value.data)) return !*flag;
  if (const auto* const list = std::get_if<JsonList>(&value.data)) return list->empty();
  if (const auto* const members = std::get_if<JsonMembers>(&value.data)) return members->empty();
  return std::holds_alternative<std::nullptr_t>(value.data);
}

template <std::size_t N>
bool is_among(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_text(const JsonValue& value, std::string_view text) {
  const auto* const found = std::get_if<std::string>(&value.data);
  return found != nullptr && *found == text;
}

bool is_plain_beginning(const JsonValue& value) {
  if (const auto* const name = std::get_if<std::string>(&value.data))
    return is_among(kPlainBeginnings, *name);
  return std::holds_alternative<bool>(value.data) ||
         std::holds_alternative<std::nullptr_t>(value.data);
}

// Whether adapters of POET are without it, or with what it asks for.
bool is_taken(const JsonMember& member) {
  if (member.key == "peft_type") return is_text(member.value, "LORA");
  if (member.key == "bias") return is_text(member.value, "none");
  if (member.key == "init_lora_weights") return is_plain_beginning(member.value);
  constexpr std::string_view kRead[] = {"r", "lora_alpha", "use_rslora"};
  return is_among(kRead, member.key) || is_among(kWithoutEffect, member.key) ||
         asks_for_nothing(member.value);
}

// The scale is alpha / sqrt(rank) here. As alpha' / rank it is the same to the bit where the root
// is whole.
void scale_by_root(const JsonValue& asked, PublishedAdapters& adapters, JsonReader& reader) {
  const double root = std::round(std::sqrt(static_cast<double>(adapters.rank)));
  if (root * root != static_cast<double>(adapters.rank))
    return reader.refuse(
        asked, fmt::format("'use_rslora' divides by the root of 'r', which POET takes where it is "
                           "whole, as of 16, and {} has none",
                           adapters.rank));
  adapters.alpha *= root;
}

// Null and nothing are no names.
std::optional<std::string> name_in(const JsonValue& value) {
  const auto* const name = std::get_if<std::string>(&value.data);
  return name == nullptr || name->empty() ? std::nullopt : std::optional(*name);
}

Failure read_config(const std::string& path, PublishedAdapters& adapters) {
  if (Failure refused = require_regular_file(path)) return *refused;
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return text.error();
  const Result<JsonValue> json = parse_json(*text, path);
  if (!json.ok()) return json.error();
  JsonReader reader(path);
  JsonObject fields(*json, "a configuration of adapters", reader);
  fields.text("peft_type");
  if (const auto* const members = std::get_if<JsonMembers>(&json->data))
    for (const JsonMember& member : *members)
      if (!is_taken(member))
        reader.refuse(member.value,
                      fmt::format("{} is {}, and POET's adapters are W + (alpha / rank) B A alone",
                                  in_quotes(member.key), found_text(member.value)));
  adapters.rank = fields.whole("r", kRanks);
  adapters.alpha = fields.number("lora_alpha", NumberRange::NotNegative);
  if (fields.has("use_rslora") && fields.flag("use_rslora"))
    scale_by_root(fields.member("use_rslora"), adapters, reader);
  if (fields.has("base_model_name_or_path"))
    adapters.base = name_in(fields.member("base_model_name_or_path"));
  return reader.failure();
}

Failure read_matrices(const std::string& path, PublishedAdapters& adapters) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    return Error{ErrorCode::NotFound,
                 fmt::format("the folder '{}' has no {}: adapters are read from safetensors alone",
                             adapters.path, kAdapterFile),
                 {}};
  Result<SafeTensors> file = read_safetensors(path);
  if (!file.ok()) return file.error();
  for (SafeTensor& tensor : file->tensors) {
    std::string name = tensor.name;
    adapters.tensors.emplace(std::move(name), std::move(tensor));
  }
  return std::nullopt;
}

// --- Names

// A weight that adapters can be beside, and what the module is called that has it there.
struct Site {
  TensorId weight{};
  std::string module = {};
  WeightPlace place = {};
};

std::vector<Site> sites_of(const WeightNaming& naming, const Model& model,
                           const std::vector<TensorId>& weights) {
  std::vector<Site> sites;
  for (const TensorId weight : weights) {
    WeightPlace place = place_of(naming, at(model.graph.tensors, weight).name);
    std::string module = module_of(place.name);
    sites.push_back({weight, std::move(module), std::move(place)});
  }
  return sites;
}

std::string down_name(const Site& site) {
  return "base_model.model." + site.module + ".lora_A.weight";
}
std::string up_name(const Site& site) {
  return "base_model.model." + site.module + ".lora_B.weight";
}

bool is_there(const PublishedAdapters& adapters, const std::string& name) {
  return adapters.tensors.count(name) > 0;
}

bool is_there(const PublishedAdapters& adapters, const Site& site) {
  return is_there(adapters, down_name(site)) || is_there(adapters, up_name(site));
}

// Those that the file has matrices for, by the way of naming by which most are found.
std::vector<Site> sites_in(const PublishedAdapters& adapters, std::string_view network,
                           const Model& model, const std::vector<TensorId>& weights) {
  std::vector<Site> best;
  for (const WeightNaming& naming : weight_family(network).namings) {
    std::vector<Site> there;
    for (Site& site : sites_of(naming, model, weights))
      if (is_there(adapters, site)) there.push_back(std::move(site));
    if (there.size() > best.size()) best = std::move(there);
  }
  return best;
}

Error of_a_part(const Site& site) {
  return bad_input(
      fmt::format("{} holds {} weights of the network, and adapters beside the whole are not those "
                  "beside its parts",
                  weight_in_quotes(site.place.name), site.place.parts));
}

Failure check_names(const PublishedAdapters& adapters, const std::vector<Site>& sites) {
  std::set<std::string> known;
  for (const Site& site : sites) {
    if (site.place.parts > 1) return of_a_part(site);
    for (const std::string& name : {down_name(site), up_name(site)}) {
      if (!is_there(adapters, name))
        return bad_input(fmt::format("the adapter of {} lacks {}", weight_in_quotes(site.module),
                                     weight_in_quotes(name)));
      known.insert(name);
    }
  }
  for (const auto& [name, tensor] : adapters.tensors)
    if (!known.contains(name))
      return bad_input(fmt::format("the network has no place for {}, {} of {} matrices of adapters",
                                   weight_in_quotes(name), adapters.tensors.size() - known.size(),
                                   adapters.tensors.size()));
  if (sites.empty()) return bad_input("there is no adapter in it");
  return std::nullopt;
}

Failure in_file(const PublishedAdapters& adapters, Failure failure) {
  if (failure) failure->where.file = (fs::path(adapters.path) / kAdapterFile).string();
  return failure;
}

std::string type_text(SafeType type, const Shape& shape) {
  return fmt::format("{} {}", name_of(kSafeTypes, type), to_text(shape));
}

Failure take_matrix(const SafeTensor& matrix, TensorId id, Model& model) {
  const Shape& shape = at(model.graph.tensors, id).type.shape;
  const bool is_float = matrix.type == SafeType::Float32 || matrix.type == SafeType::Float16 ||
                        matrix.type == SafeType::BFloat16;
  if (matrix.shape != shape || !is_float || matrix.blocks)
    return bad_input(fmt::format("{} is {}, and the network takes {}, F32, F16 or BF16",
                                 weight_in_quotes(matrix.name),
                                 type_text(matrix.type, matrix.shape), to_text(shape)));
  model.initial[id] = float_values(matrix);
  return std::nullopt;
}

// --- What is written

std::vector<TensorId> adapted_weights(const Model& model) {
  std::vector<TensorId> weights;
  for (const Adapter& adapter : model.adapters) weights.push_back(adapter.weight);
  return weights;
}

std::vector<Site> written_sites(const Model& model, std::string_view network) {
  return sites_of(weight_family(network).namings.front(), model, adapted_weights(model));
}

// PEFT takes a module by its name, or by the end of it, from behind a dot on.
bool is_named_by(const std::string& module, const std::string& target) {
  return module == target || module.ends_with("." + target);
}

// The last parts of their names where these choose no other module with a weight, which the network
// has as a matrix; otherwise whole names.
std::set<std::string> target_modules(const Model& model, std::string_view network,
                                     const std::vector<Site>& sites) {
  std::set<std::string> adapted;
  std::set<std::string> ends;
  for (const Site& site : sites) {
    adapted.insert(site.module);
    ends.insert(site.module.substr(site.module.rfind('.') + 1));
  }
  std::vector<TensorId> parameters;
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i)
    if (model.graph.tensors[i].role == TensorRole::Parameter)
      parameters.push_back(static_cast<TensorId>(i));
  for (const Site& site : sites_of(weight_family(network).namings.front(), model, parameters)) {
    const bool is_module_with_weight = site.module != site.place.name;
    if (!is_module_with_weight || adapted.contains(site.module)) continue;
    for (const std::string& end : ends)
      if (is_named_by(site.module, end)) return adapted;
  }
  return ends;
}

JsonOut whole_if_it_is(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? JsonOut(whole) : JsonOut(number);
}

}  // namespace

Result<PublishedAdapters> open_adapters(const std::string& folder) {
  PublishedAdapters adapters{.path = folder};
  if (Failure failure = read_config((fs::path(folder) / kAdapterConfigFile).string(), adapters))
    return *failure;
  if (Failure failure = read_matrices((fs::path(folder) / kAdapterFile).string(), adapters))
    return *failure;
  return adapters;
}

Result<LowRankAdapters> adapters_for(const PublishedAdapters& adapters, std::string_view network,
                                     const Model& base) {
  const std::vector<Site> sites = sites_in(adapters, network, base, adaptable_weights(base));
  if (Failure failure = in_file(adapters, check_names(adapters, sites))) return *failure;
  std::set<std::string> names;
  for (const Site& site : sites) names.insert(at(base.graph.tensors, site.weight).name);
  const LowRankAdapters asked{adapters.rank, adapters.alpha, targets_of(base, names)};
  Result<LowRankAdapters> read = read_adapters(adapters_text(asked));
  if (read.ok()) return read;
  Error error = read.error();
  error.where.file = (fs::path(adapters.path) / kAdapterConfigFile).string();
  return error;
}

Failure load_adapters(const PublishedAdapters& adapters, std::string_view network, Model& model) {
  const std::vector<Site> sites = sites_in(adapters, network, model, adapted_weights(model));
  POET_CHECK(sites.size() == model.adapters.size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Adapter& adapter = model.adapters[i];
    POET_CHECK(sites[i].weight == adapter.weight);
    for (const auto& [name, id] :
         {std::pair(down_name(sites[i]), adapter.down), std::pair(up_name(sites[i]), adapter.up)})
      if (Failure failure = in_file(adapters, take_matrix(adapters.tensors.at(name), id, model)))
        return failure;
  }
  return std::nullopt;
}

Result<std::vector<PublishedMatrix>> published_matrices(const Model& model,
                                                        std::string_view network) {
  const std::vector<Site> sites = written_sites(model, network);
  std::vector<PublishedMatrix> matrices;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].place.parts > 1) return of_a_part(sites[i]);
    matrices.push_back({down_name(sites[i]), model.adapters[i].down});
    matrices.push_back({up_name(sites[i]), model.adapters[i].up});
  }
  return matrices;
}

JsonOut adapter_config(const Model& model, const LowRankAdapters& adapters,
                       std::string_view network, const std::optional<std::string>& base) {
  const std::vector<Site> sites = written_sites(model, network);
  // Networks whose last layer is the table of words say which word is next.
  const bool has_words = !weight_family(network).shared.empty();
  const bool is_turned = std::any_of(sites.begin(), sites.end(), [](const Site& site) {
    return site.place.layout == WeightLayout::Transposed;
  });
  return {{"peft_type", "LORA"},
          {"task_type", has_words ? JsonOut("CAUSAL_LM") : JsonOut(nullptr)},
          {"base_model_name_or_path", or_null(base)},
          {"revision", nullptr},
          {"inference_mode", true},
          {"r", adapters.rank},
          {"lora_alpha", whole_if_it_is(adapters.alpha)},
          {"lora_dropout", 0.0},
          {"target_modules", target_modules(model, network, sites)},
          {"exclude_modules", nullptr},
          {"fan_in_fan_out", is_turned},
          {"bias", "none"},
          {"use_rslora", false},
          {"use_dora", false},
          {"modules_to_save", nullptr},
          {"rank_pattern", JsonOut::object()},
          {"alpha_pattern", JsonOut::object()},
          {"layers_to_transform", nullptr},
          {"layers_pattern", nullptr},
          {"init_lora_weights", true}};
}

}  // namespace poet
