#include "poet/service/model_files.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "poet/base/check.h"
#include "poet/service/request_fields.h"
#include "poet/service/service_error.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

Error refused(const std::string& what, const std::error_code& code) {
  return {ErrorCode::Io, fmt::format("{}: {}", what, code.message()), {}};
}

// What else lies in the folder, which may be a link to another, is not ours to remove.
bool has_name_of_a_model(const fs::path& path) {
  return path.extension() == ".onnx" && names_upload("sha256:" + path.stem().string());
}

}  // namespace

std::string FolderModels::path_of(const std::string& id) const {
  POET_CHECK(names_upload(id));
  return (fs::path(folder_) / (id.substr(id.find(':') + 1) + ".onnx")).string();
}

Failure FolderModels::keep(const std::string& id, const std::string& aside_path,
                           const std::string& key, const std::string& note) {
  std::error_code error;
  fs::rename(aside_path, path_of(id), error);
  if (error) return refused("cannot keep a model", error);
  return store_.put_note(key, note);
}

Failure FolderModels::bring(const std::string& id, const std::string& path) const {
  std::error_code error;
  fs::create_hard_link(path_of(id), path, error);
  if (error) return refused("cannot reach a model", error);
  return std::nullopt;
}

Failure FolderModels::remove(const std::string& id, const std::string& key) {
  Failure failure = store_.forget_note(key);
  const bool file_first = failure && says_disk_is_full(failure->message);
  if (failure && !file_first) return failure;
  std::error_code error;
  fs::remove(path_of(id), error);
  if (error) return refused("cannot remove a model", error);
  return file_first ? store_.forget_note(key) : Failure();
}

bool FolderModels::has(const std::string& id) const {
  std::error_code error;
  return fs::is_regular_file(path_of(id), error);
}

std::int64_t FolderModels::size_bytes(const std::string& id) const {
  std::error_code error;
  const auto size = fs::file_size(path_of(id), error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

Result<std::int64_t> FolderModels::remove_all_but(const std::set<std::string>& ids) {
  std::set<std::string> known;
  for (const std::string& id : ids) known.insert(path_of(id));
  std::int64_t count = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (known.contains(entry.path().string()) || !has_name_of_a_model(entry.path())) continue;
    if (entry.is_directory(error)) continue;
    if (fs::remove(entry.path(), error)) ++count;
  }
  return count;
}

}  // namespace poet
