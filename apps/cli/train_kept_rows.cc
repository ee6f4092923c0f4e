#include "apps/cli/train_rows.h"

#include <fmt/core.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/base/names_in.h"
#include "poet/tell/progress_rows.h"

namespace poet::cli {
namespace {

constexpr const char* kStorage = "Where what does not fit goes";
constexpr const char* kLevels = "RAM that comes and goes";
constexpr std::int64_t kMostLevels = 64;  // each wants plans and a search for them

constexpr Named<IoEngine> kIoEngines[] = {
    {"auto", IoEngine::Auto}, {"uring", IoEngine::Uring}, {"threads", IoEngine::Threads}};

ReadOption keep_memory_folders(std::map<std::string, std::string>& folders) {
  return [&folders](const std::string& text) -> Failure {
    folders.clear();
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
      const std::size_t equals = part.find('=');
      if (equals == 0 || equals == std::string::npos || equals + 1 == part.size())
        return bad_input(in_quotes(part) + " is not NAME=FOLDER, such as nvme=/media/nvme");
      if (!folders.emplace(part.substr(0, equals), part.substr(equals + 1)).second)
        return bad_input(
            fmt::format("the memory {} is in two folders", in_quotes(part.substr(0, equals))));
    }
    return std::nullopt;
  };
}

}  // namespace

std::vector<OptionRow> storage_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {
      {.names = "--storage",
       .value = "PATH",
       .group = kStorage,
       .help =
           "a folder for a file that goes with the program, or the path of a new file; default: "
           "this folder",
       .completes = Completes::Files,
       .read = keep_as_text(request.storage.path)},
      {.names = "--memory-in",
       .value = "NAME=FOLDER,...",
       .group = kStorage,
       .help =
           "what lies in a memory beside the RAM is a file in this folder, mapped to addresses: "
           "nvme=/media/nvme for the memory of --platform pc",
       .completes = Completes::Directories,
       .read = keep_memory_folders(request.storage.memory_folders)},
      {.names = "--direct-io,--no-direct-io",
       .group = kStorage,
       .help = "read and write past the system's cache, so that it holds nothing of the pages",
       .read = keep_as_switch(request.storage.direct)},
      {.names = "--checksums,--no-checksums",
       .group = kStorage,
       .help = "check what is read against what was written",
       .read = keep_as_switch(request.storage.checksums)},
      {.names = "--io-engine",
       .value = "NAME",
       .group = kStorage,
       .help = "who moves the bytes; default auto: io_uring where the system has it",
       .words = names_in(kIoEngines),
       .only_words = true,
       .read = keep_as_choice(kIoEngines, request.storage.engine)},
      {.names = "--cache",
       .value = "FOLDER",
       .group = kStorage,
       .help = "where plans are kept, so that the same question is answered at once; default: "
               "poet/plans in the user's cache",
       .completes = Completes::Directories,
       .read = keep_as_text(flags.cache)},
      {.names = "--keep-plans,--no-keep-plans",
       .group = kStorage,
       .help = "default on; without it planning happens in the memory of this program",
       .read = keep_as_switch(flags.keep_plans)},
  };
}

std::vector<OptionRow> level_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {
      {.names = "--ram-levels",
       .value = "N",
       .group = kLevels,
       .help = "how many RAM budgets there are in a range such as --ram-budget 4GiB..256MiB; each "
               "gets its plans before the first step, and the numbers are the same in all; default "
               "4",
       .read =
           [&request](const std::string& text) {
             return keep_value(read_whole(text, 2, kMostLevels), request.ram_levels);
           }},
      {.names = "--ram-control",
       .value = "FILE",
       .group = kLevels,
       .help =
           "a file that may hold a size such as 512MiB, looked at between steps: training goes "
           "on in the largest of the budgets that is no more; SIGUSR1 asks for the next smaller "
           "one, SIGUSR2 for the next larger",
       .completes = Completes::Files,
       .read = keep_as_text(request.ram_wishes.control_path)},
      {.names = "--ram-pressure",
       .value = "PERCENT",
       .group = kLevels,
       .help = "the next smaller budget where Linux's memory pressure (PSI, 'some' of the last 10 "
               "s) comes to so much; default: pressure is not looked at",
       .read = [&request](const std::string& text) -> Failure {
         if (Failure failure =
                 keep_value(read_number(text, Zero::Refused), request.ram_wishes.pressure_percent))
           return failure;
         if (*request.ram_wishes.pressure_percent <= 100) return std::nullopt;
         return bad_input(fmt::format("expected at most 100, found '{}'", text));
       }},
      {.names = "--follow-memory-limits,--no-follow-memory-limits",
       .group = kLevels,
       .help = "default on: where a control group lets the process have less, a smaller budget",
       .read = keep_as_switch(request.ram_wishes.follows_limits)},
  };
}

ReadOption read_budgets(ReadOption read_one, TrainRequest& request) {
  return [read_one = std::move(read_one), &request](const std::string& text) -> Failure {
    constexpr std::string_view kTo = "..";
    const std::size_t to = text.find(kTo);
    if (to == std::string::npos) {
      request.least_ram_budget.reset();
      return read_one(text);
    }
    const Result<RamBudget> least = parse_ram_budget(text.substr(to + kTo.size()));
    if (!least.ok()) return least.error();
    request.least_ram_budget = *least;
    return read_one(text.substr(0, to));
  };
}

std::vector<OptionRow> checkpoint_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {
      {.names = "--checkpoint",
       .value = "FILE",
       .group = kCheckpointGroup,
       .help = "save the trained network there, at the end and when interrupted, with all that is "
               "needed to "
               "go on",
       .completes = Completes::Files,
       .read = keep_as_text(request.checkpoint_path)},
      {.names = "--checkpoint-every",
       .value = "N",
       .group = kCheckpointGroup,
       .help = "and every so many steps",
       .read = keep_whole(1, request.checkpoint_every)},
      {.names = "--resume,--no-resume",
       .group = kCheckpointGroup,
       .help = "go on from the checkpoint when it is there, to the same bits",
       .read = keep_as_switch(request.resume)},
      {.names = "--overwrite-checkpoint",
       .group = kCheckpointGroup,
       .help = "begin anew where a checkpoint is, and replace it; without it that is refused",
       .read = keep_as_switch(request.overwrites_checkpoint)},
      {.names = "--allow-non-finite",
       .group = kCheckpointGroup,
       .help = "go on and save when a loss or a weight is infinite or not a number; without it "
               "training ends there, and the last checkpoint stays, and published weights that "
               "are such are refused",
       .read = keep_as_switch(request.allows_non_finite)},
      {.names = "--evaluate-every",
       .value = "N",
       .group = kCheckpointGroup,
       .help = "try the network on the test data every so many steps; default: at the end",
       .read = keep_whole(1, request.evaluate_every)},
      {.names = "--log",
       .value = "FILE",
       .group = kCheckpointGroup,
       .help = "write a line of JSON for every step and evaluation",
       .completes = Completes::Files,
       .read = keep_as_text(flags.log_path)},
      {.names = "--plan-only",
       .group = kCheckpointGroup,
       .help = "plan, keep the plans, and do not train",
       .read = keep_as_switch(flags.plan_only)},
  };
}

std::vector<OptionRow> best_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {
      {.names = "--best-checkpoint",
       .value = "FILE",
       .group = kCheckpointGroup,
       .help = "keep a checkpoint of the step with the lowest loss on the test data, of those that "
               "--evaluate-every names",
       .completes = Completes::Files,
       .read = keep_as_text(request.best_checkpoint_path)},
      {.names = "--stop-after-no-better",
       .value = "N",
       .group = kCheckpointGroup,
       .help = "end when N evaluations in a row have no lower loss than the best before",
       .read = keep_whole(1, request.most_no_better)},
  };
}

OptionRow progress_file_row(TrainFlags& flags) {
  return {.names = "--progress",
          .value = "FILE.jsonl",
          .group = kCheckpointGroup,
          .help =
              "write how the training goes while it runs, for the page of 'poet serve --trainings "
              "FOLDER'",
          .completes = Completes::Files,
          .read = [&flags](const std::string& text) -> Failure {
            if (!text.ends_with(kProgressEnding))
              return bad_input(fmt::format(
                  "expected a name that ends in {}, which 'poet serve --trainings' looks "
                  "for, found {}",
                  kProgressEnding, in_quotes(text)));
            flags.progress_path = text;
            return std::nullopt;
          }};
}

OptionRow non_finite_to_use(TrainFlags& flags) {
  return {.names = "--allow-non-finite",
          .group = kCheckpointGroup,
          .help =
              "go on with published weights that are infinite or not a number, and end with exit "
              "code 0 where a loss or an output is; without it the weights are refused",
          .read = keep_as_switch(flags.request.allows_non_finite)};
}

OptionRow checkpoint_to_use(TrainFlags& flags) {
  return {
      .names = "--checkpoint",
      .value = "FILE",
      .group = kCheckpointGroup,
      .help =
          "what 'poet train' wrote, and the loss that it was trained with; default: the network's "
          "initial values",
      .completes = Completes::Files,
      .read = keep_as_text(flags.request.checkpoint_path)};
}

}  // namespace poet::cli
