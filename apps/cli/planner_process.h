#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "poet/base/child_process.h"
#include "poet/use/train_network.h"

namespace poet::cli {

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
