#include "apps/cli/files_behind.h"

#include <filesystem>
#include <set>
#include <variant>

#include "poet/base/json.h"
#include "poet/base/text_file.h"
#include "poet/model/onnx_file.h"
#include "poet/model/peft_adapters.h"
#include "poet/model/published_weights.h"

namespace poet::cli {
namespace {

namespace fs = std::filesystem;

// What is read of a folder of weights or adapters, where it is there (docs/formats/weights.md).
constexpr const char* kInFolder[] = {"model.safetensors",    kDiffusionWeightsFile, kWeightsIndex,
                                     kAdapterFile,           kAdapterConfigFile,    kConfigFile,
                                     "quantize_config.json", "tokenizer.json"};

// The files that an index names. What is wrong with it is said when it is read for its own sake.
void add_indexed(const fs::path& index, std::vector<std::string>& files) {
  const Result<std::string> text = read_text_file(index.string());
  if (!text.ok()) return;
  const Result<JsonValue> json = parse_json(*text, index.string());
  const auto* const members = json.ok() ? std::get_if<JsonMembers>(&json->data) : nullptr;
  if (members == nullptr) return;
  std::set<std::string> names;
  for (const JsonMember& member : *members)
    if (const auto* const map = std::get_if<JsonMembers>(&member.value.data);
        map != nullptr && member.key == "weight_map")
      for (const JsonMember& weight : *map)
        if (const auto* const name = std::get_if<std::string>(&weight.value.data))
          names.insert(*name);
  for (const std::string& name : names) files.push_back((index.parent_path() / name).string());
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const char* const name : kInFolder)
    if (fs::exists(folder / name, error)) files.push_back((folder / name).string());
  add_indexed(folder / kWeightsIndex, files);
  return files;
}

}  // namespace

std::vector<std::string> files_behind(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return files_in(path);
  if (path.ends_with(".index.json")) {
    std::vector<std::string> files;
    add_indexed(path, files);
    return files;
  }
  if (!path.ends_with(".onnx") || !fs::is_regular_file(path, error)) return {};
  const auto model = read_onnx(path);
  return model.ok() ? model->files : std::vector<std::string>{};
}

}  // namespace poet::cli
