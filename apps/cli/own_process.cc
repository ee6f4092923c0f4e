#include "apps/cli/own_process.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "apps/cli/answer.h"
#include "apps/cli/exit_code.h"
#include "poet/base/child_process.h"
#include "poet/base/text_file.h"

namespace poet::cli {
namespace {

Error cannot_run(const std::string& why) {
  return {ErrorCode::Io, "cannot run this program once more, to plan: " + why, {}};
}

constexpr int kNiceness = 10;
// Where memory runs out, Linux ends this process before any other.
constexpr int kFirstToEnd = 1000;

// A text that a child reads as its input.
class NamelessFile {
 public:
  explicit NamelessFile(const std::string& text) : file_(std::tmpfile(), &std::fclose) {
    if (file_ && (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
                  std::fflush(file_.get()) != 0))
      file_.reset();
  }
  bool is_there() const { return file_ != nullptr; }  // otherwise errno says why
  int descriptor() const { return fileno(file_.get()); }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace

Result<int> run_own_program(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& variables,
                            const std::stop_token& interrupted) {
  ChildCall call{.words = {"poet"},
                 .program = "/proc/self/exe",
                 .group = ChildGroup::Ours,
                 .variables = variables};
  call.words.insert(call.words.end(), arguments.begin(), arguments.end());
  if (const std::optional<int> file = answer_file()) call.output = *file;
  const Result<pid_t> child = start_child(call);
  if (!child.ok()) return cannot_run(child.error().message);
  // Until it was waited for, nobody else has its number.
  const std::stop_callback pass_on(interrupted, [&child] { kill(*child, SIGINT); });
  const Result<int> code = wait_for_child(*child);
  if (!code.ok()) return cannot_run(code.error().message);
  return code;
}

PlannerProcess::~PlannerProcess() {
  if (!process_) return;
  kill(*process_, SIGKILL);
  const Result<int> ignored = wait_for_child(*process_);
  (void)ignored;
}

PlannerBeside PlannerProcess::as_planner() {
  return {.begin = [this](const std::string& figures) { return begin(figures); },
          .ended = [this] { return ended(); }};
}

// A group of its own: Ctrl-C is the training's, which then ends it.
Failure PlannerProcess::begin(const std::string& figures) {
  const NamelessFile given(figures);
  if (!given.is_there()) return cannot_run(std::generic_category().message(errno));
  Result<Pipe> answer = open_pipe();
  if (!answer.ok()) return cannot_run(answer.error().message);
  ChildCall call{.words = {"poet", "train"},
                 .program = "/proc/self/exe",
                 .input = given.descriptor(),
                 .output = answer->writing.get(),
                 .errors = Nowhere{},
                 .group = ChildGroup::Own,
                 .files = ChildFiles::StreamsOnly};
  call.words.insert(call.words.end(), arguments_.begin(), arguments_.end());
  for (const char* const word : {"--plan-only", "--figures", "/dev/stdin"})
    call.words.emplace_back(word);
  const Result<pid_t> child = start_child(call);
  if (!child.ok()) return cannot_run(child.error().message);
  process_ = *child;
  answer_.emplace(std::move(answer->reading));
  return std::nullopt;
}

// An answer is a few lines, which a pipe holds.
Result<std::optional<std::string>> PlannerProcess::ended() {
  const Result<std::optional<int>> code = look_at_child(*process_);
  if (code.ok() && !*code) return std::optional<std::string>();
  process_.reset();
  if (!code.ok()) return code.error();
  if (**code != 0) return bad_input(fmt::format("the planner ended with exit code {}", **code));
  Result<std::string> text = read_text_file(fmt::format("/dev/fd/{}", answer_->get()));
  answer_.reset();
  if (!text.ok()) return text.error();
  return std::optional(*std::move(text));
}

void end_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void go_on_beside_parent() {
  end_with_parent();
  // Of one that ended before: nobody is there to read the answer.
  pollfd answer{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  if (poll(&answer, 1, 0) == 1 && (answer.revents & POLLERR) != 0) std::_Exit(kExitNo);
  setpriority(PRIO_PROCESS, 0, kNiceness);
  std::ofstream("/proc/self/oom_score_adj") << kFirstToEnd;
}

}  // namespace poet::cli
