#include "apps/cli/export_command.h"

#include <fmt/core.h>

#include <utility>

#include "apps/cli/answer.h"
#include "apps/cli/export_network_commands.h"
#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/search_command.h"
#include "apps/cli/train_rows.h"
#include "poet/ask/option_reads.h"
#include "poet/base/byte_text.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/names_in.h"
#include "poet/deliver/export_project.h"
#include "poet/device/boards.h"
#include "poet/tell/project_text.h"
#include "poet/use/training_defaults.h"

namespace poet::cli {
namespace {

constexpr const char* kBoard = "What is written, and for which board";
constexpr const char* kPlatform = "m4";
constexpr std::int64_t kSaveEvery = 100;  // as the example of README.md does

OptionRow port_row(std::optional<ChipPort>& port) {
  std::vector<std::string> names;
  std::vector<std::string_view> shown;
  for (const ChipPort& one : port_table()) {
    names.emplace_back(one.name);
    shown.push_back(one.name);
  }
  return {
      .names = "--port",
      .value = "CHIP",
      .group = kBoard,
      .help = fmt::format("adds the storage of a chip, written against its registers, and 'make "
                          "port', which compiles all for it: {}; without --platform, the RAM is "
                          "the chip's",
                          alternatives(shown)),
      .words = names,
      .read = [&port](const std::string& text) { return keep_value(find_port(text), port); }};
}

std::vector<OptionRow> board_rows(ExportFlags& flags) {
  return {
      {.names = "--out",
       .value = "FOLDER",
       .group = kBoard,
       .help = "where the project is written; it is made when it is not there",
       .completes = Completes::Directories,
       .read = keep_as_text(flags.train.out_path)},
      {.names = "--stack",
       .value = "SIZE",
       .group = kBoard,
       .help = "what is kept of the RAM for the stack; default 8KiB",
       .read =
           [&flags](const std::string& text) {
             return keep_value(parse_bytes(text), flags.stack_bytes);
           }},
      reserve_row(kBoard, flags),
      {.names = "--steps-per-day",
       .value = "N",
       .group = kBoard,
       .help = "says for how many years the storage lasts, by storage.cycles, storage.levelled and "
               "storage.erase of the device file",
       .read =
           [&flags](const std::string& text) {
             return keep_value(read_whole(text, 1), flags.steps_per_day);
           }},
      {.names = "--save-every",
       .value = "N",
       .group = kBoard,
       .help = "with --steps-per-day: a checkpoint after so many steps; default 100",
       .read =
           [&flags](const std::string& text) {
             return keep_value(read_whole(text, 1), flags.save_every);
           }},
      port_row(flags.port),
      {.names = "--hook,--no-hook",
       .group = kBoard,
       .help = "poet_step() calls a function of yours between actions, which may pause the step",
       .read = keep_as_switch(flags.hook)},
      {.names = "--project",
       .value = "WHAT",
       .group = kBoard,
       .help = "whose project it is: make (default) and cmake have files for both; platformio and "
               "arduino a "
               "library, zephyr a module, esp-idf a component, each with an example that trains "
               "from an SD card",
       .words = names_in(kProjectKinds),
       .only_words = true,
       .read = keep_as_choice(kProjectKinds, flags.kind)},
      {.names = "--storage-erase",
       .value = "SIZE",
       .group = kBoard,
       .help = "what a power cut during a write may damage of the storage, whole: checkpoints and "
               "pages lie apart by that; default: storage.erase of the device file, or 64KiB",
       .read =
           [&flags](const std::string& text) {
             return keep_value(read_block(text), flags.storage_erase_bytes);
           }},
  };
}

Result<ExportFlags> read_flags(const std::vector<std::string>& arguments) {
  ExportFlags flags;
  flags.train.solve.request.batch_size = kTrainBatchSize;
  const Result<std::vector<std::string>> rest =
      parse_options("export", export_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (rest->size() != 1 || rest->front() != "c")
    return bad_input(
        "poet export needs to be told what to write: poet export c, poet export onnx or "
        "poet export safetensors");
  if (!flags.train.out_path)
    return bad_input("poet export c needs --out FOLDER, where the project is written");
  if (Failure failure = settle_export_flags("export", arguments, flags)) return *failure;
  return flags;
}

int answer(const ExportFlags& flags, const ExportReport& report) {
  for (const std::string& note : report.notes) warn(note);
  const int code = report.no.empty() ? kExitFound : kExitNo;
  return flags.train.solve.output == Output::Json ? print_json(export_to_json(report), code)
                                                  : print_text(export_text(report), code);
}

}  // namespace

OptionRow board_row(const char* group, std::optional<EmulatedBoard>& board) {
  std::vector<std::string> names;
  for (const EmulatedBoard& one : board_table()) names.emplace_back(one.name);
  return {
      .names = "--board",
      .value = "NAME",
      .group = group,
      .help = "an emulated board: its start-up code, linker script, stack and RAM",
      .words = names,
      .read = [&board](const std::string& text) { return keep_value(find_board(text), board); }};
}

OptionRow reserve_row(const char* group, ExportFlags& flags) {
  return {.names = "--reserve",
          .value = "SIZE",
          .group = group,
          .help =
              "what others have of the RAM, a radio's stack for example: budget, linker and checks "
              "go by the rest; default none",
          .read = [&flags](const std::string& text) {
            return keep_value(parse_bytes(text), flags.reserved_bytes);
          }};
}

std::vector<OptionRow> prediction_rows(const char* group, ExportFlags& flags) {
  return {
      {.names = "--predict,--no-predict",
       .group = group,
       .help = "use the trained network on the board as well: poet_predict() beside poet_step(), "
               "in the "
               "same arena",
       .read = keep_as_switch(flags.predict)},
      {.names = "--predict-batch",
       .value = "N",
       .group = group,
       .help = "examples of one prediction; default 1",
       .read =
           [&flags](const std::string& text) {
             return keep_value(read_whole(text, 1), flags.prediction_batch_size);
           }},
  };
}

std::optional<std::int64_t> asked_prediction(const ExportFlags& flags) {
  if (!flags.predict) return std::nullopt;
  return flags.prediction_batch_size.value_or(1);
}

namespace {

std::string platform_of(const ExportFlags& flags) {
  if (flags.board) return std::string(flags.board->platform);
  return flags.port ? std::string(flags.port->platform) : kPlatform;
}

std::int64_t whole_ram_bytes(const ExportFlags& flags, const Device& device) {
  return flags.board ? flags.board->ram_bytes : flags.device_ram_bytes.value_or(device.ram_bytes);
}

Error nothing_is_left(const ExportFlags& flags, const Device& device) {
  return bad_input(fmt::format(
      "of the board's RAM, {}, nothing is left for the arena: --reserve takes {}, and the stack {}",
      bytes_text(whole_ram_bytes(flags, device)), bytes_text(flags.reserved_bytes),
      bytes_text(flags.stack_bytes)));
}

// Before anything is taken from what is left, which differences of such sizes may not hold.
bool takes_all(const ExportFlags& flags, const Device& device, bool has_budget) {
  const std::int64_t ram_bytes = whole_ram_bytes(flags, device);
  return flags.reserved_bytes >= ram_bytes ||
         (!has_budget && flags.stack_bytes >= ram_bytes - flags.reserved_bytes);
}

// Of the arena, where no other was asked for.
std::int64_t default_budget_bytes(const ExportFlags& flags, const Device& device) {
  const std::int64_t reserved_bytes = flags.reserved_bytes;
  if (flags.board) return arena_budget_bytes(*flags.board) - reserved_bytes;
  const std::int64_t port_bytes = flags.port ? flags.port->data_bytes : 0;
  return flags.device_ram_bytes.value_or(device.ram_bytes) - reserved_bytes - flags.stack_bytes -
         kProjectOtherDataBytes - port_bytes;
}

// A port that writes in larger pieces than transfers have would read and write what is beside them.
Failure check_block(const ExportFlags& flags, std::int64_t block_bytes) {
  if (!flags.port || block_bytes % flags.port->block_bytes == 0) return std::nullopt;
  return bad_input(
      fmt::format("{} writes in blocks of {}, and --storage-block or the device has {}: "
                  "give a multiple",
                  flags.port->name, bytes_text(flags.port->block_bytes), bytes_text(block_bytes)));
}

}  // namespace

std::optional<DailyUse> asked_use(const ExportFlags& flags) {
  if (!flags.steps_per_day) return std::nullopt;
  return DailyUse{.steps = static_cast<double>(*flags.steps_per_day),
                  .save_every = flags.save_every.value_or(kSaveEvery)};
}

Failure settle_export_flags(const std::string& command, const std::vector<std::string>& arguments,
                            ExportFlags& flags) {
  if (flags.prediction_batch_size && !flags.predict)
    return bad_input("--predict-batch says how many examples --predict takes: give both");
  if (flags.board && !is_plain(flags.kind))
    return bad_input(
        "the program of an emulated board is built by make: leave out --project or --board");
  if (flags.save_every && !flags.steps_per_day)
    return bad_input("--save-every says how often --steps-per-day writes a checkpoint: give both");
  if (flags.port && !is_plain(flags.kind))
    return bad_input("the storage of a chip is built by make: leave out --project or --port");
  PlanRequest& plan = flags.train.solve.request;
  if (flags.port && !flags.board && plan.platform.empty())
    flags.device_ram_bytes = flags.port->ram_bytes;
  if (plan.platform.empty()) plan.platform = platform_of(flags);
  if (flags.board) flags.stack_bytes = flags.board->stack_bytes;
  if (!plan.io) plan.io = TimeMode::Blocking;  // emitted C waits for every transfer
  if (flags.train.request.steps == 0) flags.train.request.steps = kProjectSteps;
  const bool has_budget = plan.ram_budget.has_value();
  if (Failure failure = settle_train_flags(command, arguments, flags.train)) return failure;
  PlanRequest& settled = flags.train.request.plan;
  settled.alignment_bytes = kProjectAlignment;
  const Result<Device> device = load_device(settled.platform);
  if (!device.ok()) return device.error();
  const std::int64_t block_bytes = flags.port ? flags.port->block_bytes : kProjectCardBlock;
  if (!settled.storage_block_bytes && device->storage.block_bytes == 1)
    settled.storage_block_bytes = block_bytes;
  if (Failure failure =
          check_block(flags, settled.storage_block_bytes.value_or(device->storage.block_bytes)))
    return failure;
  if (takes_all(flags, *device, has_budget)) return nothing_is_left(flags, *device);
  const std::int64_t budget_bytes = default_budget_bytes(flags, *device);
  if (!has_budget && budget_bytes <= 0) return nothing_is_left(flags, *device);
  if (!has_budget) settled.ram_budget = RamBytes{budget_bytes};
  flags.train.request.test_data.reset();
  return std::nullopt;
}

std::vector<OptionRow> export_training_rows(ExportFlags& flags) {
  return with_other_help(
      board_training_rows(flags.train),
      {
          {"--platform", "the board: a name that 'poet devices' lists, or a TOML file; default m4"},
          {"--ram-budget",
           "of the arena: 200KiB; 60% or 0.6x of the plain peak; 40%way from the largest working "
           "set to the plain peak; default: the board's RAM without stack and 1 KiB of other data"},
          {"--io",
           "how transfers take time: blocking, the default, or overlapped, beside the processor, "
           "which needs a port that moves bytes by itself"},
          {"--storage-block",
           "what storage is read and written in: transfers cost whole blocks, and begin at them; "
           "default: the board's, or 512"},
          {"--steps",
           "of the learning rate's schedule, and that examples are written for; "
           "default 20"},
          {"--epochs", ""},
          {"--test-data", ""},
          {"--test-examples", ""},
          {"--storage", ""},
          {"--direct-io", ""},
          {"--checksums", ""},
          {"--io-engine", ""},
          {"--checkpoint", ""},
          {"--checkpoint-every", ""},
          {"--resume", ""},
          {"--overwrite-checkpoint", ""},
          {"--allow-non-finite", kAllowPublishedHelp},
          {"--evaluate-every", ""},
          {"--log", ""},
          {"--plan-only", ""},
          {"--kernels", ""},
          {"--threads", ""},
      });
}

std::vector<OptionRow> export_option_rows(ExportFlags& flags) {
  std::vector<OptionRow> rows = export_training_rows(flags);
  for (OptionRow& row : board_rows(flags)) rows.push_back(std::move(row));
  rows.push_back(board_row(kBoard, flags.board));
  for (OptionRow& row : prediction_rows(kBoard, flags)) rows.push_back(std::move(row));
  return rows;
}

int run_export(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "onnx")
    return run_export_onnx({arguments.begin() + 1, arguments.end()});
  if (!arguments.empty() && arguments.front() == "safetensors")
    return run_export_safetensors({arguments.begin() + 1, arguments.end()});
  const Output output = output_of(arguments);
  const Result<ExportFlags> flags = read_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  const std::string& folder = *flags->train.out_path;
  if (const Failure failure = check_folder_target("--out", folder)) return refuse(*failure, output);
  Search search(flags->train.solve);
  const Result<ExportReport> report =
      export_project({.training = flags->train.request,
                      .folder = folder,
                      .stack_bytes = flags->stack_bytes,
                      .storage_erase_bytes = flags->storage_erase_bytes,
                      .board = flags->board,
                      .port = flags->port,
                      .device_ram_bytes = flags->device_ram_bytes,
                      .reserved_bytes = flags->reserved_bytes,
                      .calls_hook = flags->hook,
                      .kind = flags->kind,
                      .prediction_batch_size = asked_prediction(*flags),
                      .daily_use = asked_use(*flags)},
                     search.stop(), search.progress());
  if (!report.ok()) return refuse(report.error(), output);
  return answer(*flags, *report);
}

}  // namespace poet::cli
