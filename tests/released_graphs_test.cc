// The released networks against what the released POET code computes: every figure where its output
// is at hand
// (../shared/reference/released_graphs.json), and everywhere the sums of these figures
// (tests/data/released_digest.json).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "poet/base/json.h"
#include "poet/base/text_file.h"
#include "poet/cost/formula_costs.h"
#include "poet/device/boards.h"
#include "poet/model/released_networks.h"
#include "poet/problem/facts.h"
#include "support/source_folder.h"

namespace poet {
namespace {

constexpr double kTolerance = 1e-12;  // relative
const std::string kDigestFile = poet::testing::source_folder() + "/tests/data/released_digest.json";
const std::string kReferenceFile =
    poet::testing::source_folder() + "/../shared/reference/released_graphs.json";
constexpr const char* kPlatforms[] = {"m0", "m4", "a72", "a72nocache"};

JsonValue parsed(const std::string& path, const std::string& text) {
  Result<JsonValue> value = parse_json(text, path);
  EXPECT_TRUE(value.ok()) << to_string(value.error());
  return value.ok() ? *std::move(value) : JsonValue{};
}

const JsonValue& member(const JsonValue& object, std::string_view key) {
  for (const JsonMember& row : std::get<JsonMembers>(object.data))
    if (row.key == key) return row.value;
  throw std::out_of_range(std::string(key));
}

double number(const JsonValue& value) {
  const std::int64_t* const whole = std::get_if<std::int64_t>(&value.data);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value.data);
}

std::vector<double> numbers(const JsonValue& value) {
  std::vector<double> list;
  for (const JsonValue& item : std::get<JsonList>(value.data)) list.push_back(number(item));
  return list;
}

using Edges = std::set<std::pair<std::int64_t, std::int64_t>>;

Edges edges_of(const Outline& graph) {
  Edges edges;
  for (std::size_t i = 0; i < graph.operations.size(); ++i)
    for (const TensorId input : graph.operations[i].inputs)
      edges.insert({index_of(input), static_cast<std::int64_t>(i)});
  return edges;
}

Edges edges_of(const JsonValue& list) {
  Edges edges;
  for (const JsonValue& edge : std::get<JsonList>(list.data)) {
    const JsonList& ends = std::get<JsonList>(edge.data);
    edges.insert(
        {std::get<std::int64_t>(ends.at(0).data), std::get<std::int64_t>(ends.at(1).data)});
  }
  return edges;
}

std::vector<double> output_bytes(const Outline& graph) {
  std::vector<double> sizes;
  for (const OutlineTensor& tensor : graph.tensors)
    sizes.push_back(static_cast<double>(size_bytes(tensor)));
  return sizes;
}

std::vector<double> parameter_bytes(const Outline& graph) {
  std::vector<double> sizes;
  for (const OutlineOperation& operation : graph.operations)
    sizes.push_back(static_cast<double>(operation.parameter_bytes));
  return sizes;
}

// By the names that the released code's figures have in both files.
std::map<std::string, std::vector<double>> figures(const Outline& graph,
                                                   const std::string& platform,
                                                   double memory_power_scale) {
  const Device device = load_device(platform).value();
  const CostTable costs = released_costs(graph, device, memory_power_scale).value();
  std::map<std::string, std::vector<double>> lists;
  for (const OperationCost& cost : costs.operations) {
    lists["compute_s"].push_back(cost.compute_s);
    lists["compute_j"].push_back(cost.compute_j);
  }
  for (const TensorCost& cost : costs.tensors) {
    lists["page_in_j"].push_back(cost.page_in_j);
    lists["page_out_j"].push_back(cost.page_out_j);
  }
  return lists;
}

void expect_near(double actual, double expected, const std::string& what) {
  EXPECT_LE(std::abs(actual - expected), kTolerance * std::abs(expected))
      << what << ": " << actual << " instead of " << expected;
}

void expect_all_near(const std::vector<double>& actual, const std::vector<double>& expected,
                     const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i)
    expect_near(actual[i], expected[i], what + " of operation " + std::to_string(i));
}

void expect_sums(const std::vector<double>& list, const JsonValue& sums, const std::string& what) {
  double sum = 0;
  double ordered = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    sum += list[i];
    ordered += static_cast<double>(i + 1) * list[i];
  }
  expect_near(sum, number(member(sums, "sum")), what + ", sum");
  expect_near(ordered, number(member(sums, "ordered")), what + ", ordered sum");
}

class EveryReleasedNetwork : public ::testing::TestWithParam<ReleasedNetwork> {
 protected:
  std::string name() const { return std::string(GetParam().name); }
  Outline graph() const { return released_graph(GetParam().name, 1).value(); }

  JsonValue digest() const {
    const JsonValue all = parsed(kDigestFile, read_text_file(kDigestFile).value());
    return member(member(all, "networks"), name());
  }
};

INSTANTIATE_TEST_SUITE_P(, EveryReleasedNetwork, ::testing::ValuesIn(released_network_table()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_P(EveryReleasedNetwork, HasTheOperationsOfTheDigest) {
  const Outline graph = this->graph();
  std::map<std::string, std::int64_t> kinds;
  for (const OutlineOperation& operation : graph.operations)
    ++kinds[std::string(entry_of(operation.kind).released_name)];
  std::map<std::string, std::int64_t> expected;
  const JsonValue digest = this->digest();
  for (const JsonMember& row : std::get<JsonMembers>(member(digest, "kinds").data))
    expected[row.key] = std::get<std::int64_t>(row.value.data);
  EXPECT_EQ(kinds, expected);
}

TEST_P(EveryReleasedNetwork, HasTheEdgesOfTheDigest) {
  const Edges edges = edges_of(graph());
  double ordered = 0;
  for (const auto& [from, to] : edges) ordered += static_cast<double>((from + 1) * (to + 1));
  const JsonValue digest = this->digest();
  EXPECT_EQ(static_cast<double>(edges.size()), number(member(digest, "edges")));
  EXPECT_EQ(ordered, number(member(digest, "ordered_edges")));
}

TEST_P(EveryReleasedNetwork, HasTheSizesOfTheDigest) {
  const JsonValue digest = this->digest();
  expect_sums(output_bytes(graph()), member(digest, "output_bytes"), "output_bytes");
  expect_sums(parameter_bytes(graph()), member(digest, "parameter_bytes"), "parameter_bytes");
}

TEST_P(EveryReleasedNetwork, CostsWhatTheDigestSays) {
  const JsonValue digest = this->digest();
  for (const char* platform : kPlatforms)
    for (const auto& [key, list] : figures(graph(), platform, 1))
      expect_sums(list, member(member(member(digest, "platforms"), platform), key),
                  std::string(platform) + " " + key);
}

TEST_P(EveryReleasedNetwork, EqualsWhatTheReleasedCodeComputes) {
  const Result<std::string> text = read_text_file(kReferenceFile);
  if (!text.ok()) GTEST_SKIP() << "the released figures are not at hand: " << kReferenceFile;
  const JsonValue all = parsed(kReferenceFile, *text);
  const JsonValue& reference = member(member(all, "models"), name());
  const Outline graph = this->graph();

  const JsonList& kinds = std::get<JsonList>(member(reference, "kinds").data);
  const JsonList& backward = std::get<JsonList>(member(reference, "backward").data);
  ASSERT_EQ(graph.operations.size(), kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const OutlineOperation& operation = graph.operations[i];
    EXPECT_EQ(entry_of(operation.kind).released_name, std::get<std::string>(kinds[i].data)) << i;
    EXPECT_EQ(operation.backward, std::get<bool>(backward[i].data)) << i;
  }
  EXPECT_EQ(edges_of(graph), edges_of(member(reference, "edges")));
  EXPECT_EQ(output_bytes(graph), numbers(member(reference, "output_bytes")));
  EXPECT_EQ(parameter_bytes(graph), numbers(member(reference, "parameter_bytes")));
  for (const char* platform : kPlatforms)
    for (const auto& [key, list] : figures(graph, platform, 1))
      expect_all_near(list, numbers(member(member(member(reference, "platforms"), platform), key)),
                      std::string(platform) + " " + key);
}

TEST_P(EveryReleasedNetwork, PaysForTransfersByTheMemoryPowerScale) {
  auto plain = figures(graph(), "m4", 1);
  auto scaled = figures(graph(), "m4", 2.5);
  for (const char* key : {"page_in_j", "page_out_j"})
    for (double& energy : plain[key]) energy *= 2.5;
  for (const auto& [key, list] : scaled) expect_all_near(list, plain[key], key);
}

// What the planner sees of a graph, without costs.
Problem sizes_of(const Outline& graph) {
  Problem problem;
  for (const OutlineOperation& operation : graph.operations)
    problem.operations.push_back(
        {.name = operation.name, .inputs = operation.inputs, .outputs = operation.outputs});
  for (const OutlineTensor& tensor : graph.tensors)
    problem.tensors.push_back({.name = tensor.name, .size_bytes = size_bytes(tensor)});
  return problem;
}

struct NetworkSizes {
  std::string_view name;
  std::int64_t operations;
  std::int64_t largest_working_set_bytes;
  std::int64_t plain_peak_bytes;
};

class ReleasedSizes : public ::testing::TestWithParam<NetworkSizes> {};

INSTANTIATE_TEST_SUITE_P(, ReleasedSizes,
                         ::testing::Values(NetworkSizes{"linear", 27, 3'256, 7'416},
                                           NetworkSizes{"transformer", 19, 31'457'280, 37'748'736},
                                           NetworkSizes{"vgg16_cifar", 81, 1'048'576, 2'465'832},
                                           NetworkSizes{"vgg16", 81, 51'380'224, 115'505'152},
                                           NetworkSizes{"resnet18", 127, 10'408'192, 28'577'536},
                                           NetworkSizes{"resnet18_cifar", 133, 262'144, 2'453'760},
                                           NetworkSizes{"bert", 195, 31'457'280, 383'778'816},
                                           NetworkSizes{"resnet50", 335, 12'390'400, 127'759'104}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_P(ReleasedSizes, AreThoseOfTheReleasedCode) {
  const Outline graph = released_graph(GetParam().name, 1).value();
  const Problem problem = sizes_of(graph);
  EXPECT_EQ(static_cast<std::int64_t>(graph.operations.size()), GetParam().operations);
  EXPECT_EQ(largest_working_set(problem).bytes, GetParam().largest_working_set_bytes);
  EXPECT_EQ(plain_peak_bytes(problem), GetParam().plain_peak_bytes);
}

}  // namespace
}  // namespace poet
