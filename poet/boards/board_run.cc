#include "poet/boards/board_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <sstream>
#include <system_error>

#include "poet/base/message_text.h"
#include "poet/base/sha256.h"
#include "poet/base/text_file.h"
#include "poet/boards/board_files.h"
#include "poet/boards/tool_process.h"

namespace poet {
namespace {

std::string_view next_word(std::string_view& rest) {
  const std::size_t begin = std::min(rest.find_first_not_of(" \r"), rest.size());
  const std::size_t end = std::min(rest.find_first_of(" \r", begin), rest.size());
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

std::optional<std::uint64_t> number_in(std::string_view digits) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const std::from_chars_result read = std::from_chars(digits.data(), end, number, 16);
  if (digits.empty() || read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

namespace fs = std::filesystem;

Error cannot_make_card(const std::error_code& error) {
  return {ErrorCode::Io, "cannot make card.image: " + error.message(), {}};
}

Failure make_card(const fs::path& folder, std::int64_t bytes) {
  std::error_code error;
  fs::copy_file(folder / "storage.image", folder / "card.image",
                fs::copy_options::overwrite_existing, error);
  if (error) return cannot_make_card(error);
  fs::resize_file(folder / "card.image", static_cast<std::uintmax_t>(bytes), error);
  if (error) return cannot_make_card(error);
  return std::nullopt;
}

ToolCall emulator_call(const EmulatedBoard& board, const BoardRunOptions& options) {
  std::string semihosting = "enable=on,target=native,chardev=out,arg=train";
  const auto add = [&semihosting](std::string_view name, std::int64_t value) {
    if (value > 0) semihosting += fmt::format(",arg={}={}", name, value);
  };
  add("steps", options.steps);
  add("save-every", options.save_every);
  add("fail-read", options.failing_read);
  add("fail-write", options.failing_write);
  add("trace", options.trace ? 1 : 0);
  add("predict", options.predict);
  ToolCall call = {{"qemu-system-arm", "-machine", std::string(board.machine), "-icount",
                    fmt::format("shift={}", kInstructionShift), "-display", "none", "-monitor",
                    "none", "-serial", "none", "-chardev", "stdio,id=out", "-semihosting-config",
                    semihosting, "-kernel", program_path(board)},
                   options.folder};
  if (!board.port.empty()) {
    std::istringstream words{std::string(kCardDrive)};
    for (std::string word; words >> word;) call.words.push_back(word);
  }
  return call;
}

// What the console says, gathered.
class ConsoleReader {
 public:
  ConsoleReader(const EmulatedBoard& board, const std::function<void(const BoardStep&)>& take_step)
      : board_(board), take_step_(take_step) {}

  void read(std::string_view text) {
    const std::optional<ConsoleLine> line = read_console_line(text);
    if (!line) {
      strange_ = text;
    } else if (line->what == "step") {
      add_step(*line);
    } else if (line->what == "loaded") {
      run.loaded_step = static_cast<std::int64_t>(line->number("step"));
    } else if (line->what == "saved") {
      run.saved_step = static_cast<std::int64_t>(line->number("step"));
    } else if (line->what == "stack") {
      run.stack_used_bytes = static_cast<std::int64_t>(line->number("used"));
    } else if (line->what == "predicted") {
      run.predictions.examples = static_cast<std::int64_t>(line->number("examples"));
      run.predictions.instructions =
          instructions_of(board_, static_cast<std::int64_t>(line->number("ticks")));
    } else if (line->what == "end") {
      run.status = static_cast<std::int64_t>(line->number("status"));
      ended_ = true;
    } else if (line->what != "storage") {
      strange_ = text;
    }
  }

  bool ended() const { return ended_; }
  const std::string& strange() const { return strange_; }

  BoardRun run = {};

 private:
  void add_step(const ConsoleLine& line) {
    const auto whole = [&line](const char* name) {
      return static_cast<std::int64_t>(line.number(name));
    };
    run.steps.push_back(
        {.step = whole("number"),
         .loss = std::bit_cast<float>(static_cast<std::uint32_t>(line.number("loss"))),
         .instructions = instructions_of(board_, whole("ticks")),
         .read_bytes = whole("read"),
         .written_bytes = whole("written")});
    if (take_step_) take_step_(run.steps.back());
  }

  const EmulatedBoard& board_;
  const std::function<void(const BoardStep&)>& take_step_;
  bool ended_ = false;
  std::string strange_ = {};
};

std::vector<ActionCount> read_trace(const EmulatedBoard& board, std::string_view records) {
  struct Record {
    std::uint32_t action;
    std::uint32_t ticks;
  };
  std::vector<ActionCount> counts;
  for (; records.size() >= sizeof(Record); records.remove_prefix(sizeof(Record))) {
    Record record;
    std::memcpy(&record, records.data(), sizeof record);
    counts.push_back({record.action, instructions_of(board, record.ticks)});
  }
  return counts;
}

Failure read_files(const EmulatedBoard& board, const BoardRunOptions& options, BoardRun& run) {
  const fs::path folder = options.folder;
  Sha256 hash;
  const auto add = [&hash](std::string_view piece) {
    hash.add(piece);
    return Failure();
  };
  if (Failure failure = read_file_in_pieces((folder / "parameters.bin").string(), add))
    return failure;
  run.parameters_sha256 = hash.digest();
  if (options.predict > 0) {
    Result<std::string> outputs = read_text_file((folder / "predictions.bin").string());
    if (!outputs.ok()) return outputs.error();
    run.predictions.outputs = *std::move(outputs);
  }
  if (!options.trace) return std::nullopt;
  const Result<std::string> trace = read_text_file((folder / "trace.bin").string());
  if (!trace.ok()) return trace.error();
  run.actions = read_trace(board, *trace);
  return std::nullopt;
}

Error died(const EmulatedBoard& board, const ToolEnd& end, const ConsoleReader& console) {
  const std::string why = !console.strange().empty() ? "said '" + console.strange() + "'"
                          : end.exit_code > 128      ? "stopped as if its stack had overflowed"
                                                     : "ended without a word";
  return {ErrorCode::Unsupported,
          fmt::format("the board {} {} after {} (the emulator's exit code is {})", board.name, why,
                      counted(std::ssize(console.run.steps), "step"), end.exit_code),
          {}};
}

}  // namespace

std::uint64_t ConsoleLine::number(const std::string& name) const {
  const auto found = numbers.find(name);
  return found == numbers.end() ? 0 : found->second;
}

std::optional<ConsoleLine> read_console_line(std::string_view line) {
  ConsoleLine read;
  read.what = next_word(line);
  if (read.what.empty()) return std::nullopt;
  for (std::string_view name = next_word(line); !name.empty(); name = next_word(line)) {
    const std::optional<std::uint64_t> number = number_in(next_word(line));
    if (!number) return std::nullopt;
    read.numbers[std::string(name)] = *number;
  }
  return read;
}

Result<BoardRun> run_on_board(const EmulatedBoard& board, std::int64_t storage_bytes,
                              const BoardRunOptions& options, const Stop& stop,
                              const std::function<void(const BoardStep&)>& take_step) {
  if (options.new_card)
    if (Failure failure = make_card(options.folder, card_bytes(board, storage_bytes)))
      return *failure;
  ConsoleReader console(board, take_step);
  const Result<ToolEnd> end = run_tool(emulator_call(board, options), "qemu-system-arm", stop,
                                       [&console](std::string_view line) { console.read(line); });
  if (!end.ok()) return end.error();
  console.run.stopped = end->stopped;
  if (!end->stopped && !console.ended()) return died(board, *end, console);
  if (console.ended() && console.run.status == 0)
    if (Failure failure = read_files(board, options, console.run)) return *failure;
  return std::move(console.run);
}

}  // namespace poet
