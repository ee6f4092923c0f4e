#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/base/stop.h"

namespace poet {

// Another program, with its words, and the folder it works in.
struct ToolCall {
  std::vector<std::string> words = {};  // the first is the program's name
  std::string folder = ".";
};

struct ToolEnd {
  int exit_code = 0;        // 128 and the signal that ended it, where one did
  bool stopped = false;     // by us
  std::string errors = {};  // what it wrote to standard error, the end of it where it was much
};

// Runs it to its end, and gives each line of its standard output as it comes. It reads nothing. A
// stop ends it at once. Refuses what cannot be started; `package` then says where to find it.
Result<ToolEnd> run_tool(const ToolCall& call, std::string_view package, const Stop& stop,
                         const std::function<void(std::string_view line)>& take_line);

}  // namespace poet
