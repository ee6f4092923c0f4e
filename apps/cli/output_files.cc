#include "apps/cli/output_files.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "poet/base/atomic_file.h"
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

// What is read beside a path that an option names: the weights and their description in a folder,
// the files of an index, the external data of an ONNX file. Reads the ONNX file for that.
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

Error cannot_write(const std::string& option, const std::string& path, const std::string& why) {
  return Error{ErrorCode::Io, fmt::format("{}: cannot write '{}': {}", option, path, why), {}};
}

fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// Why no file can be made in a folder; empty when it can.
std::string obstacle(const fs::path& folder) {
  std::error_code code;
  const fs::file_status status = fs::status(folder, code);
  if (!fs::exists(status)) return fmt::format("the folder '{}' does not exist", folder.string());
  if (!fs::is_directory(status)) return fmt::format("'{}' is not a folder", folder.string());
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return fmt::format("no permission to write in the folder '{}'", folder.string());
  return {};
}

// Also by two names, when the file is there.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code code;
  if (fs::equivalent(a, b, code) && !code) return true;
  const Result<std::string> full_a = written_path(fs::absolute(a).string());
  const Result<std::string> full_b = written_path(fs::absolute(b).string());
  return full_a.ok() && full_b.ok() && *full_a == *full_b;
}

// A new file is made beside what a link leads to.
Result<fs::path> folder_to_write_in(const std::string& path) {
  std::error_code code;
  if (!fs::is_symlink(fs::symlink_status(path, code))) return folder_of(path);
  const Result<std::string> target = written_path(path);
  if (!target.ok()) return target.error();
  return folder_of(*target);
}

}  // namespace

Failure check_file_target(const std::string& option, const std::string& path) {
  if (path == "-")
    return cannot_write(option, path, "a file is meant; for one with this name write './-'");
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (fs::is_directory(status)) return cannot_write(option, path, "it is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status))
    return cannot_write(option, path, "it is not a regular file");
  const Result<fs::path> folder = folder_to_write_in(path);
  if (!folder.ok())
    return Error{folder.error().code, fmt::format("{}: {}", option, folder.error().message), {}};
  const std::string why = obstacle(*folder);
  if (!why.empty()) return cannot_write(option, path, why);
  // The new file lies beside it, with an ending (atomic_file.h), until it is whole.
  constexpr std::size_t kLongestName = 255 - std::string_view(".poet-new").size();
  if (const std::size_t bytes = fs::path(path).filename().string().size(); bytes > kLongestName)
    return cannot_write(option, path,
                        fmt::format("its name has {} bytes, and may have {}", bytes, kLongestName));
  return std::nullopt;
}

Failure check_folder_target(const std::string& option, const std::string& path) {
  std::error_code code;
  const fs::path folder = path.ends_with('/') ? fs::path(path).parent_path() : fs::path(path);
  const std::string why = obstacle(fs::exists(folder, code) ? folder : folder_of(folder.string()));
  if (!why.empty()) return cannot_write(option, path, why);
  return std::nullopt;
}

void CommandFiles::reads(const std::string& option, const std::optional<std::string>& path) {
  if (path) files_.push_back({option, *path, Use::Read});
}

void CommandFiles::reads(const std::string& option, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) files_.push_back({option, path, Use::Read});
}

void CommandFiles::writes(const std::string& option, const std::optional<std::string>& path) {
  if (path) files_.push_back({option, *path, Use::Written});
}

void CommandFiles::fills(const std::string& option, const std::optional<std::string>& folder,
                         const std::vector<std::string>& names) {
  if (!folder) return;
  files_.push_back({option, *folder, Use::Filled});
  for (const std::string& name : names)
    files_.push_back({option, (fs::path(*folder) / name).string(), Use::Within});
}

void CommandFiles::makes(const std::string& option, const std::string& path) {
  files_.push_back({option, path, Use::Within});
}

void CommandFiles::allow(const std::string& read, const std::string& written) {
  allowed_.emplace_back(read, written);
}

bool CommandFiles::is_allowed(const File& a, const File& b) const {
  if (a.use == Use::Read && b.use == Use::Read) return true;
  if ((a.is_behind && b.use == Use::Written) || (b.is_behind && a.use == Use::Written))
    return false;
  for (const auto& [read, written] : allowed_)
    if ((a.option == read && b.option == written) || (b.option == read && a.option == written))
      return true;
  return false;
}

Failure CommandFiles::check() const {
  for (const File& file : files_) {
    if (file.use == Use::Written)
      if (Failure failure = check_file_target(file.option, file.path)) return failure;
    if (file.use == Use::Filled)
      if (Failure failure = check_folder_target(file.option, file.path)) return failure;
  }
  std::vector<File> all = files_;
  // It takes reading, which is in vain where all outputs are new files.
  if (replaces_something())
    for (const File& file : files_)
      if (file.use == Use::Read)
        for (std::string& path : files_behind(file.path))
          all.push_back({file.option, std::move(path), Use::Read, true});
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (all[i].option != all[j].option && !is_allowed(all[i], all[j]) &&
          is_same_file(all[i].path, all[j].path))
        return bad_input(fmt::format("{} and {} name one file, '{}'; give each its own",
                                     all[j].option, all[i].option, all[i].path));
  return std::nullopt;
}

bool CommandFiles::replaces_something() const {
  return std::any_of(files_.begin(), files_.end(), [](const File& file) {
    std::error_code error;
    const bool is_written = file.use == Use::Written || file.use == Use::Within;
    return is_written && fs::is_regular_file(file.path, error);
  });
}

Failure remove_files(const std::string& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::error_code code;
    const fs::path path = fs::path(folder) / name;
    fs::remove(path, code);
    if (code)
      return Error{
          ErrorCode::Io, fmt::format("cannot remove '{}': {}", path.string(), code.message()), {}};
  }
  return std::nullopt;
}

Failure make_folder(const std::string& path) {
  std::error_code code;
  fs::create_directory(path, code);
  if (code && !fs::is_directory(path))
    return Error{
        ErrorCode::Io, fmt::format("cannot make the folder '{}': {}", path, code.message()), {}};
  return std::nullopt;
}

}  // namespace poet::cli
