#include "apps/cli/generate_command.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/search_command.h"
#include "apps/cli/solve_flags.h"
#include "poet/base/text_file.h"
#include "poet/model/generated_networks.h"
#include "poet/problem/costed_graph_json.h"
#include "poet/tell/inspect.h"

namespace poet::cli {
namespace {

constexpr const char* kGroup = "Options";

Result<GenerateFlags> read_generate_flags(const std::vector<std::string>& arguments) {
  GenerateFlags flags;
  const Result<std::vector<std::string>> rest =
      parse_options("generate", generate_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (rest->empty()) return bad_input("poet generate needs a kind of network, such as transformer");
  if (rest->size() > 1)
    return bad_input(fmt::format("poet generate takes one kind of network, found '{}' after '{}'",
                                 (*rest)[1], (*rest)[0]));
  if (!flags.out_path) return bad_input("poet generate needs --out FILE");
  flags.request.kind = rest->front();
  return flags;
}

}  // namespace

std::vector<std::string> generated_kinds() {
  std::vector<std::string> kinds;
  for (const GeneratedNetwork& row : generated_network_table()) kinds.emplace_back(row.name);
  return kinds;
}

std::vector<OptionRow> generate_option_rows(GenerateFlags& flags) {
  return {
      {.names = "--operations",
       .value = "N",
       .group = kGroup,
       .help = "about how many operations the training step has; default 1000",
       .read =
           [&flags](const std::string& text) {
             const Result<std::int64_t> count = read_whole(text, 1);
             if (!count.ok()) return Failure(count.error());
             flags.request.operations = *count;
             return Failure();
           }},
      {.names = "--seed",
       .value = "N",
       .group = kGroup,
       .help = "chooses among shapes and depths; default 1",
       .read =
           [&flags](const std::string& text) {
             const Result<std::int64_t> seed = read_whole(text, 0);
             if (!seed.ok()) return Failure(seed.error());
             flags.request.seed = static_cast<std::uint64_t>(*seed);
             return Failure();
           }},
      {.names = "--platform",
       .value = "NAME|FILE",
       .group = kGroup,
       .help = "the device whose costs the graph gets; default m4",
       .words = platform_names(),
       .completes = Completes::Files,
       .read =
           [&flags](const std::string& text) {
             flags.request.platform = text;
             return Failure();
           }},
      {.names = "--out",
       .value = "FILE",
       .group = kGroup,
       .help = "where to write the graph, as JSON",
       .completes = Completes::Files,
       .read =
           [&flags](const std::string& text) {
             flags.out_path = text;
             return Failure();
           }},
      {.names = "--json",
       .group = kGroup,
       .help = "print JSON instead of text",
       .read =
           [&flags](const std::string&) {
             flags.output = Output::Json;
             return Failure();
           }},
  };
}

int run_generate(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<GenerateFlags> flags = read_generate_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  CommandFiles files;
  add_platform(flags->request.platform, files);
  files.writes("--out", flags->out_path);
  if (const Failure failure = files.check()) return refuse(*failure, output);
  const Result<CostedGraph> graph = generate_graph(flags->request);
  if (!graph.ok()) return refuse(graph.error(), output);
  if (const Failure failure = write_text_file(*flags->out_path, costed_graph_text(*graph)))
    return refuse(*failure, output);

  Description facts = describe_graph(problem_of(*graph));
  facts.json["model"] = graph->name;
  facts.json["source"] = graph->source;
  facts.json["files"] = {*flags->out_path};
  if (output == Output::Json) return print_json(facts.json, kExitFound);
  return print_text(
      fmt::format("{}\n\n{}\n  wrote {}\n", graph->name, facts.text, *flags->out_path), kExitFound);
}

}  // namespace poet::cli
