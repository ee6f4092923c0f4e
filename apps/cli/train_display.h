#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "apps/cli/progress_display.h"
#include "poet/base/result.h"
#include "poet/use/train_network.h"

namespace poet::cli {

// Shows on standard error how a training goes on, and writes its log.
class TrainDisplay {
 public:
  TrainDisplay(ProgressStyle style, std::function<double()> now_s);
  ~TrainDisplay();  // ends the line that rewrites itself
  TrainDisplay(const TrainDisplay&) = delete;
  TrainDisplay& operator=(const TrainDisplay&) = delete;

  Failure open_log(const std::string& path);
  // Refuses a log that could not be written whole.
  Failure close_log();

  TrainEvents events();

 private:
  void show(const std::string& text);
  void say(const std::string& text);
  void show_step(const StepLine& line);
  void log(const std::string& line);

  ProgressStyle style_;
  std::function<double()> now_s_;
  double shown_s_ = -1;
  bool line_open_ = false;
  std::FILE* log_ = nullptr;
  std::string log_path_ = {};
  bool log_failed_ = false;
};

}  // namespace poet::cli
