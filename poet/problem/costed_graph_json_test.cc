#include "poet/problem/costed_graph_json.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

// The form in which graphs are published: a -> b -> c, and a -> c.
constexpr const char* kPublished =
    R"({"name": "three", "source": "measured", "nodes": 3, "edges": [[0, 1], [0, 2], [1, 2]],
 "duration": [1, 2.5, 0], "output_bytes": [10, 20, 40],
 "peak_without_recomputation_bytes": 70, "largest_working_set_bytes": 70, "backward": null})";

CostedGraph published() {
  return {
      .name = "three",
      .source = "measured",
      .nodes = {{.name = "op_0", .output_bytes = 10, .duration_s = 1},
                {.name = "op_1", .inputs = {OperationId{0}}, .output_bytes = 20, .duration_s = 2.5},
                {.name = "op_2", .inputs = {OperationId{0}, OperationId{1}}, .output_bytes = 40}},
      .stated_plain_peak_bytes = 70,
      .stated_working_set_bytes = 70};
}

CostedGraph everything() {
  CostedGraph graph = published();
  graph.has_energies = graph.has_storage = graph.has_transfer_times = true;
  graph.nodes[0].name = "é";
  graph.nodes[1].compute_j = 0.1;
  graph.nodes[1].page_in_j = 0.2;
  graph.nodes[1].page_out_j = 0.3;
  graph.nodes[2].page_in_s = 1e-60;
  graph.nodes[2].page_out_s = 7;
  graph.nodes[2].backward = true;
  return graph;
}

// The error for the published graph with one piece of its text replaced.
std::string error_with(const std::string& piece, const std::string& other) {
  std::string text = kPublished;
  const std::size_t begin = text.find(piece);
  EXPECT_NE(begin, std::string::npos) << piece;
  text.replace(begin, piece.size(), other);
  const Result<CostedGraph> graph = parse_costed_graph(text, "g.json");
  return graph.ok() ? "no error" : to_string(graph.error());
}

// The same with a field more, at the start of a line.
std::string error_of_field(const std::string& field) {
  return error_with("\"name\"", "\n" + field + ", \"name\"");
}

TEST(ParseCostedGraph, ReadsThePublishedForm) {
  const Result<CostedGraph> graph = parse_costed_graph(kPublished, "g.json");
  ASSERT_TRUE(graph.ok()) << to_string(graph.error());
  EXPECT_EQ(*graph, published());
}

TEST(ParseCostedGraph, ReadsBackWhatWasWritten) {
  const Result<CostedGraph> graph = parse_costed_graph(costed_graph_text(everything()), "g.json");
  ASSERT_TRUE(graph.ok()) << to_string(graph.error());
  EXPECT_EQ(*graph, everything());
}

TEST(CostedGraphText, NamesItsFormatAndLeavesOutWhatIsNotKnown) {
  EXPECT_EQ(costed_graph_text(published()), R"({
  "format": "poet-costed-graph",
  "version": 1,
  "name": "three",
  "source": "measured",
  "nodes": 3,
  "names": ["op_0", "op_1", "op_2"],
  "edges": [[0, 1], [0, 2], [1, 2]],
  "duration": [1.0, 2.5, 0.0],
  "output_bytes": [10, 20, 40],
  "backward": [false, false, false],
  "peak_without_recomputation_bytes": 70,
  "largest_working_set_bytes": 70
}
)");
}

TEST(ParseCostedGraph, RefusesAnotherFormat) {
  EXPECT_EQ(error_of_field(R"("format": "poet-costed-graph", "version": 1)"), "no error");
  EXPECT_EQ(error_of_field(R"("format": "poet-problem", "version": 1)"),
            "g.json:2:11: 'format' must be \"poet-costed-graph\", found \"poet-problem\"");
  EXPECT_EQ(error_of_field(R"("format": "poet-costed-graph", "version": 2)"),
            "g.json:2:43: version 2 of poet-costed-graph is not known here; version 1 is");
  EXPECT_EQ(error_of_field(R"("version": 1)"), "g.json:1:1: a costed graph must have 'format'");
}

TEST(ParseCostedGraph, RefusesWhatIsNoGraph) {
  EXPECT_EQ(to_string(parse_costed_graph("[]", "g.json").error()),
            "g.json:1:1: a costed graph must be an object, found a list");
  EXPECT_EQ(to_string(parse_costed_graph(R"({"name": "x")", "g.json").error()),
            "g.json:1:13: not valid JSON: it is cut off; expected '}'");
  EXPECT_EQ(to_string(parse_costed_graph("{}", "g.json").error()),
            "g.json:1:1: a costed graph must have 'name'");
  EXPECT_EQ(error_with("\"name\": \"three\"", "\"name\": \"\""),
            "g.json:1:10: the name of a graph must not be empty");
  EXPECT_EQ(error_of_field(R"("nodes": 4)"),
            "g.json:2:52: 'nodes' stands here twice (first in line 2)");
  EXPECT_EQ(error_of_field(R"("durations": [])"),
            "g.json:2:1: a costed graph has no field 'durations'; did you mean 'duration'?");
}

TEST(ParseCostedGraph, RefusesListsOfAnotherLength) {
  EXPECT_EQ(error_with("\"nodes\": 3", "\"nodes\": 0"),
            "g.json:1:50: 'nodes' must be a whole number from 1 to 2147483647, found 0");
  EXPECT_EQ(error_with("\"nodes\": 3", "\"nodes\": 2147483647"),
            "g.json:2:14: 'duration' must have 2147483647 items, one for each node, found 3");
  EXPECT_EQ(error_with("[10, 20, 40]", "[10, 20]"),
            "g.json:2:43: 'output_bytes' must have 3 items, one for each node, found 2");
  EXPECT_EQ(error_with("null", "[true]"),
            "g.json:3:87: 'backward' must have 3 items, one for each node, found 1");
  EXPECT_EQ(error_of_field(R"("names": ["a", "b", "c", "d"])"),
            "g.json:2:10: 'names' must have 3 items, one for each node, found 4");
}

// What follows a first fault is read on: a list that is too long must not be written past its end.
TEST(ParseCostedGraph, ReadsNoListOfAnotherLengthAfterAFault) {
  const Result<CostedGraph> graph = parse_costed_graph(
      R"({"name": "one", "nodes": 1, "edges": [], "duration": [18], "backward": [false, true]})",
      "g.json");
  ASSERT_FALSE(graph.ok());
  EXPECT_NE(to_string(graph.error()).find("'output_bytes'"), std::string::npos);
}

TEST(ParseCostedGraph, RefusesFiguresThatAreNone) {
  EXPECT_EQ(error_with("2.5", "-2.5"),
            "g.json:2:18: 'duration' must be a number of at least 0, found -2.5");
  EXPECT_EQ(error_with("2.5", "1e999"),
            "g.json:2:18: 'duration': '1e999' is too large; the largest number is about 1.8e308");
  EXPECT_EQ(error_with("2.5", "1e300"),
            "g.json:2:18: 'duration' must be 0 or from 1e-60 to 1e+60, found 1e+300");
  EXPECT_EQ(error_with("2.5", "1e-323"),
            "g.json:2:18: 'duration' must be 0 or from 1e-60 to 1e+60, found 1e-323");
  EXPECT_EQ(error_with("20,", "-20,"),
            "g.json:2:48: 'output_bytes' must be a whole number from 0 to 2^62, found -20");
  EXPECT_EQ(error_with("20,", "9223372036854775808,"),
            "g.json:2:48: 'output_bytes': '9223372036854775808' does not fit in 63 bits; the "
            "largest whole number is 9223372036854775807");
  EXPECT_EQ(
      error_with("20,", "4611686018427387900,"),
      "g.json:2:43: 'output_bytes' adds up to more than 2^53 bytes, above which doubles skip some");
  EXPECT_EQ(
      error_with("[10, 20, 40]", "[4611686018427387904, 4611686018427387904, 4611686018427387904]"),
      "g.json:2:43: 'output_bytes' adds up to more than 2^53 bytes, above which doubles skip some");
  EXPECT_EQ(error_of_field(R"("names": ["a", 1, "c"])"),
            "g.json:2:16: 'names' must be a text, found 1");
  EXPECT_EQ(error_with("null", "[1, true, true]"),
            "g.json:3:88: 'backward' must be true or false, found 1");
  EXPECT_EQ(error_with("recomputation_bytes\": 70", "recomputation_bytes\": -1"),
            "g.json:3:38: 'peak_without_recomputation_bytes' must be a whole number from 0 to "
            "2^62, found -1");
}

TEST(ParseCostedGraph, RefusesEdgesThatJoinNoNodes) {
  EXPECT_EQ(error_with("[0, 2]", "[0, 3]"),
            "g.json:1:75: an edge must join two nodes from 0 to 2, found 3");
  EXPECT_EQ(error_with("[0, 2]", "[-1, 2]"),
            "g.json:1:72: an edge must join two nodes from 0 to 2, found -1");
  EXPECT_EQ(error_with("[0, 2]", "[0, \"b\"]"),
            "g.json:1:75: an edge must join two nodes from 0 to 2, found \"b\"");
  EXPECT_EQ(error_with("[0, 2]", "[0]"),
            "g.json:1:71: an edge must be a list of two nodes, found a list of 1");
  EXPECT_EQ(error_with("[0, 2]", "2"), "g.json:1:71: an edge must be a list of two nodes, found 2");
  EXPECT_EQ(error_with("[1, 2]", "[0, 1]"), "g.json:1:79: edge [0, 1] stands here twice");
}

TEST(ParseCostedGraph, RefusesEdgesAgainstTheOrder) {
  EXPECT_EQ(error_with("[0, 2], [1, 2]", "[2, 1]"),
            "g.json:1:71: edge [2, 1] leads backwards: a node must stand after those that it "
            "reads");
  EXPECT_EQ(error_with("[0, 2], [1, 2]", "[1, 2], [2, 0]"),
            "g.json:1:79: edge [2, 0] closes a circle: no order computes each node before it is "
            "read");
  EXPECT_EQ(error_with("[0, 2]", "[1, 1]"),
            "g.json:1:71: edge [1, 1] closes a circle: no order computes each node before it is "
            "read");
}

TEST(ParseCostedGraph, RefusesHalfOfAPair) {
  EXPECT_EQ(error_of_field(R"("page_out_j": [1, 1, 1])"),
            "g.json:2:15: 'page_out_j' needs 'page_in_j' beside it");
  EXPECT_EQ(error_of_field(R"("page_in_s": [1, 1, 1])"),
            "g.json:2:14: 'page_in_s' needs 'page_out_s' beside it");
  EXPECT_EQ(error_of_field(R"("page_in_s": [1, 1, 1], "page_out_s": [1, 1, 1])"),
            "g.json:2:14: 'page_in_s' needs 'page_in_j' and 'page_out_j' beside it");
}

}  // namespace
}  // namespace poet
