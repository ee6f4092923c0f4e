#include "poet/base/nameless_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace poet {

int open_nameless_file(const std::string& folder, FileCalls& calls) {
  const int flags = O_RDWR | O_CLOEXEC;
  const int nameless =
      uninterrupted([&] { return calls.open(folder.c_str(), flags | O_TMPFILE, 0600); });
  // Some file systems have no nameless files, and some kernels do not know of them.
  if (nameless != -EOPNOTSUPP && nameless != -EISDIR) return nameless;
  constexpr int kTries = 1000;
  const std::string prefix = ".poet-nameless-" + std::to_string(::getpid()) + "-";
  for (int i = 0; i < kTries; ++i) {
    const std::string name =
        (std::filesystem::path(folder) / (prefix + std::to_string(i))).string();
    const int file =
        uninterrupted([&] { return calls.open(name.c_str(), flags | O_CREAT | O_EXCL, 0600); });
    if (file == -EEXIST) continue;
    if (file < 0) return file;
    const int removed = calls.unlink(name.c_str());
    if (removed == 0) return file;
    calls.close(file);
    return removed;
  }
  return -EEXIST;
}

}  // namespace poet
