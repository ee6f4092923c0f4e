#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "poet/base/result.h"

namespace poet::cli {

// Asked before a long search, so that its answer is not lost to a slip: can a file be written at
// `path`; can files be written into a folder `path`, which need not exist yet when the one above it
// does. `option` is named in the message.
Failure check_file_target(const std::string& option, const std::string& path);
Failure check_folder_target(const std::string& option, const std::string& path);

// Every file that a command reads or writes, each with the option that names it: asked before
// anything is written.
class CommandFiles {
 public:
  // Paths that were not given count for nothing.
  void reads(const std::string& option, const std::optional<std::string>& path);
  void reads(const std::string& option, const std::vector<std::string>& paths);
  void writes(const std::string& option, const std::optional<std::string>& path);
  // A folder, and the names of the files that may come to be in it.
  void fills(const std::string& option, const std::optional<std::string>& folder,
             const std::vector<std::string>& names);
  // A new file that the code behind the option makes and checks itself.
  void makes(const std::string& option, const std::string& path);
  // What `written` may do although it names the file of `read`: make it better.
  // A single file of several that are read together stays, though.
  void allow(const std::string& read, const std::string& written);

  // Refuses what cannot be written, and two options that name one file, by whatever names or links:
  // the second to be written would replace the first, or what was read. An option that is read
  // names what is read with it, too.
  Failure check() const;

 private:
  enum class Use { Read, Written, Filled, Within };
  struct File {
    std::string option;
    std::string path;
    Use use;
    bool is_behind = false;  // what the option names
  };
  bool is_allowed(const File& a, const File& b) const;
  bool replaces_something() const;

  std::vector<File> files_;
  std::vector<std::pair<std::string, std::string>> allowed_;
};

// Files in a folder that need not be there.
Failure remove_files(const std::string& folder, const std::vector<std::string>& names);

// Makes the folder when it is not there.
Failure make_folder(const std::string& path);

}  // namespace poet::cli
