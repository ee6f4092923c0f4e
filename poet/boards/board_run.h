#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/boards/board.h"

namespace poet {

// A line of a board's console (poet/boards/firmware/console.h): a word, and numbers by their names.
struct ConsoleLine {
  std::string what = {};
  std::map<std::string, std::uint64_t> numbers = {};

  // 0 where it is not there.
  std::uint64_t number(const std::string& name) const;
};

// "step number 0000002a ...": numbers in base 16. None where the line is not of this form.
std::optional<ConsoleLine> read_console_line(std::string_view line);

// One step as the board took it.
struct BoardStep {
  std::int64_t step = 0;  // from 1 on
  float loss = 0;
  double instructions = 0;  // of all actions of the plan; transfers with the card take next to none
  std::int64_t read_bytes = 0;  // from the card
  std::int64_t written_bytes = 0;
};

// What one execution of an action took; actions count as in the project's project.json.
struct ActionCount {
  std::int64_t action = 0;
  double instructions = 0;
};

struct BoardRunOptions {
  std::string folder = {};  // of the project
  std::int64_t steps = 1;   // in all, those of the checkpoint on the card included
  std::int64_t save_every = 0;
  // Of transfers, counted from 1: the card fails there. 0: it does not.
  std::int64_t failing_read = 0;
  std::int64_t failing_write = 0;
  bool new_card = true;  // begin with storage.image; otherwise go on with the card that is there
  bool trace = false;    // count the instructions of each action
  std::int64_t predict = 0;  // so many of the project's examples in the end, or a few more
};

// What the board said of the first of the project's examples after its last step.
struct BoardPredictions {
  std::int64_t examples = 0;
  double instructions = 0;   // of all of them
  std::string outputs = {};  // floats, one example after the other
};

struct BoardRun {
  std::int64_t loaded_step = 0;  // of the checkpoint that it began with
  std::vector<BoardStep> steps = {};
  std::int64_t saved_step = 0;            // of the last checkpoint it wrote
  std::int64_t status = 0;                // poet_status in the end
  std::int64_t stack_used_bytes = 0;      // at most, by paint
  bool stopped = false;                   // before its end, like a power cut
  std::string parameters_sha256 = {};     // after the last step
  std::vector<ActionCount> actions = {};  // in order of execution; with trace
  BoardPredictions predictions = {};
};

// Takes steps on an emulated board with the program that build_for_board() made. The project's
// folder gets card.image, which stands for the SD card, of `storage_bytes`. Only projects that
// predict may be asked to. Refuses
// boards that end without a word: most likely the stack overflowed.
// A status that is not 0 is an answer.
Result<BoardRun> run_on_board(const EmulatedBoard& board, std::int64_t storage_bytes,
                              const BoardRunOptions& options, const Stop& stop,
                              const std::function<void(const BoardStep&)>& take_step);

}  // namespace poet
