#pragma once

#include <string>
#include <vector>

#include "poet/base/file_calls.h"
#include "poet/base/result.h"

namespace poet {

// A file without which nobody uses the others of a folder, and what it says while they are being
// replaced.
struct GateFile {
  std::string name = {};
  std::string unfinished = {};
};

// Files of a folder that are one thing.
struct FilesTogether {
  std::string folder = {};
  std::string staging = {};               // a folder in it: the new ones, under their names
  std::vector<std::string> names = {};    // that lie there and take their places, gates among them
  std::vector<std::string> removed = {};  // that go, where they are there
  // The first is shut first and opened last. Whoever finds one shut knows that files are missing.
  std::vector<GateFile> gates = {};
};

// Replaces them so that old and new ones never lie side by side, whenever it ends: every gate is
// shut, the old files go, only then the new ones come, and the gates last. Ended in between, it
// leaves some of the old files or some of the new ones, behind a gate that is shut. All other files
// stay where they are at every moment, and so does the folder itself: exchanging it for another
// would take it away under whoever works in it, with what they added.
//
// An error leaves the folder as an end at that moment does, and its sentence says so.
Failure replace_together(const FilesTogether& files, FileCalls& calls = system_file_calls());

}  // namespace poet
