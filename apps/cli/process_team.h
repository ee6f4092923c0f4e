#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "poet/ask/sweep_team.h"
#include "poet/base/result.h"

namespace poet::cli {

// Workers in processes of their own on this machine: a backend that can search only once at a time
// in a process does not hold the others up. One that dies takes only its question with it: another
// takes its place.
class ProcessTeam final : public SweepTeam {
 public:
  using Answer = std::function<std::string(const std::string& question)>;

  // Copies this process; call it before there are threads. `answer` runs in the copies.
  static Result<std::unique_ptr<ProcessTeam>> start(int workers, const Answer& answer);
  // Ends the workers, whatever they are at.
  ~ProcessTeam() override;
  ProcessTeam(const ProcessTeam&) = delete;
  ProcessTeam& operator=(const ProcessTeam&) = delete;

  int size() const override { return static_cast<int>(workers_.size()); }
  void give(int worker, const std::string& question) override;
  News wait() override;

  // For tests.
  pid_t process_of(int worker) const { return workers_[worker].process; }

 private:
  struct Worker {
    pid_t process = -1;
    int socket = -1;  // -1: lost, and nobody took its place
  };
  explicit ProcessTeam(Answer answer) : answer_(std::move(answer)) {}
  Result<Worker> new_worker() const;
  void replace(Worker& worker) const;

  Answer answer_;
  std::vector<Worker> workers_ = {};
};

}  // namespace poet::cli
