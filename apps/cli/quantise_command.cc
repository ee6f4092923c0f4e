#include "apps/cli/quantise_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "poet/ask/option_reads.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/number_text.h"
#include "poet/graph/tensor_type.h"
#include "poet/model/published_weights.h"
#include "poet/tell/text_table.h"

namespace poet::cli {
namespace {

constexpr const char* kQuantiseGroup = "Options";

Failure check_blocks(const WeightBlocks& blocks) {
  if (are_known(blocks)) return std::nullopt;
  return bad_input(fmt::format("--block: a block has a power of two from {} to {} values, not {}",
                               kLeastInBlock, kMostInBlock, blocks.values));
}

Result<QuantiseFlags> read_quantise_flags(const std::vector<std::string>& arguments) {
  QuantiseFlags flags;
  const Result<std::vector<std::string>> rest =
      parse_options("quantise", quantise_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (rest->empty())
    return bad_input("poet quantise needs weights: FILE.safetensors, or a folder that has them");
  if (rest->size() > 1)
    return bad_input(fmt::format("poet quantise takes one file or folder, found '{}' after '{}'",
                                 (*rest)[1], (*rest)[0]));
  if (!flags.out_path || !names_safetensors_file(*flags.out_path))
    return bad_input("poet quantise needs --out FILE.safetensors");
  if (!flags.bits) return bad_input("poet quantise needs --bits 4 or --bits 8");
  flags.request.weights_path = rest->front();
  flags.request.out_path = *flags.out_path;
  flags.request.blocks.bits = *flags.bits;
  if (Failure failure = check_blocks(flags.request.blocks)) return *failure;
  CommandFiles files;
  files.reads("the weights", rest->front());
  files.writes("--out", flags.out_path);
  if (Failure failure = files.check()) return *failure;
  return flags;
}

struct Totals {
  std::int64_t bytes_before = 0;
  std::int64_t bytes_after = 0;
};

Totals totals_of(const QuantiseReport& report) {
  Totals totals{report.kept_bytes, report.kept_bytes};
  for (const QuantisedTensor& tensor : report.tensors) {
    totals.bytes_before += tensor.bytes_before;
    totals.bytes_after += tensor.bytes_after;
  }
  return totals;
}

std::string report_text(const QuantiseReport& report, const QuantiseFlags& flags) {
  TextTable table{.columns = {{"tensor", Align::Left},
                              {"shape", Align::Left},
                              {"before, B"},
                              {"after, B"},
                              {"largest error"},
                              {"mean square error"},
                              {"of mean square"}},
                  .rows = {}};
  for (const QuantisedTensor& tensor : report.tensors)
    table.rows.push_back({one_line(tensor.name), to_text(tensor.shape),
                          grouped_digits(tensor.bytes_before), grouped_digits(tensor.bytes_after),
                          fmt::format("{:.3g}", tensor.largest_error),
                          fmt::format("{:.3g}", tensor.mean_square_error),
                          tensor.mean_square > 0
                              ? fmt::format("{:.3g}", tensor.mean_square_error / tensor.mean_square)
                              : "-"});
  const Totals totals = totals_of(report);
  // A row that is shorter than a block takes a whole one.
  const char* const none_saved =
      totals.bytes_after >= totals.bytes_before ? ", so nothing is saved" : "";
  return fmt::format("{}\n  {} as before, {} bytes; {} bytes become {}{}\n  wrote {}\n",
                     to_text(table), counted(report.kept_tensors, "tensor"),
                     grouped_digits(report.kept_bytes), grouped_digits(totals.bytes_before),
                     grouped_digits(totals.bytes_after), none_saved, flags.request.out_path);
}

JsonOut report_json(const QuantiseReport& report, const QuantiseFlags& flags) {
  JsonOut tensors = JsonOut::array();
  for (const QuantisedTensor& tensor : report.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"shape", tensor.shape},
                       {"bytes_before", tensor.bytes_before},
                       {"bytes_after", tensor.bytes_after},
                       {"largest_error", tensor.largest_error},
                       {"mean_square_error", tensor.mean_square_error},
                       {"mean_square", tensor.mean_square}});
  const Totals totals = totals_of(report);
  return {{"format", "poet-quantise"},
          {"version", 1},
          {"bits", flags.request.blocks.bits},
          {"block", flags.request.blocks.values},
          {"tensors", tensors},
          {"kept_tensors", report.kept_tensors},
          {"bytes_before", totals.bytes_before},
          {"bytes_after", totals.bytes_after},
          {"files", {flags.request.out_path}}};
}

}  // namespace

std::vector<OptionRow> quantise_option_rows(QuantiseFlags& flags) {
  static constexpr Named<std::int64_t> kBits[] = {{"4", 4}, {"8", 8}};
  return {
      {.names = "--out",
       .value = "FILE",
       .group = kQuantiseGroup,
       .help = "where the weights are written, for --weights: NAME.safetensors",
       .completes = Completes::Files,
       .read =
           [&flags](const std::string& text) {
             flags.out_path = text;
             return Failure();
           }},
      {.names = "--bits",
       .value = "N",
       .group = kQuantiseGroup,
       .help = "of each number, 4 or 8; beside them a block has a scale of 16 bits",
       .words = {"4", "8"},
       .only_words = true,
       .read = keep_as_choice(kBits, flags.bits)},
      {.names = "--block",
       .value = "N",
       .group = kQuantiseGroup,
       .help = "values that share a scale: a power of two from 8 to 1024; default 32",
       .read =
           [&flags](const std::string& text) {
             return keep_value(read_whole(text, 1), flags.request.blocks.values);
           }},
      {.names = "--tensors",
       .value = "CHOICE",
       .group = kQuantiseGroup,
       .help = "which of those of two dimensions or more: all, or regex:PATTERN for those in whose "
               "names a regular expression is found; default all",
       .words = {"all", "regex:"},
       .read = keep_as_text(flags.request.tensors)},
      {.names = "--json",
       .group = kQuantiseGroup,
       .help = "print JSON instead of text",
       .read =
           [&flags](const std::string&) {
             flags.output = Output::Json;
             return Failure();
           }},
  };
}

int run_quantise(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<QuantiseFlags> flags = read_quantise_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  const Result<QuantiseReport> report = quantise_weights(flags->request);
  if (!report.ok()) return refuse(report.error(), output);
  if (output == Output::Json) return print_json(report_json(*report, *flags), kExitFound);
  return print_text(report_text(*report, *flags), kExitFound);
}

}  // namespace poet::cli
