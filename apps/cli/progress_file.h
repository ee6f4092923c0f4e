#pragma once

#include <functional>
#include <string>

#include "poet/base/result.h"
#include "poet/tell/progress_rows.h"
#include "poet/use/train_network.h"

namespace poet::cli {

// Writes what a training says of itself for those who look on (docs/formats/progress.md). Nothing
// that goes wrong with the file is worth ending a training for: it is said once, and the training
// goes on without it.
class ProgressFile {
 public:
  explicit ProgressFile(std::function<double()> now_s);
  ~ProgressFile();  // without end() it reads as a training that died
  ProgressFile(const ProgressFile&) = delete;
  ProgressFile& operator=(const ProgressFile&) = delete;

  // A file that is there is gone on with where `goes_on`, and replaced otherwise; what is no
  // progress file, or belongs to a training that runs, is left as it is.
  enum class Before { Replaced, GoneOnWith };
  void open(const std::string& path, Before before, RunBegin begin);

  // The same events, also written.
  TrainEvents seen(TrainEvents events);

  void end(const Result<TrainReport>& report);
  void end(RunEnd how);

 private:
  Failure open_file(const std::string& path, Before before);
  void write(const std::string& row);
  void add_step(const StepLine& line);
  void write_steps();
  void give_up(const Error& error);
  double at_s() const;

  std::function<double()> now_s_;
  double begin_s_ = 0;
  double written_s_ = 0;  // when the last line of steps was
  StepsNews news_ = {};   // not written yet
  int file_ = -1;
  std::string path_ = {};
  bool is_locked_ = false;
};

}  // namespace poet::cli
