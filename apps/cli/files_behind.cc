#include "apps/cli/files_behind.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "poet/model/onnx_file.h"

namespace poet::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWeights[] = {".safetensors", ".gguf"};
// Docs/formats/weights.md: what says which numbers they are.
constexpr std::string_view kDescriptions[] = {
    ".index.json", "adapter_config.json", "config.json", "quantize_config.json", "tokenizer.json",
};

template <typename Endings>
bool ends_with_one(const std::string& name, const Endings& endings) {
  return std::any_of(std::begin(endings), std::end(endings),
                     [&name](std::string_view ending) { return name.ends_with(ending); });
}

std::vector<std::string> files_in(const fs::path& folder, bool with_descriptions) {
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (ends_with_one(name, kWeights) || (with_descriptions && ends_with_one(name, kDescriptions)))
      files.push_back(entry.path().string());
  }
  return files;
}

}  // namespace

std::vector<std::string> files_behind(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return files_in(path, true);
  if (path.ends_with(".index.json")) {
    const fs::path folder = fs::path(path).parent_path();
    return files_in(folder.empty() ? "." : folder, false);
  }
  if (!path.ends_with(".onnx") || !fs::is_regular_file(path, error)) return {};
  // What is wrong with it is said when it is read for its own sake.
  const auto model = read_onnx(path);
  return model.ok() ? model->files : std::vector<std::string>{};
}

}  // namespace poet::cli
