#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "apps/cli/output_files.h"
#include "apps/cli/progress_display.h"
#include "apps/cli/signals.h"
#include "apps/cli/solve_flags.h"
#include "poet/ask/option_row.h"
#include "poet/ask/plan_instance.h"
#include "poet/ask/plan_request.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"

namespace poet::cli {

// What the commands that search share.

// The command line again, for the plan's origin; quoted where a shell would need it.
std::string command_line(const std::string& command, const std::vector<std::string>& arguments);

// Whether something is named that can be planned: a network on a device, or a graph file.
Failure check_what(const std::string& command, const PlanRequest& request);

// The flags of one of them; refuses what names nothing to plan.
Result<SolveFlags> read_search_flags(const std::string& command,
                                     std::vector<OptionRow> (*rows)(SolveFlags&),
                                     const std::vector<std::string>& arguments);

// Notes the command line, for the plan's origin, and where the user has libraries of solvers.
void set_origin(const std::string& command, const std::vector<std::string>& arguments,
                PlanRequest& request);

// Whether every file that was asked for can be written, and replaces nothing that is read: before
// the search, so that its answer is not lost to a slip.
Failure check_targets(const SolveFlags& flags);

// The files that a network, a device and their costs are read from.
void add_what_is_read(const SolveFlags& flags, CommandFiles& files);
void add_model(const std::string& model, CommandFiles& files);
void add_platform(const std::string& platform, CommandFiles& files);

// Seconds since it was made.
std::function<double()> new_clock();

ProgressStyle progress_style(const SolveFlags& flags);

// A search that shows its progress, and ends on Ctrl-C or after the time limit; from its making to
// its end.
class Search {
 public:
  explicit Search(const SolveFlags& flags);

  const Stop& stop() const { return stop_; }
  ProgressSink progress();
  // What the user should know before a long search is said before it; `told` counts it.
  WarningSink early_warnings();
  std::size_t told() const { return told_; }

 private:
  InterruptWatch interrupts_;
  Stop stop_;
  ProgressDisplay display_;
  std::size_t told_ = 0;
};

}  // namespace poet::cli
