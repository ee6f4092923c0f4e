#include "apps/cli/pack_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/progress_display.h"
#include "apps/cli/search_command.h"
#include "apps/cli/signals.h"
#include "poet/base/byte_text.h"
#include "poet/base/json_out.h"
#include "poet/base/text_file.h"
#include "poet/tell/pack_text.h"

namespace poet::cli {
namespace {

constexpr const char* kGroup = "Options";

template <typename T, typename U>
Failure keep(const Result<T>& read, U& into) {
  if (!read.ok()) return read.error();
  into = static_cast<U>(*read);
  return std::nullopt;
}

std::function<Failure(const std::string&)> switch_on(bool& flag) {
  return [&flag](const std::string&) {
    flag = true;
    return Failure();
  };
}

Result<PackFlags> read_pack_flags(const std::vector<std::string>& arguments) {
  PackFlags flags;
  const Result<std::vector<std::string>> rest =
      parse_options("pack", pack_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (rest->empty())
    return bad_input("poet pack needs a table of buffers (FILE.csv) or a plan (FILE.json)");
  if (rest->size() > 1)
    return bad_input(
        fmt::format("poet pack takes one file, found '{}' after '{}'", (*rest)[1], (*rest)[0]));
  flags.request.path = rest->front();
  if (flags.out_path)
    if (const Failure failure = check_file_target("--out", *flags.out_path)) return *failure;
  return flags;
}

ProgressStyle style_of(const PackFlags& flags) {
  if (flags.quiet) return ProgressStyle::None;
  return isatty(STDERR_FILENO) != 0 ? ProgressStyle::Terminal : ProgressStyle::Lines;
}

Result<PackAnswer> search(const PackFlags& flags) {
  InterruptWatch interrupts;
  const Stop stop = {interrupts.token(), new_clock(), flags.time_limit_s};
  ProgressDisplay display(
      {.style = style_of(flags), .elapsed_s = stop.elapsed_s, .limit_s = flags.time_limit_s});
  display.update({.phase = "preparing", .search_unit = "B"});
  return pack_file(flags.request, stop, [&display](const PackProgress& now) {
    display.update({.phase = "packing",
                    .incumbent = static_cast<double>(now.height),
                    .bound = static_cast<double>(now.lower_bound),
                    .nodes = now.nodes});
  });
}

}  // namespace

std::vector<OptionRow> pack_option_rows(PackFlags& flags) {
  PackRequest& request = flags.request;
  return {
      {.names = "--capacity",
       .value = "SIZE",
       .group = kGroup,
       .help = "stop at a packing into so many bytes (1048576, 1MiB); default: the lowest",
       .read =
           [&request](const std::string& text) {
             return keep(parse_bytes(text), request.capacity_bytes);
           }},
      {.names = "--alignment",
       .value = "N",
       .group = kGroup,
       .help = "every offset is a multiple of this power of two; default 1",
       .read =
           [&request](const std::string& text) {
             return keep(read_whole(text, 1, kLargestAlignmentBytes), request.alignment_bytes);
           }},
      {.names = "--out",
       .value = "FILE",
       .group = kGroup,
       .help = "where to write the table with a column 'offset', or the plan with its layout",
       .completes = Completes::Files,
       .read =
           [&flags](const std::string& text) {
             flags.out_path = text;
             return Failure();
           }},
      {.names = "--time-limit-s",
       .value = "SECONDS",
       .group = kGroup,
       .help = "when to stop with the best packing so far; default 60",
       .read =
           [&flags](const std::string& text) {
             return keep(read_number(text, Zero::Refused), flags.time_limit_s);
           }},
      {.names = "--max-nodes",
       .value = "N",
       .group = kGroup,
       .help = "search nodes after which to stop: a limit that is the same on every machine; "
               "default 20000000",
       .read =
           [&request](const std::string& text) {
             return keep(read_whole(text, 0), request.max_nodes);
           }},
      {.names = "--seed",
       .value = "N",
       .group = kGroup,
       .help = "of what the search tries at random; default 1",
       .read =
           [&request](const std::string& text) { return keep(read_whole(text, 0), request.seed); }},
      {.names = "--json",
       .group = kGroup,
       .help = "print JSON instead of text",
       .read =
           [&flags](const std::string&) {
             flags.output = Output::Json;
             return Failure();
           }},
      {.names = "--quiet",
       .group = kGroup,
       .help = "show no progress",
       .read = switch_on(flags.quiet)},
  };
}

int run_pack(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  Result<PackFlags> flags = read_pack_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  // Before a search hears Ctrl-C: a pipe may have nothing for a long time.
  Result<std::string> read = read_text_file(flags->request.path);
  if (!read.ok()) return refuse(read.error(), output);
  flags->request.text = *std::move(read);
  const Result<PackAnswer> answer = search(*flags);
  if (!answer.ok()) return refuse(answer.error(), output);
  for (const std::string& warning : answer->warnings) warn(warning);
  if (flags->out_path)
    if (const Failure failure = write_text_file(*flags->out_path, answer->packed_text))
      return refuse(*failure, output);

  const int code = answer->fits() ? kExitFound : kExitNo;
  JsonOut json = pack_to_json(*answer);
  json["files"] = JsonOut::array();
  std::string text = pack_text(*answer);
  if (flags->out_path) {
    json["files"].push_back(*flags->out_path);
    text += fmt::format("\n  wrote {}\n", *flags->out_path);
  }
  return output == Output::Json ? print_json(json, code) : print_text(text, code);
}

}  // namespace poet::cli
