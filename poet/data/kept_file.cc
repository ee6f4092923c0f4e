#include "poet/data/kept_file.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <utility>

#include "poet/base/file_calls.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

// What a file ends with: these letters and how many bytes there are before.
constexpr std::string_view kWholeSign = "poetkept";
constexpr std::int64_t kSignBytes = 16;

// For nobody but the owner: it is somebody's texts or pictures.
Failure write_whole(const std::string& path, const FillFile& fill) {
  const auto with_sign = [&fill](FileWriter& writer) -> Failure {
    if (Failure failure = fill(writer)) return failure;
    const std::int64_t bytes = writer.written_bytes();
    std::array<std::byte, kSignBytes> end{};
    std::memcpy(end.data(), kWholeSign.data(), kWholeSign.size());
    std::memcpy(end.data() + kWholeSign.size(), &bytes, sizeof bytes);
    return writer.append(end);
  };
  return write_file_atomically(path, with_sign, system_file_calls(), NewFileReaders::OnlyTheOwner);
}

// A file that nobody finds, and which is gone with the program.
Result<KeptFile> nameless_file(const std::string& folder, const FillFile& fill) {
  const int number = open_nameless_file(folder);
  if (number < 0)
    return Error{ErrorCode::Io,
                 fmt::format("cannot write into {}: {}", in_quotes(folder), reason_of(-number)),
                 {}};
  FileWriter writer(system_file_calls(), number, folder);
  Failure failure = fill(writer);
  // A writer whose error `fill` did not pass on has not written everything.
  if (!failure) failure = writer.append({});
  DataFile file = DataFile::adopt(folder, number, writer.written_bytes());
  if (failure) return *failure;
  return KeptFile{std::make_shared<const DataFile>(std::move(file)), writer.written_bytes()};
}

Result<KeptFile> open_whole(const std::string& path) {
  Result<DataFile> file = DataFile::open(path);
  if (!file.ok()) return file.error();
  const std::int64_t bytes = file->size_bytes() - kSignBytes;
  std::array<std::byte, kSignBytes> end{};
  std::int64_t written = -1;
  if (bytes >= 0) {
    if (Failure failure = file->read(bytes, end)) return *failure;
    if (std::memcmp(end.data(), kWholeSign.data(), kWholeSign.size()) == 0)
      std::memcpy(&written, end.data() + kWholeSign.size(), sizeof written);
  }
  if (written != bytes || bytes < 0)
    return bad_input(fmt::format("{} is not whole", quoted_path(path)));
  return KeptFile{std::make_shared<const DataFile>(*std::move(file)), bytes};
}

// What is kept is there the next time; where nothing can be, it is made again.
bool can_keep_in(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return !error && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

Result<KeptFile> kept_file(const KeptPlace& place, const std::string& digest, const char* ending,
                           const FillFile& fill) {
  if (!place.kept_in) return nameless_file(place.folder, fill);
  const std::string path = (std::filesystem::path(*place.kept_in) / (digest + ending)).string();
  Result<KeptFile> kept = open_whole(path);
  if (kept.ok()) return kept;
  if (!can_keep_in(*place.kept_in))
    return kept_file({.folder = place.folder}, digest, ending, fill);
  if (Failure failure = write_whole(path, fill)) return *failure;
  return open_whole(path);
}

}  // namespace poet
