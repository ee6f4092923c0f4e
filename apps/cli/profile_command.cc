#include "apps/cli/profile_command.h"

#include <fmt/core.h>

#include <filesystem>
#include <limits>

#include "apps/cli/answer.h"
#include "apps/cli/export_command.h"
#include "apps/cli/host_machine.h"
#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/progress_display.h"
#include "apps/cli/search_command.h"
#include "apps/cli/signals.h"
#include "apps/cli/temporary_folder.h"
#include "poet/ask/option_table.h"
#include "poet/base/json_out.h"
#include "poet/base/names_in.h"
#include "poet/cost/measured_costs.h"
#include "poet/device/device_text.h"
#include "poet/measure/energy_counters.h"
#include "poet/profile/board_profile.h"
#include "poet/tell/profile_text.h"
#include "poet/tell/project_text.h"

namespace poet::cli {
namespace {

constexpr const char* kMeasuring = "How to measure";
constexpr const char* kBoard = "An emulated board, in place of this machine";
constexpr const char* kPowerLog = "A real board, by a log of what it drew";
constexpr const char* kOutput = "What comes out";
constexpr double kBoardPlanning_s = 60;
constexpr std::int64_t kMostRepeats = 100'000;

std::function<Failure(const std::string&)> keep_text(std::optional<std::string>& target) {
  return [&target](const std::string& text) {
    target = text;
    return Failure();
  };
}

template <typename T, typename Target>
Failure keep_figure(const Result<T>& value, Target& target) {
  if (!value.ok()) return value.error();
  target = *value;
  return std::nullopt;
}

std::vector<OptionRow> measuring_rows(ProfileFlags& flags) {
  return {
      {.names = "--repeats",
       .value = "N",
       .group = kMeasuring,
       .help = "samples of each operation, at most; default 15",
       .read =
           [&flags](const std::string& text) {
             return keep_figure(read_whole(text, 1, kMostRepeats), flags.profile.timing.samples);
           }},
      {.names = "--passes",
       .value = "N",
       .group = kMeasuring,
       .help = "also execute the whole step so often, keeping everything, to compare it with the "
               "sum of its operations; default 0",
       .read =
           [&flags](const std::string& text) {
             return keep_figure(read_whole(text, 0, kMostRepeats), flags.profile.passes);
           }},
      {.names = "--time-limit-s",
       .value = "SECONDS",
       .group = kMeasuring,
       .help = "when to stop with what is measured by then; default none",
       .read =
           [&flags](const std::string& text) {
             return keep_figure(read_number(text, Zero::Refused),
                                flags.network.request.time_limit_s);
           }},
      {.names = "--storage",
       .value = "FOLDER",
       .group = kMeasuring,
       .help = "where plans will page to, for the device file; default: the folder of that file",
       .completes = Completes::Directories,
       .read = keep_text(flags.storage_folder)},
      {.names = "--direct",
       .group = kMeasuring,
       .help = "measure the storage past the page cache",
       .read =
           [&flags](const std::string&) {
             flags.direct = true;
             return Failure();
           }},
      {.names = "--power-w",
       .value = "WATTS",
       .group = kMeasuring,
       .help = "what the machine draws above idle while it works, where it cannot be measured; "
               "default 1, so that joules stand for seconds",
       .read = [&flags](const std::string& text) {
         return keep_figure(read_number(text, Zero::Refused), flags.profile.power_w);
       }}};
}

std::string text_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<OptionRow> board_rows(ProfileFlags& flags) {
  return {board_row(kBoard, flags.board),
          {.names = "--steps",
           .value = "N",
           .group = kBoard,
           .help = "of a training, in which every execution of an operation is a sample; default 2",
           .read =
               [&flags](const std::string& text) {
                 return keep_figure(read_whole(text, 1, kMostRepeats), flags.board_steps);
               }},
          {.names = "--cycles-per-instruction",
           .value = "X",
           .group = kBoard,
           .help = "of the core, since the emulator counts instructions; default: what --datasheet "
                   "says, or 1",
           .read =
               [&flags](const std::string& text) {
                 return keep_figure(read_number(text, Zero::Refused), flags.cycles_per_instruction);
               }},
          {.names = "--datasheet",
           .value = "NAME",
           .group = kBoard,
           .help = "clock, supply and currents of the chip, from which joules follow: " +
                   text_of(names_in(builtin_datasheet_table())) +
                   ", or the path of a .toml file of yours",
           .words = names_in(builtin_datasheet_table()),
           .completes = Completes::Files,
           .read = [&flags](const std::string& text) {
             return keep_figure(load_datasheet(text), flags.datasheet);
           }}};
}

std::function<Failure(const std::string&)> keep_word(std::string& target) {
  return [&target](const std::string& text) {
    target = text;
    return Failure();
  };
}

std::vector<OptionRow> power_log_rows(ProfileFlags& flags) {
  PowerLogRequest& power = flags.power;
  return {
      {.names = "--power-log",
       .value = "FILE",
       .group = kPowerLog,
       .help =
           "a CSV file: a Power Profiler Kit II's export (Timestamp(ms),Current(uA),D0,...), or "
           "time_s,power_w of any logger; joules of operations and of bytes are fitted to it",
       .completes = Completes::Files,
       .read = keep_word(power.log_path)},
      {.names = "--project",
       .value = "FOLDER",
       .group = kPowerLog,
       .help = "what the board ran: the folder that 'poet export c' or 'poet run --out' wrote",
       .completes = Completes::Directories,
       .read = keep_word(power.project_folder)},
      {.names = "--supply-v",
       .value = "VOLTS",
       .group = kPowerLog,
       .help = "at which a log of currents was taken",
       .read =
           [&power](const std::string& text) {
             return keep_figure(read_number(text, Zero::Refused), power.align.log.supply_v);
           }},
      {.names = "--align",
       .value = "HOW",
       .group = kPowerLog,
       .help =
           "pins (default): the board counts its actions on D0 and further channels; durations: "
           "it says nothing, and --costs says what each action is expected to take",
       .words = names_in(kLogAlignments),
       .only_words = true,
       .read =
           [&power](const std::string& text) {
             power.how = *value_of(kLogAlignments, text);
             return Failure();
           }},
      {.names = "--pins",
       .value = "N",
       .group = kPowerLog,
       .help = "channels that the board counts on, from D0 on; default 1. With N channels, up to "
               "2^N - 1 actions between two samples are told apart",
       .read =
           [&power](const std::string& text) {
             return keep_figure(read_whole(text, 1, kPowerLogPins), power.align.pins);
           }},
      {.names = "--idle-w",
       .value = "WATTS",
       .group = kPowerLog,
       .help = "drawn between steps; default: what the log has there",
       .read =
           [&power](const std::string& text) {
             return keep_figure(read_number(text, Zero::Allowed), power.align.idle_w);
           }},
      {.names = "--platform",
       .value = "NAME",
       .group = kPowerLog,
       .help = "a device, or a .toml file: what the log does not say is as it has it; default: the "
               "one that the project was planned for",
       .words = platform_names(),
       .completes = Completes::Files,
       .read = keep_text(power.platform)},
      {.names = "--costs",
       .value = "FILE",
       .group = kPowerLog,
       .help = "counted by 'poet profile --board': for --align durations, and to divide the joules "
               "of what the log does not tell apart",
       .completes = Completes::Files,
       .read = keep_text(power.costs_path)}};
}

std::vector<OptionRow> output_rows(ProfileFlags& flags) {
  return {{.names = "--out-device",
           .value = "FILE",
           .group = kOutput,
           .help = "write the machine as a device, for --platform (TOML, ending in .toml)",
           .completes = Completes::Files,
           .read = keep_text(flags.device_path)},
          {.names = "--out-costs",
           .value = "FILE",
           .group = kOutput,
           .help = "write what each operation takes, for --costs (JSON)",
           .completes = Completes::Files,
           .read = keep_text(flags.costs_path)},
          {.names = "--json",
           .group = kOutput,
           .help = "print one JSON object instead of text",
           .read =
               [&flags](const std::string&) {
                 flags.network.output = Output::Json;
                 return Failure();
               }},
          {.names = "--quiet",
           .group = kOutput,
           .help = "show no progress",
           .read = [&flags](const std::string&) {
             flags.network.quiet = true;
             return Failure();
           }}};
}

// The name of a device, and the folder of its file.
void settle_device(ProfileFlags& flags) {
  if (!flags.device_path) return;
  const std::filesystem::path path = *flags.device_path;
  flags.profile.machine.name = path.stem().string();
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  flags.profile.storage =
      StorageRequest{.folder = flags.storage_folder.value_or(folder), .direct = flags.direct};
}

// The options of a log go with one, and those of other ways to measure do not.
Failure check_power_log(const ProfileFlags& flags) {
  const PowerLogRequest& power = flags.power;
  if (power.log_path.empty()) {
    const bool has_options = !power.project_folder.empty() || power.align.log.supply_v ||
                             power.align.idle_w || power.align.pins != 1 || power.platform ||
                             power.costs_path || power.how != LogAlignment::Pins;
    if (!has_options) return std::nullopt;
    return bad_input(
        "--project, --supply-v, --align, --pins, --idle-w, --platform and --costs are for a log of "
        "what a board drew; name it with --power-log");
  }
  if (power.project_folder.empty())
    return bad_input(
        "--power-log needs --project FOLDER: what the board ran, as 'poet export c' wrote it");
  if (flags.board) return bad_input("--power-log is of a real board, and --board emulates one");
  if (!flags.network.request.model.empty())
    return bad_input("--power-log is of the network of its project; leave --model out");
  return std::nullopt;
}

Result<ProfileFlags> read_profile_flags(const std::vector<std::string>& arguments) {
  ProfileFlags flags;
  flags.network.request.time_limit_s = std::numeric_limits<double>::infinity();
  const Result<std::vector<std::string>> rest =
      parse_options("profile", profile_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (!rest->empty())
    return bad_input(fmt::format("poet profile takes only options, found '{}'", rest->front()));
  if (Failure failure = check_power_log(flags)) return *failure;
  if (flags.network.request.model.empty() && flags.power.log_path.empty())
    return bad_input(
        "poet profile needs --model NAME ('poet models' lists them) or --model FILE.onnx");
  if (!flags.board && (flags.datasheet || flags.cycles_per_instruction))
    return bad_input(fmt::format("{} is for instructions that a board counts; name it with --board",
                                 flags.datasheet ? "--datasheet" : "--cycles-per-instruction"));
  if (!flags.device_path && (flags.storage_folder || flags.direct))
    return bad_input("the storage is measured for a device; name its file with --out-device");
  if (flags.device_path && !flags.device_path->ends_with(".toml"))
    return bad_input(fmt::format("--out-device: '{}' must end in .toml, as --platform wants it",
                                 *flags.device_path));
  flags.profile.network = flags.network.request;
  flags.profile.machine = host_machine();
  settle_device(flags);
  flags.power.date = flags.profile.machine.date;
  if (flags.device_path) flags.power.device_name = flags.profile.machine.name;
  return flags;
}

Failure check_own_targets(const ProfileFlags& flags) {
  CommandFiles files;
  add_what_is_read(flags.network, files);
  if (!flags.power.log_path.empty())
    files.reads("--power-log", std::optional(flags.power.log_path));
  if (flags.power.platform && flags.power.platform->ends_with(".toml"))
    files.reads("--platform", flags.power.platform);
  files.reads("--costs", flags.power.costs_path);
  files.writes("--out-device", flags.device_path);
  files.writes("--out-costs", flags.costs_path);
  return files.check();
}

Result<ProfileReport> profile_with_progress(ProfileFlags& flags) {
  const InterruptWatch interrupts;
  const Stop stop{interrupts.token(), new_clock(), flags.network.request.time_limit_s};
  Instruments instruments{.work_s = computed_s, .rest = [&interrupts](double seconds) {
                            rest_for(seconds, interrupts.token());
                          }};
  Result<EnergyCounters> counters = EnergyCounters::find(kEnergyFolder);
  flags.profile.machine.energy_counters =
      counters.ok() ? counters->names() : counters.error().message;
  if (counters.ok()) instruments.energy_j = [&counters] { return counters->total_j(); };
  LineDisplay display(progress_style(flags.network), stop.elapsed_s);
  return profile(flags.profile, instruments, stop, [&display](const ProfileProgress& progress) {
    display.update([&progress] {
      return fmt::format("{} of {} different operations; at work: {}", progress.done, progress.all,
                         progress.now);
    });
  });
}

// With the settings of 'poet run --board'.
Result<ProfileReport> profile_board(const ProfileFlags& flags) {
  const Result<WorkFolder> folder = WorkFolder::create();
  if (!folder.ok()) return folder.error();
  ExportFlags project;
  project.board = flags.board;
  project.train.solve = flags.network;
  project.train.solve.request.time_limit_s = kBoardPlanning_s;
  project.train.request.steps = flags.board_steps;
  if (Failure failure = settle_export_flags("profile", {}, project)) return *failure;
  const BoardProfileRequest request{
      .training = {.project = {.training = project.train.request,
                               .folder = folder->path(),
                               .stack_bytes = project.stack_bytes,
                               .board = flags.board}},
      .date = flags.profile.machine.date,
      .cycles_per_instruction = flags.cycles_per_instruction,
      .datasheet = flags.datasheet,
      .device_name = flags.device_path ? flags.profile.machine.name : ""};
  const InterruptWatch interrupts;
  const Stop stop{interrupts.token(), new_clock(), project.train.solve.request.time_limit_s};
  LineDisplay display(progress_style(flags.network), stop.elapsed_s);
  return profile_on_board(
      request, stop, {.step = [&](const BoardStep& step) {
        display.update([&] { return board_progress_line(step, flags.board_steps); });
      }});
}

// A log that does not tell everything apart is a whole answer all the same.
int code_of(const ProfileReport& report) {
  return report.costs.complete || report.power ? kExitFound : kExitNo;
}

int answer(const ProfileFlags& flags, const ProfileReport& report) {
  WrittenFiles files;
  if (!report.costs.operations.empty())
    files.write(flags.costs_path, measured_costs_text(report.costs));
  if (report.device) files.write(flags.device_path, device_text(*report.device, report.derivation));
  for (const std::string& warning : report.warnings) warn(warning);
  JsonOut json = profile_to_json(report);
  return files.print(json, profile_text(report), flags.network.output, code_of(report));
}

}  // namespace

std::vector<OptionRow> profile_option_rows(ProfileFlags& flags) {
  std::vector<OptionRow> rows = rows_for(QuestionAsker::Profile, flags.network.request);
  for (OptionRow& row : measuring_rows(flags)) rows.push_back(std::move(row));
  for (OptionRow& row : board_rows(flags)) rows.push_back(std::move(row));
  for (OptionRow& row : power_log_rows(flags)) rows.push_back(std::move(row));
  for (OptionRow& row : output_rows(flags)) rows.push_back(std::move(row));
  return rows;
}

int run_profile(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  Result<ProfileFlags> flags = read_profile_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  if (const Failure failure = check_own_targets(*flags)) return refuse(*failure, output);
  const Result<ProfileReport> report = !flags->power.log_path.empty()
                                           ? profile_power_log(flags->power)
                                       : flags->board ? profile_board(*flags)
                                                      : profile_with_progress(*flags);
  if (!report.ok()) return refuse(report.error(), output);
  return answer(*flags, *report);
}

}  // namespace poet::cli
