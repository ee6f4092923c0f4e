#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "poet/base/json_out.h"
#include "poet/use/train_network.h"

namespace poet {

// The lines of a progress file (docs/formats/progress.md): what a training says of itself while it
// runs, for whoever looks on. Each is one JSON object, without the newline.

// Whoever reads takes no longer line for one.
constexpr std::size_t kLongestProgressRow = 4096;

// Without slash: what the service looks for in a folder.
constexpr std::string_view kProgressEnding = ".jsonl";

// A run of a training begins. One that goes on from a checkpoint says so again in the same file.
struct RunBegin {
  std::int64_t at_unix_s = 0;
  std::string model = {};
  std::string command = {};
  // Whether the process holds a lock on the file for as long as it lives: without it, nobody can
  // tell a training that died from one that takes long.
  bool is_locked = false;
};

// The steps since the line before.
struct StepsNews {
  StepLine last = {};
  std::int64_t steps = 0;
  double mean_loss = 0;
  double mean_step_s = 0;
  std::int64_t resident_bytes = 0;  // of the process
};

enum class RunEndState { Ended, Stopped, Failed };

inline constexpr Named<RunEndState> kRunEndStates[] = {{"ended", RunEndState::Ended},
                                                       {"stopped", RunEndState::Stopped},
                                                       {"failed", RunEndState::Failed}};

struct RunEnd {
  RunEndState state = RunEndState::Ended;
  std::string why = {};  // of one that failed
};

std::string progress_row(const RunBegin& begin);
// `at_s`: since the run began.
std::string progress_row(double at_s, const PlannedLine& planned);
std::string progress_row(double at_s, const StepsNews& news);
std::string progress_row(double at_s, const EvaluationLine& line);
std::string progress_row(double at_s, const SavedLine& line);
std::string progress_row(double at_s, const MoveLine& line);
std::string progress_row(double at_s, const ReplanLine& line);
std::string progress_row(double at_s, const RunEnd& end);

// A line that was read: what it tells of, and, of what stands there, the members that the format
// has, if they are of their types; null in place of others.
struct ProgressRow {
  std::string event = {};
  JsonOut members = {};
};

// None where it is no line of this format, or too long. Lines come from a file that anybody may
// have written.
std::optional<ProgressRow> read_progress_row(std::string_view line);

}  // namespace poet
