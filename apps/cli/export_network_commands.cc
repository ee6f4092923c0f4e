#include "apps/cli/export_network_commands.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/answer.h"
#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/search_command.h"
#include "apps/cli/train_rows.h"
#include "poet/ask/option_reads.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/deliver/export_onnx_file.h"
#include "poet/deliver/export_weights_file.h"
#include "poet/model/published_weights.h"

namespace poet::cli {
namespace {

constexpr const char* kWhat = "What is written";
constexpr std::int64_t kExampleBatchSize = 1;

std::vector<OptionRow> rows_of_the_network(SolveFlags& flags) {
  std::vector<OptionRow> rows =
      with_other_help(rows_for(QuestionAsker::ExportOnnx, flags.request),
                      {{"--batch-size", "examples that the file takes at a time; default 1"}});
  for (OptionRow& row : output_option_rows(flags))
    if (row.names == "--json" || row.names == "--quiet") rows.push_back(std::move(row));
  return rows;
}

Failure check_targets_of(const ExportOnnxFlags& flags) {
  CommandFiles files;
  add_what_is_read(flags.solve, files);
  files.reads("--checkpoint", flags.checkpoint);
  files.writes("--out", flags.out);
  files.allow("--model", "--out");  // the same network, with other values
  return files.check();
}

Result<ExportOnnxFlags> read_onnx_flags(const std::vector<std::string>& arguments) {
  ExportOnnxFlags flags;
  flags.solve.request.batch_size = kExampleBatchSize;
  const Result<std::vector<std::string>> rest =
      parse_options("export", export_onnx_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (!rest->empty())
    return bad_input(fmt::format("poet export onnx takes only options, found '{}'", rest->front()));
  if (flags.solve.request.model.empty())
    return bad_input(
        "poet export onnx needs --model NAME ('poet models' lists them) or --model FILE.onnx");
  if (!flags.out) return bad_input("poet export onnx needs --out FILE.onnx");
  if (Failure failure = check_targets_of(flags)) return *failure;
  return flags;
}

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

std::vector<OptionRow> export_onnx_option_rows(ExportOnnxFlags& flags) {
  std::vector<OptionRow> rows = rows_of_the_network(flags.solve);
  rows.push_back({.names = "--checkpoint",
                  .value = "FILE",
                  .group = kWhat,
                  .help = "what 'poet train' wrote; default: the network's initial values",
                  .completes = Completes::Files,
                  .read = keep_as_text(flags.checkpoint)});
  rows.push_back({.names = "--out",
                  .value = "FILE",
                  .group = kWhat,
                  .help = "the ONNX file; an ONNX model may be replaced by itself",
                  .completes = Completes::Files,
                  .read = keep_as_text(flags.out)});
  rows.push_back({.names = "--merge",
                  .group = kWhat,
                  .help = "write W + alpha / rank B A in the place of each weight that there are "
                          "adapters beside; without, these are products of their own in the file",
                  .read = keep_as_switch(flags.merges)});
  rows.push_back({.names = "--allow-non-finite",
                  .group = kWhat,
                  .help = kAllowPublishedHelp,
                  .read = keep_as_switch(flags.allows_non_finite)});
  rows.push_back({.names = "--seed",
                  .value = "N",
                  .group = kWhat,
                  .help = "of initial values, where there is no checkpoint; default 1",
                  .read = [&flags](const std::string& text) {
                    return keep_value(read_whole(text, 0), flags.solve.request.network.seed);
                  }});
  return rows;
}

int run_export_onnx(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<ExportOnnxFlags> flags = read_onnx_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  const Result<OnnxFileReport> report = export_onnx_file(
      {.plan = flags->solve.request,
       .checkpoint_path = flags->checkpoint,
       .out_path = *flags->out,
       .adapters = flags->merges ? WrittenAdapters::Merged : WrittenAdapters::Beside,
       .non_finite = flags->allows_non_finite ? NonFinite::Taken : NonFinite::Refused});
  if (!report.ok()) return refuse(report.error(), output);
  for (const std::string& note : report->notes) warn(note);
  if (output == Output::Json)
    return print_json({{"format", "poet-onnx-export"},
                       {"version", 1},
                       {"parameters", report->parameters},
                       {"checkpoint_step", report->checkpoint_step},
                       {"files", {*flags->out}}},
                      kExitFound);
  return print_text(
      fmt::format("{} parameters{}\n\n  wrote {}\n", grouped_digits(report->parameters),
                  report->checkpoint_step > 0
                      ? fmt::format(", as of step {}", report->checkpoint_step)
                      : ", as the network begins",
                  *flags->out),
      kExitFound);
}

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
