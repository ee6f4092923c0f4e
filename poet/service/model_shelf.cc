#include "poet/service/model_shelf.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/sha256.h"
#include "poet/base/text_file.h"
#include "poet/model/real_networks.h"
#include "poet/model/released_networks.h"
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

namespace fs = std::filesystem;

constexpr const char* kNote = "model:";
constexpr const char* kNames = "names";   // in it: what each owner calls the model
constexpr const char* kAside = "aside-";  // files that are not kept yet
constexpr std::size_t kLongestName = 100;

JsonOut zoo_object(std::string_view name, std::string_view what, const JsonOut& graphs) {
  return {{"id", name},
          {"name", name},
          {"kind", "zoo"},
          {"size_bytes", nullptr},
          {"graphs", graphs},
          {"what", what},
          {"image_size", nullptr},
          {"sequence_length", nullptr},
          {"classes", nullptr},
          {"dimensions", JsonOut::array()}};
}

// As one of its owners called it.
JsonOut seen_by(const Caller& caller, JsonOut model) {
  if (!model.is_object()) return model;
  const JsonOut names = std::as_const(model)[kNames];
  model.erase(kNames);
  if (caller.owner && names.contains(*caller.owner)) model["name"] = names[*caller.owner];
  return model;
}

bool is_released(std::string_view name) {
  const std::vector<ReleasedNetwork>& table = released_network_table();
  return std::any_of(table.begin(), table.end(),
                     [name](const ReleasedNetwork& row) { return row.name == name; });
}

bool is_real(std::string_view name) {
  const std::vector<RealNetwork>& table = real_network_table();
  return std::any_of(table.begin(), table.end(),
                     [name](const RealNetwork& row) { return row.name == name; });
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

Failure ModelShelf::prepare(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return std::nullopt;
  return Error{ErrorCode::Io,
               fmt::format("cannot make the folder {}: {}", in_quotes(folder), error.message()),
               {}};
}

std::string ModelShelf::id_of(const std::string& bytes) {
  return "sha256:" + sha256_of(bytes);
}

std::string ModelShelf::shown_name(const std::string& given) {
  std::string name = given.substr(0, kLongestName);
  for (char& letter : name) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < ' ' || code == 0x7F || letter == '/' || letter == '\\') letter = '_';
  }
  // What is not UTF-8, for instance a letter that was cut, becomes a mark.
  return name.empty() ? "model.onnx" : json_of_text(json_line(JsonOut(name))).text();
}

Result<std::optional<JsonOut>> ModelShelf::note_about(const std::string& id) const {
  const Result<std::optional<std::string>> note = store_.note(note_of(id));
  if (!note.ok()) return note.error();
  if (!*note) return std::optional<JsonOut>();
  return std::optional(json_of_text(**note));
}

Result<std::optional<JsonOut>> ModelShelf::find(const std::string& id, const Caller& caller) const {
  Result<std::optional<JsonOut>> model = note_about(id);
  if (!model.ok() || !*model) return model;
  return std::optional(seen_by(caller, **std::move(model)));
}

Result<std::vector<JsonOut>> ModelShelf::list(const Caller& caller) const {
  const auto notes = store_.notes(kNote);
  if (!notes.ok()) return notes.error();
  std::vector<JsonOut> models;
  for (const auto& [key, text] : *notes) {
    const Result<bool> theirs = caller.owner ? store_.is_owner(key, *caller.owner) : true;
    if (!theirs.ok()) return theirs.error();
    if (*theirs) models.push_back(seen_by(caller, json_of_text(text)));
  }
  return models;
}

Result<bool> ModelShelf::own(const std::string& id, const Caller& caller, const std::string& name) {
  const std::string note = note_of(id);
  Result<std::optional<JsonOut>> model = note_about(id);
  if (!model.ok()) return model.error();
  if (!*model) return false;
  store_.touch_note(note);
  if (!caller.owner) return false;
  const Result<bool> theirs = store_.is_owner(note, *caller.owner);
  if (!theirs.ok() || *theirs) return theirs.ok() ? Result<bool>(false) : theirs;
  (**model)[kNames][*caller.owner] = name;
  Failure failure = store_.put_note(note, json_line(**model));
  if (!failure) failure = store_.add_owner(note, *caller.owner);
  if (failure) return *failure;
  return true;
}

Result<std::optional<std::string>> ModelShelf::name_of_model(const std::string& id,
                                                             const Caller& caller) const {
  if (!names_upload(id)) {
    const bool known = is_real(id) || is_released(id);
    return known ? std::optional(id) : std::optional<std::string>();
  }
  const Result<bool> theirs = caller.owner ? store_.is_owner(note_of(id), *caller.owner) : true;
  if (!theirs.ok()) return theirs.error();
  if (!*theirs) return std::optional<std::string>();
  const Result<std::optional<JsonOut>> model = find(id, caller);
  if (!model.ok()) return model.error();
  if (!*model) return std::optional<std::string>();
  store_.touch_note(note_of(id));
  return std::optional((*model)->text_or("name", "model.onnx"));
}

Failure ModelShelf::bring(const std::string& id, const std::string& path) const {
  return files_.bring(id, path);
}

Result<std::string> ModelShelf::put_aside(const std::string& bytes) {
  const std::string path =
      (fs::path(folder_) / fmt::format("{}{}", kAside, ++next_aside_)).string();
  if (Failure failure = write_text_file(path, bytes)) return *failure;
  return path;
}

Failure ModelShelf::keep(const std::string& id, const std::string& aside_path,
                         const JsonOut& object) {
  return files_.keep(id, aside_path, note_of(id), json_line(object));
}

Failure ModelShelf::remove(const std::string& id) {
  return files_.remove(id, note_of(id));
}

std::string ModelShelf::note_of(const std::string& id) {
  return kNote + id;
}

std::optional<std::string> ModelShelf::model_of_note(const std::string& key) {
  if (!key.starts_with(kNote)) return std::nullopt;
  return key.substr(std::string_view(kNote).size());
}

Result<std::int64_t> ModelShelf::tidy() {
  const auto notes = store_.notes(kNote);
  if (!notes.ok()) return notes.error();
  std::int64_t count = 0;
  std::set<std::string> known;
  for (const auto& [key, text] : *notes) {
    const std::string id = *model_of_note(key);
    if (files_.has(id)) {
      known.insert(id);
      continue;
    }
    if (Failure failure = store_.forget_note(key)) return *failure;
    ++count;
  }
  const Result<std::int64_t> files = files_.remove_all_but(known);
  if (!files.ok()) return files.error();
  return count + *files;
}

JsonOut zoo_models() {
  JsonOut list = JsonOut::array();
  for (const RealNetwork& row : real_network_table()) {
    JsonOut graphs = {"real"};
    if (is_released(row.name)) graphs.push_back("released");
    JsonOut model = zoo_object(row.name, row.what, graphs);
    model["image_size"] = or_null(row.image_size);
    model["sequence_length"] = or_null(row.sequence_length);
    model["classes"] = or_null(row.classes);
    list.push_back(std::move(model));
  }
  for (const ReleasedNetwork& row : released_network_table())
    if (!is_real(row.name)) list.push_back(zoo_object(row.name, row.what, {"released"}));
  return list;
}

}  // namespace poet
