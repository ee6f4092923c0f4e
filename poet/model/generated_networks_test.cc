#include "poet/model/generated_networks.h"
#include "tests/support/random_cases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace poet {
namespace {

Outline graph_of(std::string_view kind, std::int64_t operations, std::uint64_t seed = 1) {
  return generated_graph(kind, operations, seed).value();
}

std::string error_of(std::string_view kind, std::int64_t operations, std::uint64_t seed = 1) {
  const Result<Outline> graph = generated_graph(kind, operations, seed);
  return graph.ok() ? "no error" : to_string(graph.error());
}

// The last operation that reads each tensor; its producer when none does.
std::vector<std::size_t> last_readers(const Outline& graph) {
  std::vector<std::size_t> last;
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    last.push_back(v);
    for (const TensorId input : graph.operations[v].inputs) at(last, input) = v;
  }
  return last;
}

struct Memory {
  std::int64_t plain_peak_bytes = 0;
  std::int64_t working_set_bytes = 0;

  bool operator==(const Memory&) const = default;
};
void PrintTo(const Memory& memory, std::ostream* out) {
  *out << memory.plain_peak_bytes << ", " << memory.working_set_bytes;
}

Memory memory_of(const Outline& graph) {
  const std::vector<std::size_t> last = last_readers(graph);
  Memory memory;
  std::int64_t used = 0;
  std::vector<std::vector<std::size_t>> dying(graph.operations.size());
  for (std::size_t i = 0; i < last.size(); ++i) dying[last[i]].push_back(i);
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    std::int64_t working_set = size_bytes(graph.tensors[v]);
    used += working_set;
    for (const TensorId input : graph.operations[v].inputs)
      working_set += size_bytes(at(graph.tensors, input));
    memory.plain_peak_bytes = std::max(memory.plain_peak_bytes, used);
    memory.working_set_bytes = std::max(memory.working_set_bytes, working_set);
    for (const std::size_t i : dying[v]) used -= size_bytes(graph.tensors[i]);
  }
  return memory;
}

// A network to check, and what was asked for.
struct Case {
  std::string_view kind;
  std::int64_t operations = 0;
  std::uint64_t seed = 0;
  Outline graph;
};

void for_each_case(const std::function<void(const Case&)>& check) {
  for (const GeneratedNetwork& row : generated_network_table())
    for (const std::int64_t operations : {80, 400, 2'000})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(fmt::format("{} of {}, seed {}", row.name, operations, seed));
        check({row.name, operations, seed, graph_of(row.name, operations, seed)});
      }
}

TEST(GeneratedGraph, StandsInATopologicalOrder) {
  for_each_case([](const Case& one) {
    for (std::size_t v = 0; v < one.graph.operations.size(); ++v) {
      const OutlineOperation& operation = one.graph.operations[v];
      EXPECT_EQ(operation.outputs, std::vector<TensorId>{TensorId{static_cast<std::int32_t>(v)}});
      std::set<TensorId> inputs(operation.inputs.begin(), operation.inputs.end());
      EXPECT_EQ(inputs.size(), operation.inputs.size()) << operation.name;
      for (const TensorId input : inputs) EXPECT_LT(static_cast<std::size_t>(input), v);
    }
  });
}

TEST(GeneratedGraph, HasAboutAsManyOperationsAsAskedFor) {
  for_each_case([](const Case& one) {
    EXPECT_NEAR(static_cast<double>(one.graph.operations.size()),
                static_cast<double>(one.operations), 20);
  });
}

TEST(GeneratedGraph, ComputesNothingInVain) {
  for_each_case([](const Case& one) {
    const std::vector<std::size_t> last = last_readers(one.graph);
    for (std::size_t v = 0; v < one.graph.operations.size(); ++v) {
      const OutlineOperation& operation = one.graph.operations[v];
      // The gradient of the first layer is that of its parameters, which lie outside the one.graph.
      const bool leaves =
          operation.kind == LayerKind::CrossEntropyLoss || v + 1 == one.graph.operations.size();
      EXPECT_EQ(last[v] == v, leaves) << operation.name;
    }
  });
}

TEST(GeneratedGraph, KeepsForTheBackwardPassOnlyWhatItReads) {
  for_each_case([](const Case& one) {
    const auto loss = std::find_if(one.graph.operations.begin(), one.graph.operations.end(),
                                   [](const OutlineOperation& operation) {
                                     return operation.kind == LayerKind::CrossEntropyLoss;
                                   });
    const auto end_of_forward = static_cast<std::size_t>(loss - one.graph.operations.begin()) + 1;
    for (std::size_t v = 0; v < one.graph.operations.size(); ++v)
      EXPECT_EQ(one.graph.operations[v].backward, v >= end_of_forward)
          << one.graph.operations[v].name;

    // Each kind of layer keeps its input, its output, or neither; what is kept is read backwards.
    const std::vector<std::size_t> last = last_readers(one.graph);
    for (std::size_t v = 0; v < end_of_forward; ++v) {
      const OutlineOperation& operation = one.graph.operations[v];
      const auto kept = [&](TensorId tensor) { return at(last, tensor) >= end_of_forward; };
      switch (operation.kind) {
        case LayerKind::Conv2d:
        case LayerKind::UpConv2d:
        case LayerKind::BatchNorm2d:
        case LayerKind::Linear:
        case LayerKind::LayerNorm:
        case LayerKind::Gelu:
        case LayerKind::MaxPool2d:
        case LayerKind::AttentionScores:
        case LayerKind::AttentionValues:
          for (const TensorId input : operation.inputs) EXPECT_TRUE(kept(input)) << operation.name;
          break;
        case LayerKind::Relu:
        case LayerKind::Softmax:
          EXPECT_TRUE(kept(operation.outputs[0])) << operation.name;
          break;
        default:
          break;
      }
    }
  });
}

// Every layer with an input that can be trained has its gradient, and addition passes it through.
TEST(GeneratedGraph, DifferentiatesEveryLayer) {
  for_each_case([](const Case& one) {
    std::map<std::string, int> gradients;
    for (const OutlineOperation& operation : one.graph.operations)
      if (operation.kind == LayerKind::Gradient)
        ++gradients[operation.name.substr(0, operation.name.rfind("_grad"))];
    for (const OutlineOperation& operation : one.graph.operations) {
      if (operation.backward) continue;
      const bool has_none =
          operation.kind == LayerKind::Input || operation.kind == LayerKind::SkipAdd;
      const int expected = has_none ? 0 : static_cast<int>(operation.inputs.size());
      EXPECT_EQ(gradients[operation.name], expected) << operation.name;
    }
  });
}

TEST(GeneratedGraph, NamesEveryOperationDifferently) {
  for_each_case([](const Case& one) {
    std::set<std::string> names;
    for (const OutlineOperation& operation : one.graph.operations) names.insert(operation.name);
    EXPECT_EQ(names.size(), one.graph.operations.size());
  });
}

TEST(GeneratedGraph, IsTheSameEveryTime) {
  for_each_case(
      [](const Case& one) { EXPECT_EQ(one.graph, graph_of(one.kind, one.operations, one.seed)); });
}

TEST(GeneratedGraph, KeepsFarMoreThanOneOperationNeeds) {
  for_each_case([](const Case& one) {
    const Memory memory = memory_of(one.graph);
    // Networks of one or two blocks keep little; the others need each block's tensors.
    const std::int64_t least_ratio = one.operations >= 400 ? 4 : 1;
    EXPECT_GT(memory.plain_peak_bytes, least_ratio * memory.working_set_bytes);
  });
}

TEST(GeneratedGraph, NeedsTheMemoryThatItsLayersAddUpTo) {
  EXPECT_EQ(memory_of(graph_of("resnet", 1'000)), (Memory{43'368'448, 786'432}));
  EXPECT_EQ(memory_of(graph_of("transformer", 1'000)), (Memory{98'353'152, 3'145'728}));
  EXPECT_EQ(memory_of(graph_of("unet", 1'000)), (Memory{188'284'928, 6'291'456}));
  EXPECT_EQ(memory_of(graph_of("transformer", 10'000)), (Memory{982'302'720, 3'145'728}));
}

TEST(GeneratedGraph, SeedsChooseAmongShapes) {
  for (const GeneratedNetwork& row : generated_network_table()) {
    std::set<std::int64_t> peaks;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      peaks.insert(memory_of(graph_of(row.name, 500, seed)).plain_peak_bytes);
    EXPECT_GE(peaks.size(), 8u) << row.name;
  }
}

TEST(GeneratedGraph, ReachesTheMostOperations) {
  if (testing::kUnderSanitizers) GTEST_SKIP() << "the same code makes smaller ones";
  for (const GeneratedNetwork& row : generated_network_table()) {
    const Outline graph = graph_of(row.name, kMostGeneratedOperations);
    EXPECT_NEAR(static_cast<double>(graph.operations.size()), 1e5, 20) << row.name;
    double bytes = 0;
    for (const OutlineTensor& tensor : graph.tensors)
      bytes += static_cast<double>(size_bytes(tensor));
    EXPECT_LT(bytes, 4.6e18) << row.name;
  }
}

TEST(GeneratedGraph, RefusesWhatItCannotMake) {
  EXPECT_EQ(error_of("resnett", 100), "unknown kind of network 'resnett'; did you mean 'resnet'?");
  EXPECT_EQ(error_of("gpt", 100), "unknown kind of network 'gpt'; use resnet, transformer or unet");
  EXPECT_EQ(error_of("transformer", 20),
            "the smallest transformer of seed 1 has 43 operations, and 20 were asked for");
  EXPECT_EQ(error_of("unet", 100'001),
            "a generated network has at most 100000 operations, and 100001 were asked for");
}

}  // namespace
}  // namespace poet
