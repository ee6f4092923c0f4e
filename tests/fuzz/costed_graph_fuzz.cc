// Whatever the bytes, a costed graph is read or refused in one line. What is read is a well-formed
// problem, reads back equal from its own text, and keeping everything is a valid schedule for it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "poet/base/check.h"
#include "poet/problem/costed_graph_json.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<CostedGraph> graph = parse_costed_graph(text, "fuzz.json");
  if (!graph.ok()) {
    const std::string message = to_string(graph.error());
    POET_CHECK(message.starts_with("fuzz.json:") && message.find('\n') == std::string::npos);
    return 0;
  }
  const Result<CostedGraph> back = parse_costed_graph(costed_graph_text(*graph), "fuzz.json");
  POET_CHECK(back.ok() && *back == *graph);
  Problem problem = problem_of(*graph);
  POET_CHECK(!check_problem(problem));
  problem.ram_budget_bytes = plain_peak_bytes(problem);
  const Replay replayed = replay(problem, plain_schedule(problem));
  POET_CHECK(replayed.valid());
  POET_CHECK(replayed.peak_ram_bytes == problem.ram_budget_bytes);
  return 0;
}
