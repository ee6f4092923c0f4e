#include "apps/cli/output_files.h"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>

namespace poet::cli {
namespace {

namespace fs = std::filesystem;

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
  const fs::path full_a = fs::weakly_canonical(fs::absolute(a), code);
  if (code) return false;
  const fs::path full_b = fs::weakly_canonical(fs::absolute(b), code);
  return !code && full_a == full_b;
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
  const std::string why = obstacle(folder_of(path));
  if (!why.empty()) return cannot_write(option, path, why);
  return std::nullopt;
}

Failure check_folder_target(const std::string& option, const std::string& path) {
  std::error_code code;
  const fs::path folder = path.ends_with('/') ? fs::path(path).parent_path() : fs::path(path);
  const std::string why = obstacle(fs::exists(folder, code) ? folder : folder_of(folder.string()));
  if (!why.empty()) return cannot_write(option, path, why);
  return std::nullopt;
}

Failure check_distinct(const std::vector<NamedPath>& files) {
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_same_file(files[i].path, files[j].path))
        return bad_input(fmt::format("{} and {} name one file, '{}'; give each its own",
                                     files[j].option, files[i].option, files[i].path));
  return std::nullopt;
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
