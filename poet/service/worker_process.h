#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// Another run of this program that does a work in its folder (work.h), within limits that the
// system holds.
struct WorkerCall {
  std::vector<std::string> words = {};  // the program's path first; the folder is added at the end
  std::string folder = {};
  double wall_limit_s = 0;
  double cpu_limit_s = 0;  // that the worker gave itself (WorkOrder): tells why it was killed
};

// What the service wants of a worker that runs.
enum class WorkerWish {
  GoOn,
  Finish,  // end soon, with the best so far: its standard input is closed
  Die,
};

enum class WorkerEnd {
  Finished,        // it has written its output
  OutOfMemory,     // of its limit
  OutOfTime,       // of its limit on processor time, or of the wall limit
  Killed,          // by us
  Crashed,         // it ended by itself, as a bug does
  Died,            // of a signal, as a bug does
  KilledBySystem,  // by the system, or whoever runs it: as a rule because memory ran out
};

struct WorkerReport {
  WorkerEnd end = WorkerEnd::Crashed;
  std::string how = {};        // "exit code 3", "signal 9 (Killed)": for whoever runs the service
  std::string complaint = {};  // the end of its standard error, for the same
  double wall_s = 0;
};

struct WorkerWatch {
  std::function<double()> elapsed_s;                  // a clock
  std::function<WorkerWish()> wish;                   // asked several times a second
  std::function<void(const std::string& line)> line;  // of standard output, as it comes
};

// Runs it to its end. It inherits nothing but three files, and is in a process group of its own, so
// that Ctrl-C in a terminal does not reach it, and so that what it starts ends with it. Refuses
// what cannot be started.
Result<WorkerReport> run_worker(const WorkerCall& call, const WorkerWatch& watch);

}  // namespace poet
