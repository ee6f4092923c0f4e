#include "poet/service/team_models.h"

#include <filesystem>
#include <limits>
#include <system_error>

#include "poet/base/text_file.h"
#include "poet/service/model_shelf.h"

namespace poet {

namespace fs = std::filesystem;

Failure TeamModels::keep(const std::string&, const std::string& aside_path, const std::string& key,
                         const std::string& note) {
  const Result<std::string> bytes =
      read_text_file(aside_path, std::numeric_limits<std::int64_t>::max());
  if (!bytes.ok()) return bytes.error();
  if (Failure failure = jobs_.put_note_with_bytes(key, note, *bytes)) return failure;
  std::error_code ignored;
  fs::remove(aside_path, ignored);
  return std::nullopt;
}

Failure TeamModels::bring(const std::string& id, const std::string& path) const {
  const Result<std::optional<std::string>> bytes = jobs_.bytes_of_note(ModelShelf::note_of(id));
  if (!bytes.ok()) return bytes.error();
  if (!*bytes) return Error{ErrorCode::NotFound, "the model is not there any more", {}};
  Failure failure = write_text_file(path, **bytes);
  // This machine's fault, which asking the database again does not mend.
  if (failure) failure->code = ErrorCode::Unsupported;
  return failure;
}

// The bytes go with the note.
Failure TeamModels::remove(const std::string&, const std::string& key) {
  return jobs_.forget_note(key);
}

Result<std::int64_t> TeamModels::remove_all_but(const std::set<std::string>&) {
  std::int64_t count = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error))
    if (!entry.is_directory(error) && fs::remove(entry.path(), error)) ++count;
  return count;
}

}  // namespace poet
