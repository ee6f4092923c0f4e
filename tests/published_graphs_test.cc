// Published costed graphs (../shared/reference/graphs), where they are at hand: they are read as
// they are, and the memory that they need is what their authors say, computed here a second time.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "poet/base/text_file.h"
#include "poet/problem/costed_graph_json.h"
#include "poet/problem/facts.h"
#include "support/source_folder.h"

namespace poet {
namespace {

const std::string kFolder = testing::source_folder() + "/../shared/reference/graphs";

// The most that is alive at once, from the definition: at each node every earlier output that is
// still to be read, and the node's own.
std::int64_t most_alive_bytes(const CostedGraph& graph) {
  const std::size_t count = graph.nodes.size();
  std::vector<std::size_t> last(count);
  for (std::size_t v = 0; v < count; ++v) {
    last[v] = v;
    for (const OperationId input : graph.nodes[v].inputs) at(last, input) = v;
  }
  std::int64_t most_bytes = 0;
  for (std::size_t v = 0; v < count; ++v) {
    std::int64_t alive_bytes = 0;
    for (std::size_t u = 0; u <= v; ++u)
      if (last[u] >= v) alive_bytes += graph.nodes[u].output_bytes;
    most_bytes = std::max(most_bytes, alive_bytes);
  }
  return most_bytes;
}

class PublishedGraph : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Reference, PublishedGraph,
                         ::testing::Values("fcn8_vgg_b32", "mobilenet_b512", "random_layered_100",
                                           "random_layered_250", "random_layered_1000",
                                           "resnet50_b256", "vgg16_b256"));

TEST_P(PublishedGraph, NeedsTheMemoryThatItsAuthorsSay) {
  const std::string path = kFolder + "/" + GetParam() + ".json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the published graphs are not at hand";
  const Result<std::string> text = read_text_file(path);
  ASSERT_TRUE(text.ok()) << to_string(text.error());
  const Result<CostedGraph> graph = parse_costed_graph(*text, path);
  ASSERT_TRUE(graph.ok()) << to_string(graph.error());
  EXPECT_EQ(graph->name, GetParam());
  EXPECT_FALSE(graph->has_energies || graph->has_storage);
  const Problem problem = problem_of(*graph);
  EXPECT_FALSE(check_problem(problem).has_value());
  ASSERT_TRUE(graph->stated_plain_peak_bytes && graph->stated_working_set_bytes);
  EXPECT_EQ(plain_peak_bytes(problem), *graph->stated_plain_peak_bytes);
  EXPECT_EQ(plain_peak_bytes(problem), most_alive_bytes(*graph));
  EXPECT_EQ(largest_working_set(problem).bytes, *graph->stated_working_set_bytes);
  double sum_s = 0;
  for (const CostedNode& node : graph->nodes) sum_s += node.duration_s;
  EXPECT_EQ(unavoidable(problem).time_s, sum_s);
}

}  // namespace
}  // namespace poet
