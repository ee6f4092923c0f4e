#pragma once

#include <sys/types.h>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "poet/base/child_process.h"
#include "poet/base/result.h"
#include "poet/use/train_network.h"

namespace poet::cli {

// Runs this program once more with these arguments and waits for it: what takes much memory for a
// while leaves none of it behind. The child gets the signals that this process holds back, and
// `variables` ("NAME=value") in its environment; when `interrupted` asks for a stop, it is asked as
// by Ctrl-C. Returns its exit code; of one that a signal ended, 128 and the signal.
Result<int> run_own_program(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& variables = {},
                            const std::stop_token& interrupted = {});

// For such a child: it ends when the process that waits for it does, whatever ended that.
void end_with_parent();

// The process beside a training that plans again: this program with --figures. It ends with its
// owner, whatever it is at. What both tell each other lies in no folder, so that whoever is killed
// leaves nothing behind.
class PlannerProcess {
 public:
  // The words of the training, without the command's name.
  explicit PlannerProcess(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}
  ~PlannerProcess();
  PlannerProcess(const PlannerProcess&) = delete;
  PlannerProcess& operator=(const PlannerProcess&) = delete;

  // Must not outlive it.
  PlannerBeside as_planner();

 private:
  Failure begin(const std::string& figures);
  Result<std::optional<std::string>> ended();

  std::vector<std::string> arguments_;
  std::optional<pid_t> process_ = {};
  std::optional<OwnedFile> answer_ = {};  // where it is read
};

// Called in that process: it ends when the training does, killed or not, leaves it the processor
// where there is only one, and is ended before it where memory runs out.
void go_on_beside_parent();

}  // namespace poet::cli
