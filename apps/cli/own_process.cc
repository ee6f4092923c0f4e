#include "apps/cli/own_process.h"

#include <optional>

#include "apps/cli/answer.h"
#include "poet/base/child_process.h"

namespace poet::cli {
namespace {

Error cannot_run(const Error& why) {
  return {ErrorCode::Io, "cannot run this program once more, to plan: " + why.message, {}};
}

}  // namespace

Result<int> run_own_program(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& variables) {
  ChildCall call{.words = {"poet"},
                 .program = "/proc/self/exe",
                 .group = ChildGroup::Ours,
                 .variables = variables};
  call.words.insert(call.words.end(), arguments.begin(), arguments.end());
  if (const std::optional<int> file = answer_file()) call.output = *file;
  const Result<pid_t> child = start_child(call);
  if (!child.ok()) return cannot_run(child.error());
  const Result<int> code = wait_for_child(*child);
  if (!code.ok()) return cannot_run(code.error());
  return code;
}

}  // namespace poet::cli
