#include "poet/service/zip_archive.h"

#include <fmt/core.h>
#include <zip.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/base/text_file.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

struct DiscardZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using ZipPointer = std::unique_ptr<zip_t, DiscardZip>;

Error cannot_pack(const std::string& why) {
  return {ErrorCode::Io, fmt::format("cannot make a ZIP archive: {}", why), {}};
}

// Days and seconds of the beginning of 1980, the earliest that the format knows.
constexpr zip_uint16_t kEarliestDay = (1 << 5) | 1;

// `text` must live until the archive is closed.
Failure add_file(zip_t* archive, const std::string& name, const std::string& text) {
  zip_source_t* const source = zip_source_buffer(archive, text.data(), text.size(), 0);
  if (source == nullptr) return cannot_pack(zip_strerror(archive));
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return cannot_pack(zip_strerror(archive));
  }
  const auto place = static_cast<zip_uint64_t>(index);
  if (zip_file_set_dostime(archive, place, 0, kEarliestDay, 0) < 0)
    return cannot_pack(zip_strerror(archive));
  return std::nullopt;
}

Result<std::vector<fs::path>> files_below(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator place(folder, error), end; !error && place != end;
       place.increment(error))
    if (place->is_regular_file(error)) paths.push_back(place->path());
  if (error) return cannot_pack(error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// What was written into the buffer of a source.
Result<std::string> bytes_of(zip_source_t* source) {
  zip_stat_t facts;
  if (zip_source_open(source) < 0 || zip_source_stat(source, &facts) < 0)
    return cannot_pack(zip_error_strerror(zip_source_error(source)));
  std::string bytes(static_cast<std::size_t>(facts.size), '\0');
  const zip_int64_t read = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (read != static_cast<zip_int64_t>(bytes.size())) return cannot_pack("it cannot be read back");
  return bytes;
}

}  // namespace

Result<std::string> zip_of_folder(const std::string& folder, const std::string& top) {
  const Result<std::vector<fs::path>> paths = files_below(folder);
  if (!paths.ok()) return paths.error();
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const target = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (target == nullptr) return cannot_pack(zip_error_strerror(&error));
  zip_source_keep(target);  // the archive takes one hold of it, reading it back needs another
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> hold(target, zip_source_free);
  ZipPointer archive(zip_open_from_source(target, ZIP_TRUNCATE, &error));
  if (!archive) {
    zip_source_free(target);
    return cannot_pack(zip_error_strerror(&error));
  }
  std::vector<std::string> texts;
  texts.reserve(paths->size());
  for (const fs::path& path : *paths) {
    Result<std::string> text = read_text_file(path.string());
    if (!text.ok()) return text.error();
    texts.push_back(*std::move(text));
    const std::string name = top + "/" + fs::relative(path, folder).generic_string();
    if (Failure failure = add_file(archive.get(), name, texts.back())) return *failure;
  }
  if (zip_close(archive.get()) < 0) return cannot_pack(zip_strerror(archive.get()));
  static_cast<void>(archive.release());
  return bytes_of(target);
}

}  // namespace poet
