#include "apps/cli/train_rows.h"

#include "poet/base/names_in.h"

namespace poet::cli {
namespace {

constexpr const char* kGains = "What is worth training";

Failure read_split(const std::string& text, TrainRequest& request) {
  request.split = text == "auto" ? SplitBy::Cost : SplitBy::Request;
  if (request.split == SplitBy::Cost) return std::nullopt;
  return keep_value(read_whole(text, 1), request.micro_batches);
}

}  // namespace

std::vector<OptionRow> step_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  LearningRate& rate = request.learning_rate;
  UpdateAttributes& update = flags.solve.request.training.constants;
  return {
      {.names = "--steps",
       .value = "N",
       .group = kStepsGroup,
       .help =
           "how many steps to take in all; default: as many as --epochs have. Planning does not "
           "search for what saves less than 0.1 s of them all",
       .read = keep_whole(1, request.steps)},
      {.names = "--epochs",
       .value = "X",
       .group = kStepsGroup,
       .help = "how often to see every example; default 1",
       .read = keep_number(Zero::Refused, request.epochs)},
      {.names = "--micro-batches",
       .value = "N|auto",
       .group = kStepsGroup,
       .help =
           "split the batch of a step into so many parts, whose gradients are summed; auto: into "
           "as many as cost least within the budget; default 1",
       .read = [&request](const std::string& text) { return read_split(text, request); }},
      {.names = "--learning-rate",
       .value = "X",
       .group = kStepsGroup,
       .help = "the highest; default 0.05 for sgd, 0.02 with momentum, 0.001 for adam and adamw",
       .read = keep_number(Zero::Allowed, flags.learning_rate)},
      {.names = "--schedule",
       .value = "SHAPE",
       .group = kStepsGroup,
       .help = "how the learning rate goes on from there; default constant",
       .words = names_in(kRateShapes),
       .only_words = true,
       .read = keep_as_choice(kRateShapes, rate.shape)},
      {.names = "--warm-up-steps",
       .value = "N",
       .group = kStepsGroup,
       .help = "steps over which it rises first; default 0",
       .read = keep_whole(0, rate.warm_up_steps)},
      {.names = "--last-rate-ratio",
       .value = "X",
       .group = kStepsGroup,
       .help = "what is left of it at the last step of cosine and linear; default 0",
       .read = keep_number(Zero::Allowed, rate.last_ratio)},
      {.names = "--rate-every",
       .value = "N",
       .group = kStepsGroup,
       .help = "of the schedule step: after how many steps it falls; default 1",
       .read = keep_whole(1, rate.every_steps)},
      {.names = "--rate-factor",
       .value = "X",
       .group = kStepsGroup,
       .help = "of the schedule step: what it is multiplied by then; default 0.1",
       .read = keep_number(Zero::Allowed, rate.factor)},
      {.names = "--momentum",
       .value = "X",
       .group = kStepsGroup,
       .help = "of momentum and nesterov; default 0.9",
       .read = keep_number(Zero::Allowed, update.momentum)},
      {.names = "--weight-decay",
       .value = "X",
       .group = kStepsGroup,
       .help = "default 0",
       .read = keep_number(Zero::Allowed, update.weight_decay)},
      {.names = "--seed",
       .value = "N",
       .group = kStepsGroup,
       .help = "of initial values, the order of examples, dropouts and made-up data; default 1",
       .read = keep_whole(0, request.seed)},
  };
}

std::vector<OptionRow> gain_rows(TrainFlags& flags) {
  GainSource& gains = flags.request.gains;
  return {
      {.names = "--gains",
       .value = "FILE",
       .group = kGains,
       .help = "what training each layer or parameter is worth, as JSON, such as 'poet worth "
               "--out-gains' writes it; default: measured, as the squared norm of its gradient",
       .completes = Completes::Files,
       .read = keep_as_text(gains.path)},
      {.names = "--gain-batches",
       .value = "N",
       .group = kGains,
       .help = "of the data, that gradients are measured on; default 4",
       .read = keep_whole(1, gains.batches)},
  };
}

std::vector<OptionRow> trace_rows(TrainFlags& flags) {
  OptionRow file = trace_row(flags.solve);
  file.help =
      "write when each action of the first steps began and ended, and the RAM in use, as measured "
      "and as predicted, as a trace that Perfetto or about:tracing of Chromium shows";
  return {std::move(file),
          {.names = "--trace-steps",
           .value = "N",
           .group = kStepsGroup,
           .help = "of how many of the run's first steps; default 3",
           .read = keep_whole(1, flags.trace_steps)}};
}

std::vector<OptionRow> replan_rows(TrainFlags& flags) {
  return {
      {.names = "--replan,--no-replan",
       .group = kStepsGroup,
       .help = "where the first steps take other times than the plan was made with, and a better "
               "plan may be worth more than making it, plan again in a process beside the training "
               "and change over between two steps, to the same numbers; default: where no --costs "
               "say what operations take on this machine",
       .read =
           [&flags](const std::string& text) {
             flags.replans = text == "true";
             return Failure();
           }},
      {.names = "--figures",
       .value = "FILE",
       .group = kStepsGroup,
       .help = "with --plan-only: plan with the times in FILE, as a training that plans again "
               "writes them for the process beside it, and print what a step costs with the "
               "plan in use and with the new one",
       .completes = Completes::Files,
       .read = keep_as_text(flags.figures_path)}};
}

}  // namespace poet::cli
