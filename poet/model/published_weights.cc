#include "poet/model/published_weights.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "poet/base/json_reader.h"
#include "poet/base/text_file.h"
#include "poet/model/gguf.h"
#include "poet/model/gptq.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

Result<JsonValue> read_json(const std::string& path) {
  if (Failure refused = require_regular_file(path)) return *refused;
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return text.error();
  return parse_json(*text, path);
}

Failure add_file(const std::string& path, PublishedWeights& weights) {
  Result<SafeTensors> file = read_safetensors(path);
  if (!file.ok()) return file.error();
  for (SafeTensor& tensor : file->tensors) {
    std::string name = tensor.name;
    weights.tensors.emplace(std::move(name), std::move(tensor));
  }
  return std::nullopt;
}

// The file of each tensor, by an index, and where it says so.
struct Shard {
  std::string file = {};
  SourcePos where = {};
};
using Shards = std::map<std::string, Shard>;

// Beside the index: a link may lead elsewhere, as those of Hugging Face's cache do, but no name.
bool is_file_name(const std::string& name) {
  return names_safetensors_file(name) && name.find('/') == std::string::npos;
}

Result<Shards> read_index(const std::string& path) {
  const Result<JsonValue> json = read_json(path);
  if (!json.ok()) return json.error();
  JsonReader reader(path);
  JsonObject fields(*json, "an index of weights", reader);
  const JsonValue& map = fields.member("weight_map");
  if (fields.has("metadata")) JsonObject(fields.member("metadata"), "'metadata'", reader);
  fields.finish();
  const auto* const members = std::get_if<JsonMembers>(&map.data);
  if (members == nullptr)
    reader.refuse(map, "'weight_map' must be an object, found " + found_text(map));
  if (reader.failure()) return *reader.failure();
  Shards shards;
  for (const JsonMember& member : *members) {
    const std::string file = reader.text(member.value, member.key);
    if (!is_file_name(file))
      reader.refuse(member.value,
                    fmt::format("{} must be in a file NAME.safetensors beside the index, found {}",
                                weight_in_quotes(member.key), found_text(member.value)));
    shards.emplace(member.key, Shard{file, {path, member.line, member.column}});
  }
  if (reader.failure()) return *reader.failure();
  return shards;
}

// Every tensor of the files is where the index has it, and the other way round.
Failure add_indexed(const std::string& index, PublishedWeights& weights) {
  const Result<Shards> shards = read_index(index);
  if (!shards.ok()) return shards.error();
  std::set<std::string> files;
  for (const auto& [name, shard] : *shards) files.insert(shard.file);
  for (const std::string& file : files) {
    const std::string path = (fs::path(index).parent_path() / file).string();
    PublishedWeights part;
    if (Failure failure = add_file(path, part)) return failure;
    for (auto& [name, tensor] : part.tensors) {
      const auto listed = shards->find(name);
      if (listed == shards->end() || listed->second.file != file)
        return bad_input(
            fmt::format("it has {}, which the index {} does not have there", weight_in_quotes(name),
                        weight_in_quotes(fs::path(index).filename().string())),
            {.file = path});
      weights.tensors.emplace(name, std::move(tensor));
    }
  }
  for (const auto& [name, shard] : *shards)
    if (weights.tensors.count(name) == 0)
      return bad_input(
          fmt::format("{} is not in {}", weight_in_quotes(name), weight_in_quotes(shard.file)),
          shard.where);
  return std::nullopt;
}

// A whole network in one file, with what it says of itself in place of a configuration.
Failure add_gguf(const std::string& path, PublishedWeights& weights) {
  Result<GgufFile> file = read_gguf(path);
  if (!file.ok()) return file.error();
  Result<JsonValue> config = gguf_config(*file, path);
  if (!config.ok()) return config.error();
  weights.config = {.path = path, .json = *std::move(config)};
  for (SafeTensor& tensor : file->tensors) {
    std::string name = tensor.name;
    weights.tensors.emplace(std::move(name), std::move(tensor));
  }
  return std::nullopt;
}

Failure add_config(const fs::path& folder, PublishedWeights& weights) {
  const std::string path = (folder / kConfigFile).string();
  if (!is_there(path)) return std::nullopt;
  Result<JsonValue> json = read_json(path);
  if (!json.ok()) return json.error();
  weights.config = {.path = path, .json = *std::move(json)};
  return std::nullopt;
}

Failure add_files(const fs::path& folder, PublishedWeights& weights) {
  const fs::path file = folder / kWeightsFile;
  const fs::path index = folder / kWeightsIndex;
  if (is_there(file)) return add_file(file.string(), weights);
  if (is_there(index)) return add_indexed(index.string(), weights);
  const fs::path diffusion = folder / kDiffusionWeightsFile;
  if (is_there(diffusion)) return add_file(diffusion.string(), weights);
  return Error{ErrorCode::NotFound,
               fmt::format("the folder '{}' has none of {}, {} and {}", folder.string(),
                           kWeightsFile, kWeightsIndex, kDiffusionWeightsFile),
               {}};
}

// What says how weights are quantised: a file of its own, or a part of the configuration.
Result<GptqForm> form_of(const fs::path& folder, const PublishedWeights& weights) {
  const std::string path = (folder / kQuantizeConfigFile).string();
  if (is_there(path)) {
    const Result<JsonValue> json = read_json(path);
    if (!json.ok()) return json.error();
    return gptq_form(*json, path);
  }
  if (weights.config)
    if (const auto* const members = std::get_if<JsonMembers>(&weights.config->json.data))
      for (const JsonMember& member : *members)
        if (member.key == "quantization_config")
          return gptq_form(member.value, weights.config->path);
  return Error{ErrorCode::NotFound,
               fmt::format("the folder '{}' has quantised weights, and no {} that says how",
                           folder.string(), kQuantizeConfigFile),
               {}};
}

Failure decode_folder(const fs::path& folder, PublishedWeights& weights) {
  if (!has_gptq(weights.tensors)) return std::nullopt;
  const Result<GptqForm> form = form_of(folder, weights);
  if (!form.ok()) return form.error();
  return take_gptq(*form, weights.tensors);
}

Failure add_folder(const fs::path& folder, PublishedWeights& weights) {
  if (Failure failure = add_config(folder, weights)) return failure;
  if (Failure failure = add_files(folder, weights)) return failure;
  return decode_folder(folder, weights);
}

}  // namespace

bool names_safetensors_file(const std::string& path) {
  return path.ends_with(".safetensors");
}

Result<PublishedWeights> open_weights(const std::string& path) {
  PublishedWeights weights{.path = path};
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    if (Failure failure = add_folder(path, weights)) return *failure;
  } else if (path.ends_with(".index.json")) {
    if (Failure failure = add_indexed(path, weights)) return *failure;
  } else if (path.ends_with(".gguf")) {
    if (Failure failure = add_gguf(path, weights)) return *failure;
  } else if (Failure failure = add_file(path, weights)) {
    return *failure;
  }
  return weights;
}

}  // namespace poet
