#include "poet/parts/cut_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "poet/autodiff/training_graph.h"
#include "poet/model/real_networks.h"

namespace poet {
namespace {

constexpr std::int64_t kManyParts = 100'000;

Graph graph_of(std::string_view network, NetworkOptions sizes) {
  const Result<Model> model = real_network(network, sizes);
  EXPECT_TRUE(model.ok());
  return training_graph(*model, {.updates = Updates::Separate})->graph;
}

std::vector<std::int64_t> blocks_of(const ClassCuts& cuts) {
  std::vector<std::int64_t> blocks;
  for (const CutClass& cut : cuts.classes) blocks.push_back(cut.block);
  return blocks;
}

std::int64_t largest_of(const Grids& grids, const Graph& graph) {
  std::int64_t largest = 0;
  for (std::size_t v = 0; v < graph.operations.size(); ++v)
    largest = std::max(largest, largest_part_bytes(grids, graph, static_cast<std::int32_t>(v)));
  return largest;
}

double part_count_of(const Grids& grids) {
  double count = 0;
  for (std::size_t v = 0; v < grids.of_operations.size(); ++v)
    count += part_count(grids, static_cast<std::int32_t>(v));
  return count;
}

TEST(WaysToCut, AreDifferentAndAllReachTheSize) {
  const Graph graph = graph_of("bert-tiny", {.sequence_length = 64});
  const Grids uncut = uncut_grids(graph);
  const std::int64_t most_bytes = 200'000;
  ASSERT_GT(largest_of(uncut, graph), most_bytes);
  const Result<std::vector<ClassCuts>> ways = ways_to_cut(uncut, graph, most_bytes, kManyParts);
  ASSERT_TRUE(ways.ok());
  EXPECT_GT(ways->size(), 1U);
  std::set<std::vector<std::int64_t>> different;
  for (const ClassCuts& cuts : *ways) {
    Grids grids = uncut;
    grids.cuts = cuts;
    EXPECT_LE(largest_of(grids, graph), most_bytes);
    EXPECT_LE(part_count_of(grids), kManyParts);
    EXPECT_TRUE(different.insert(blocks_of(cuts)).second);
    for (std::size_t k = 0; k < cuts.classes.size(); ++k)
      EXPECT_EQ(cuts.reasons[k].has_value(), cuts.classes[k].block < cuts.classes[k].extent);
  }
}

TEST(WaysToCut, AreOneWhereNothingNeedsMore) {
  const Graph graph = graph_of("lenet5", {});
  const Grids uncut = uncut_grids(graph);
  const std::int64_t largest = largest_of(uncut, graph);
  const Result<std::vector<ClassCuts>> enough = ways_to_cut(uncut, graph, largest, kManyParts);
  ASSERT_TRUE(enough.ok());
  ASSERT_EQ(enough->size(), 1U);
  EXPECT_EQ(blocks_of(enough->front()), blocks_of(uncut.cuts));
  const Result<std::vector<ClassCuts>> less = ways_to_cut(uncut, graph, largest - 1, kManyParts);
  ASSERT_TRUE(less.ok());
  for (const ClassCuts& cuts : *less) {
    Grids grids = uncut;
    grids.cuts = cuts;
    EXPECT_LT(largest_of(grids, graph), largest);
  }
}

TEST(WaysToCut, NameTheOperationThatCannotBeCut) {
  const Graph graph = graph_of("lenet5", {});
  const Result<std::vector<ClassCuts>> none = ways_to_cut(uncut_grids(graph), graph, 8, kManyParts);
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("cannot be cut into parts of 8 bytes"), std::string::npos);
  const Result<std::vector<ClassCuts>> few = ways_to_cut(uncut_grids(graph), graph, 4'096, 10);
  ASSERT_FALSE(few.ok());
  EXPECT_NE(few.error().message.find("would be more than 10 operations"), std::string::npos);
}

}  // namespace
}  // namespace poet
