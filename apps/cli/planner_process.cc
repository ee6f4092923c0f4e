#include "apps/cli/planner_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <fstream>
#include <utility>

#include "poet/base/child_process.h"

namespace poet::cli {
namespace {

constexpr int kNiceness = 10;
// Where memory runs out, Linux ends this process before any other.
constexpr int kFirstToEnd = 1000;

}  // namespace

PlannerProcess::~PlannerProcess() {
  if (!process_) return;
  kill(*process_, SIGKILL);
  const Result<int> ignored = wait_for_child(*process_);
  (void)ignored;
}

PlannerBeside PlannerProcess::as_planner() {
  return {
      .begin = [this](const std::string& figures_path,
                      const std::string& answer_path) { return begin(figures_path, answer_path); },
      .ended = [this] { return ended(); }};
}

// A group of its own: Ctrl-C is the training's, which then ends it.
Failure PlannerProcess::begin(const std::string& figures_path, const std::string& answer_path) {
  ChildCall call{.words = {"poet", "train"},
                 .program = "/proc/self/exe",
                 .input = Nowhere{},
                 .output = NewFile{answer_path},
                 .errors = Nowhere{},
                 .group = ChildGroup::Own,
                 .files = ChildFiles::StreamsOnly};
  call.words.insert(call.words.end(), arguments_.begin(), arguments_.end());
  for (const char* const word : {"--plan-only", "--figures"}) call.words.emplace_back(word);
  call.words.push_back(figures_path);
  const Result<pid_t> child = start_child(call);
  if (!child.ok())
    return Error{ErrorCode::Io, "cannot run this program once more: " + child.error().message, {}};
  process_ = *child;
  return std::nullopt;
}

Result<std::optional<int>> PlannerProcess::ended() {
  Result<std::optional<int>> code = look_at_child(*process_);
  if (!code.ok() || *code) process_.reset();
  return code;
}

void go_on_beside_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpriority(PRIO_PROCESS, 0, kNiceness);
  std::ofstream("/proc/self/oom_score_adj") << kFirstToEnd;
}

}  // namespace poet::cli
