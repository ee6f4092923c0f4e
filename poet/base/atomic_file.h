#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/base/file_calls.h"
#include "poet/base/result.h"

namespace poet {

// A new file, from its beginning to its end.
class FileWriter {
 public:
  // `path` is for sentences.
  FileWriter(FileCalls& calls, int file, std::string path);

  // Every byte, or the error; after an error, the same again. Large pieces cost fewer calls:
  // nothing is gathered here, and nothing is allocated (but for the sentence of an error).
  Failure append(std::span<const std::byte> bytes);
  std::int64_t written_bytes() const { return written_bytes_; }

 private:
  FileCalls& calls_;
  int file_;
  std::string path_;
  std::int64_t written_bytes_ = 0;
  Failure failure_;
};

// Who may read a file that was not there before: whom the process's umask lets (0666), or nobody
// but its owner (0600).
enum class NewFileReaders { AsUsual, OnlyTheOwner };

// Replaces a file as a whole or not at all: `fill` writes a new file beside it, `<path>.poet-new`,
// which is flushed to the disk and takes the file's place in one step; then the folder is flushed,
// so that the new file is there after a power cut. Killed at any moment, it leaves the old file or
// the new one. What an earlier process of ours that was killed left in `<path>.poet-new` is
// removed, which its sticky bit tells from a file of the user's own: beside that the new one is
// `<path>.poet-new1` (of a name that leaves no room for that, the end is left out). Anything else
// of that name (another user's file, a link, a pipe) is refused and left as it is.
//
// A symbolic link stays, and the file it leads to is replaced, or made; an existing file keeps its
// permissions and its owner, where we may say who that is. Refuses to replace anything but a
// regular file. An error of `fill` is returned as it is, and the old file stays. After
// two errors the new file may be in place, those of its permissions and of the folder's flush;
// their sentences say so.
Failure write_file_atomically(const std::string& path,
                              const std::function<Failure(FileWriter&)>& fill,
                              FileCalls& calls = system_file_calls(),
                              NewFileReaders readers = NewFileReaders::AsUsual);

// A place that its writer has looked at before.
struct FilePlace {
  std::string path = {};    // for sentences
  std::string target = {};  // written_path() of that, at some time; no link there is followed now
  std::optional<struct stat> replaces = {};  // whose permissions and owner the new file gets
  NewFileReaders readers = NewFileReaders::AsUsual;  // where there is none
  // Right before the new file, which is whole, takes the place, whatever is there.
  std::function<Failure()> make_way = {};
};

// As write_file_atomically() otherwise.
Failure write_file_at(const FilePlace& place, const std::function<Failure(FileWriter&)>& fill,
                      FileCalls& calls = system_file_calls());

// A file of several that are replaced together.
struct ReplacedFile {
  std::string path = {};
  std::function<Failure(FileWriter&)> fill = {};
};

// One that will hold this text.
ReplacedFile replaced_text(std::string path, std::string text);

// The same with files that are one thing: all new ones lie whole beside their places before the
// first of them, in this order, takes its own. So whatever refuses one (no room, a folder of its
// name) leaves all old ones; only a process that is killed between two renames leaves some.
Failure write_together_atomically(const std::vector<ReplacedFile>& files,
                                  FileCalls& calls = system_file_calls());

// Where that writes: the whole path of a file, behind all symbolic links, that may not be there
// yet.
Result<std::string> written_path(const std::string& path);

}  // namespace poet
