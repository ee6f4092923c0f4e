#include "apps/cli/run_command.h"

#include <cstdio>
#include <memory>
#include <utility>

#include "apps/cli/answer.h"
#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/progress_display.h"
#include "apps/cli/search_command.h"
#include "apps/cli/signals.h"
#include "apps/cli/temporary_folder.h"
#include "poet/ask/option_reads.h"
#include "poet/base/json_out.h"
#include "poet/deliver/board_training.h"
#include "poet/tell/project_text.h"

namespace poet::cli {
namespace {

constexpr const char* kBoardGroup = "The board, and what stays of it";

ReadOption keep_count(std::int64_t least, std::int64_t& target) {
  return [least, &target](const std::string& text) {
    return keep_value(read_whole(text, least), target);
  };
}

std::vector<OptionRow> run_rows(RunFlags& flags) {
  return {
      board_row(kBoardGroup, flags.project.board),
      reserve_row(kBoardGroup, flags.project),
      {.names = "--out",
       .value = "FOLDER",
       .group = kBoardGroup,
       .help = "where the project, its program and its card stay; default: nowhere",
       .completes = Completes::Directories,
       .read = keep_as_text(flags.project.train.out_path)},
      {.names = "--resume,--no-resume",
       .group = kBoardGroup,
       .help = "go on from the last checkpoint on the card in --out",
       .read = keep_as_switch(flags.resume)},
      {.names = "--save-every",
       .value = "N",
       .group = kBoardGroup,
       .help = "a checkpoint on the card after so many steps; default: at the end",
       .read = keep_count(1, flags.run.save_every)},
      {.names = "--log",
       .value = "FILE",
       .group = kBoardGroup,
       .help = "write a line of JSON for every step, as it comes",
       .completes = Completes::Files,
       .read = keep_as_text(flags.project.train.log_path)},
      {.names = "--fail-read",
       .value = "N",
       .group = kBoardGroup,
       .help = "the card fails at the N-th transfer from it, to see what becomes of the training",
       .read = keep_count(1, flags.run.failing_read)},
      {.names = "--fail-write",
       .value = "N",
       .group = kBoardGroup,
       .help = "the same of transfers to it",
       .read = keep_count(1, flags.run.failing_write)},
  };
}

Result<RunFlags> read_run_flags(const std::vector<std::string>& arguments) {
  RunFlags flags;
  const Result<std::vector<std::string>> rest =
      parse_options("run", run_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (!rest->empty())
    return bad_input("poet run takes only options, found '" + rest->front() + "'");
  if (!flags.project.board) {
    std::string names;
    for (const EmulatedBoard& board : board_table())
      names += (names.empty() ? "" : ", ") + std::string(board.name);
    return bad_input("poet run needs --board NAME: " + names);
  }
  if (flags.resume && !flags.project.train.out_path)
    return bad_input("--resume needs --out FOLDER, where the card is");
  if (Failure failure = settle_export_flags("run", arguments, flags.project)) return *failure;
  flags.run.new_card = !flags.resume;
  return flags;
}

// A line of JSON for each step, as it comes.
class StepLog {
 public:
  ~StepLog() {
    if (file_ != nullptr) std::fclose(file_);
  }
  StepLog() = default;
  StepLog(const StepLog&) = delete;
  StepLog& operator=(const StepLog&) = delete;

  Failure open(const std::string& path) {
    path_ = path;
    file_ = std::fopen(path.c_str(), "w");
    return file_ == nullptr ? cannot_write() : Failure();
  }
  void add(const std::string& line) {
    if (file_ == nullptr) return;
    failed_ |= std::fputs((line + "\n").c_str(), file_) < 0 || std::fflush(file_) != 0;
  }
  Failure close() {
    if (file_ == nullptr) return std::nullopt;
    failed_ |= std::fclose(std::exchange(file_, nullptr)) != 0;
    return failed_ ? cannot_write() : Failure();
  }

 private:
  Failure cannot_write() const { return Error{ErrorCode::Io, "cannot write " + path_, {}}; }

  std::FILE* file_ = nullptr;
  std::string path_ = {};
  bool failed_ = false;
};

Result<BoardTrainingReport> train(const RunFlags& flags, const std::string& folder) {
  const TrainFlags& train = flags.project.train;
  const InterruptWatch interrupts;
  const Stop stop{interrupts.token(), new_clock(), train.solve.request.time_limit_s};
  LineDisplay display(progress_style(train.solve), stop.elapsed_s);
  StepLog log;
  if (train.log_path)
    if (Failure failure = log.open(*train.log_path)) return *failure;
  const BoardTrainingRequest request{
      .project = {.training = train.request,
                  .folder = folder,
                  .stack_bytes = flags.project.stack_bytes,
                  .board = flags.project.board,
                  .reserved_bytes = flags.project.reserved_bytes,
                  .prediction_batch_size = asked_prediction(flags.project)},
      .run = flags.run};
  Result<BoardTrainingReport> report = train_on_board(
      request, stop, {.step = [&](const BoardStep& step) {
        display.update([&] { return board_progress_line(step, train.request.steps); });
        log.add(board_log_line(step));
      }});
  if (!report.ok()) return report;
  if (Failure failure = log.close()) return *failure;
  return report;
}

int answer(const RunFlags& flags, const BoardTrainingReport& report) {
  for (const std::string& note : report.project.notes) warn(note);
  const bool same = !report.prediction || report.prediction->different == 0;
  const bool went_well = report.no.empty() && report.run.status == 0 && same;
  const int code = went_well ? kExitFound : kExitNo;
  return flags.project.train.solve.output == Output::Json
             ? print_json(board_training_to_json(report), code)
             : print_text(board_training_text(report), code);
}

Failure check_targets_of(const TrainFlags& flags) {
  CommandFiles files;
  add_training_files(flags, files);
  files.fills("--out", flags.out_path, {});
  files.writes("--log", flags.log_path);
  return files.check();
}

}  // namespace

std::vector<OptionRow> run_option_rows(RunFlags& flags) {
  std::vector<OptionRow> rows = with_other_help(
      export_training_rows(flags.project),
      {{"--ram-budget",
        "of the arena: 200KiB; 60% or 0.6x of the plain peak; 40%way from the largest working set "
        "to the plain peak; default: the board's RAM without stack and data"},
       {"--platform", "whose figures the plan goes by; default: the board's"}});
  for (OptionRow& row : run_rows(flags)) rows.push_back(std::move(row));
  for (OptionRow& row : with_other_help(
           prediction_rows(kBoardGroup, flags.project),
           {{"--predict",
             "predict the examples of the first step on the board too, after the last step, and "
             "compare every bit with what this machine says"}}))
    rows.push_back(std::move(row));
  return rows;
}

int run_run(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<RunFlags> flags = read_run_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  const TrainFlags& train_flags = flags->project.train;
  if (const Failure failure = check_targets_of(train_flags)) return refuse(*failure, output);
  std::optional<WorkFolder> scratch;
  if (!train_flags.out_path) {
    Result<WorkFolder> made = WorkFolder::create();
    if (!made.ok()) return refuse(made.error(), output);
    scratch.emplace(*std::move(made));
  }
  const Result<BoardTrainingReport> report =
      train(*flags, scratch ? scratch->path() : *train_flags.out_path);
  if (!report.ok()) return refuse(report.error(), output);
  return answer(*flags, *report);
}

}  // namespace poet::cli
