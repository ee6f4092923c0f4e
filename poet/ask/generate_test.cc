#include "poet/ask/generate.h"

#include <gtest/gtest.h>

#include "poet/device/boards.h"
#include "poet/problem/costed_graph_json.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

std::string error_of(const GenerateRequest& request) {
  const Result<CostedGraph> graph = generate_graph(request);
  return graph.ok() ? "no error" : to_string(graph.error());
}

TEST(GenerateGraph, GivesItsArgumentsAsNameAndSource) {
  const CostedGraph graph =
      generate_graph({.kind = "unet", .operations = 300, .seed = 7, .platform = "a72"}).value();
  EXPECT_EQ(graph.name, "unet_300_seed7");
  EXPECT_EQ(graph.source, "poet generate unet --operations 300 --seed 7 --platform a72");
}

TEST(GenerateGraph, CostsWhatTheDeviceCosts) {
  const CostedGraph graph = generate_graph({.kind = "resnet", .operations = 100}).value();
  const Device device = load_device("m4").value();
  EXPECT_TRUE(graph.has_energies && graph.has_storage && graph.has_transfer_times);
  const CostedNode& picture = graph.nodes[0];
  EXPECT_EQ(picture.name, "picture");
  EXPECT_EQ(picture.output_bytes, 3 * 64 * 64 * 4);
  EXPECT_EQ(picture.duration_s, transfer_s(device.storage.read, picture.output_bytes));
  EXPECT_EQ(picture.compute_j, transfer_j(device.storage.read, picture.output_bytes));
  const CostedNode& stem = graph.nodes[1];
  EXPECT_EQ(stem.inputs, std::vector<OperationId>{OperationId{0}});
  EXPECT_EQ(stem.output_bytes, 16 * 64 * 64 * 4);
  const double flop = 2 * 3 * 3 * 3 * 16 * 64 * 64;
  EXPECT_EQ(stem.duration_s, flop / device.compute.flop_per_s);
  EXPECT_EQ(stem.compute_j, flop / device.compute.flop_per_j);
  EXPECT_EQ(stem.page_in_j, transfer_j(device.storage.read, stem.output_bytes));
  EXPECT_EQ(stem.page_out_j, transfer_j(device.storage.write, stem.output_bytes));
  EXPECT_EQ(stem.page_in_s, transfer_s(device.storage.read, stem.output_bytes));
  EXPECT_EQ(stem.page_out_s, transfer_s(device.storage.write, stem.output_bytes));
  EXPECT_FALSE(stem.backward);
  EXPECT_TRUE(graph.nodes.back().backward);
}

TEST(GenerateGraph, MakesAProblemWhosePeakIsTheStatedOne) {
  const CostedGraph graph = generate_graph({.kind = "transformer", .operations = 1'000}).value();
  const Problem problem = problem_of(graph);
  EXPECT_FALSE(check_problem(problem).has_value());
  EXPECT_EQ(plain_peak_bytes(problem), 98'353'152);
  EXPECT_EQ(largest_working_set(problem).bytes, 3'145'728);
  EXPECT_EQ(graph.stated_plain_peak_bytes, 98'353'152);
  EXPECT_EQ(graph.stated_working_set_bytes, 3'145'728);
}

TEST(GenerateGraph, GivesTheSameBytesForTheSameRequest) {
  const GenerateRequest request{.kind = "unet", .operations = 500, .seed = 3};
  const std::string text = costed_graph_text(generate_graph(request).value());
  EXPECT_EQ(text, costed_graph_text(generate_graph(request).value()));
  EXPECT_EQ(parse_costed_graph(text, "g.json").value(), generate_graph(request).value());
}

TEST(GenerateGraph, RefusesWhatItCannotMake) {
  EXPECT_EQ(error_of({.kind = "resnt"}), "unknown kind of network 'resnt'; did you mean 'resnet'?");
  EXPECT_EQ(error_of({.kind = "resnet", .platform = "m9"}),
            "unknown platform 'm9'; did you mean 'm0'?");
}

}  // namespace
}  // namespace poet
