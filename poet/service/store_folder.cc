#include "poet/service/store_folder.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "poet/base/message_text.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

// What a new file system has in its first folder; and what a service leaves that ended before it
// had a store: the empty file of one, and what the database has beside that.
bool may_be_in_a_new_store(const std::string& name, bool has_empty_store) {
  if (has_empty_store && (name == "jobs.db" || name.starts_with("jobs.db-"))) return true;
  return name == "lost+found";
}

Error cannot_use(const std::string& path, const std::error_code& why) {
  return {ErrorCode::Io,
          fmt::format("cannot make the folder {}: {}", in_quotes(path), why.message()),
          {}};
}

}  // namespace

bool is_store_folder(const std::string& path) {
  std::error_code error;
  const fs::path jobs = fs::path(path) / "jobs.db";
  return fs::is_regular_file(jobs, error) && fs::file_size(jobs, error) > 0 && !error;
}

Failure make_store_folder(const std::string& path) {
  std::error_code error;
  const bool is_new = fs::create_directories(path, error);
  if (!error && is_new) fs::permissions(path, fs::perms::owner_all, error);
  if (error) return cannot_use(path, error);
  if (is_new || is_store_folder(path)) return std::nullopt;
  std::error_code unknown;
  const bool has_empty_store = fs::is_regular_file(fs::path(path) / "jobs.db", unknown);
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (!may_be_in_a_new_store(name, has_empty_store))
      return bad_input(
          fmt::format("the folder {} has {} in it and is no store of a service: name one that is "
                      "new or empty, so that nothing of yours is taken for the service's",
                      in_quotes(path), in_quotes(name)));
  }
  if (error) return cannot_use(path, error);
  return std::nullopt;
}

}  // namespace poet
