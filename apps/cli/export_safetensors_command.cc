#include "apps/cli/export_safetensors_command.h"

#include <fmt/core.h>

#include "apps/cli/answer.h"
#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/search_command.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/deliver/export_weights_file.h"
#include "poet/model/published_weights.h"

namespace poet::cli {
namespace {

Failure check_safetensors_targets(const ExportOnnxFlags& flags) {
  CommandFiles files;
  add_what_is_read(flags.solve, files);
  files.reads("--checkpoint", flags.checkpoint);
  if (names_safetensors_file(*flags.out))
    files.writes("--out", flags.out);
  else
    files.fills("--out", flags.out, weights_files_in_folder());
  // The same with other values.
  files.allow("--weights", "--out");
  files.allow("--adapter-weights", "--out");
  return files.check();
}

Result<ExportOnnxFlags> read_safetensors_flags(const std::vector<std::string>& arguments) {
  ExportOnnxFlags flags;
  flags.solve.request.batch_size = 1;
  const Result<std::vector<std::string>> rest =
      parse_options("export", export_safetensors_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (!rest->empty())
    return bad_input(
        fmt::format("poet export safetensors takes only options, found '{}'", rest->front()));
  if (flags.solve.request.model.empty())
    return bad_input(
        "poet export safetensors needs --model NAME ('poet models' lists them) or --model "
        "FILE.onnx");
  if (!flags.out)
    return bad_input("poet export safetensors needs --out FOLDER or --out FILE.safetensors");
  if (Failure failure = check_safetensors_targets(flags)) return *failure;
  return flags;
}

std::string report_text(const WeightsFileReport& report) {
  std::string text = fmt::format("{} parameters{}\n\n", grouped_digits(report.parameters),
                                 report.checkpoint_step > 0
                                     ? fmt::format(", as of step {}", report.checkpoint_step)
                                     : ", as the network begins");
  for (const std::string& file : report.files) text += fmt::format("  wrote {}\n", file);
  return text;
}

}  // namespace

std::vector<OptionRow> export_safetensors_option_rows(ExportOnnxFlags& flags) {
  std::vector<OptionRow> rows = with_other_help(
      export_onnx_option_rows(flags),
      {{"--batch-size", "examples of the network's input, which no weight depends on; default 1"},
       {"--merge",
        "write W + alpha / rank B A in the place of each weight that there are adapters beside; "
        "without, these alone, as PEFT has them"},
       {"--out",
        "where the weights are written: a folder as Hugging Face has it, with a configuration, or "
        "a file NAME.safetensors"}});
  for (OptionRow& row : rows)
    if (row.names == "--out") row.value = "PATH";
  return rows;
}

int run_export_safetensors(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<ExportOnnxFlags> flags = read_safetensors_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  const Result<WeightsFileReport> report = export_weights_file(
      {.plan = flags->solve.request,
       .checkpoint_path = flags->checkpoint,
       .out_path = *flags->out,
       .adapters = flags->merges ? WrittenAdapters::Merged : WrittenAdapters::Beside,
       .non_finite = flags->allows_non_finite ? NonFinite::Taken : NonFinite::Refused});
  if (!report.ok()) return refuse(report.error(), output);
  for (const std::string& note : report->notes) warn(note);
  if (output == Output::Json)
    return print_json({{"format", "poet-weights-export"},
                       {"version", 1},
                       {"parameters", report->parameters},
                       {"checkpoint_step", report->checkpoint_step},
                       {"files", report->files}},
                      kExitFound);
  return print_text(report_text(*report), kExitFound);
}

}  // namespace poet::cli
