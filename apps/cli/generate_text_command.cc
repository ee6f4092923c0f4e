#include "apps/cli/plain_commands.h"

#include "apps/cli/answer.h"
#include "apps/cli/output_files.h"
#include "apps/cli/search_command.h"
#include "apps/cli/signals.h"
#include "apps/cli/train_flags.h"
#include "poet/base/json_out.h"
#include "poet/use/generate_text.h"

namespace poet::cli {
namespace {

Failure check_targets(const TrainFlags& flags) {
  CommandFiles files;
  add_training_files(flags, files);
  files.reads("--checkpoint", flags.request.checkpoint_path);
  return files.check();
}

TextRequest generate_request(const TrainFlags& flags) {
  return {.use = use_request(flags),
          .tokenizer = flags.request.data.text.tokenizer,
          .end_token = flags.request.data.text.end_token,
          .prompt = flags.prompt,
          .most_tokens = flags.most_tokens,
          .sampling = flags.sampling};
}

JsonOut to_json(const TrainFlags& flags, const TextReport& report, const std::string& text) {
  JsonOut out = {{"format", "poet-text"}, {"version", 1}};
  if (!report.use.no.empty()) {
    out["no"] = report.use.no;
    return out;
  }
  out["prompt"] = flags.prompt;
  out["text"] = text;
  out["tokens"] = report.tokens;
  out["end"] = name_of(kTextEnds, report.end);
  out["checkpoint_step"] = report.use.checkpoint_step;
  out["ram_budget_bytes"] = report.use.ram_budget_bytes;
  out["arena_bytes"] = report.use.arena_bytes;
  return out;
}

}  // namespace

int run_generate_text(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<TrainFlags> flags =
      read_train_flags("generate-text", generate_text_option_rows, arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  if (const Failure failure = check_targets(*flags)) return refuse(*failure, output);
  const InterruptWatch interrupts;
  const Stop stop{interrupts.token(), new_clock(), flags->solve.request.time_limit_s};
  std::string text;
  bool has_begun = false;
  const Result<TextReport> report =
      generate_text(generate_request(*flags), stop, [&](std::string_view piece) -> Failure {
        text += piece;
        if (output == Output::Json) return std::nullopt;
        const std::string shown = (has_begun ? "" : flags->prompt) + std::string(piece);
        has_begun = true;
        if (print_text(shown, kExitFound) == kExitFound) return std::nullopt;
        return Error{ErrorCode::Io, "the text could not be shown", {}};
      });
  if (!report.ok()) return refuse(report.error(), output);
  for (const std::string& note : report->use.notes) warn(note);
  const int code = report->use.no.empty() ? kExitFound : kExitNo;
  if (output == Output::Json) return print_json(to_json(*flags, *report, text), code);
  if (!report->use.no.empty()) return print_text(report->use.no + "\n", code);
  return print_text(has_begun ? "\n" : flags->prompt + "\n", code);
}

}  // namespace poet::cli
