#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// A file descriptor that is closed with its owner.
class OwnedFile {
 public:
  explicit OwnedFile(int file) : file_(file) {}
  ~OwnedFile() { close(); }
  OwnedFile(OwnedFile&& other) noexcept : file_(std::exchange(other.file_, std::nullopt)) {}
  OwnedFile& operator=(OwnedFile&&) = delete;

  int get() const { return file_.value(); }  // not after close()
  void close();

 private:
  std::optional<int> file_;
};

struct Pipe {
  OwnedFile reading;
  OwnedFile writing;
};

// No child inherits it. Refused, the error is the reason alone, for a sentence of the caller's.
Result<Pipe> open_pipe();

// Where a stream of a child leads: where ours does, to a descriptor of ours, nowhere (it reads
// nothing, or is not heard), or to a new file that only we may read.
struct AsOurs {};
struct Nowhere {};
struct NewFile {
  std::string path;
};
using ChildStream = std::variant<AsOurs, int, Nowhere, NewFile>;

enum class ChildGroup {
  Own,   // Ctrl-C in a terminal does not reach it, and what it starts can be ended with it
  Ours,  // Ctrl-C reaches both
};

enum class ChildFiles {
  Inherited,    // but those that say otherwise
  StreamsOnly,  // the three streams, and no other
};

// Another program, run without a shell.
struct ChildCall {
  std::vector<std::string> words = {};  // the first is its name, looked for as a shell does
  std::string program = {};             // its file, where that is not words[0]
  std::string folder = {};              // that it works in; ours when empty
  ChildStream input = AsOurs{};
  ChildStream output = AsOurs{};
  ChildStream errors = AsOurs{};
  ChildGroup group = ChildGroup::Own;
  ChildFiles files = ChildFiles::Inherited;
  std::vector<std::string> variables =
      {};  // "NAME=value": of its environment, before those of ours
};

// Starts it, with no signal held back, whatever this process holds back. Refused, the error is the
// reason alone, and its code NotFound where there is no such program.
Result<pid_t> start_child(const ChildCall& call);

// Waits for its end. Returns its exit code; of one that a signal ended, 128 and the signal.
Result<int> wait_for_child(pid_t child);

// The same without waiting: nothing as long as it runs. Once it has ended, ask no more.
Result<std::optional<int>> look_at_child(pid_t child);

}  // namespace poet
