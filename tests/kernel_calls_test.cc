// What the operator table says of calls, and the C functions that are called.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "poet/emit/runtime_files.h"
#include "poet/graph/operator_table.h"
#include "poet/kernels/evaluate.h"
#include "poet/kernels/kernel_call.h"
#include "support/operator_cases.h"
#include "support/source_folder.h"

namespace poet {
namespace {

using testing::CaseGraph;
using testing::graph_of;
using testing::operator_cases;
using testing::OperatorCase;
using testing::values_of;

// --- What the headers of poet/runtime declare

struct Field {
  std::string name;  // "stride[1]"
  std::string type;  // "int32_t"

  bool operator==(const Field&) const = default;
};

void PrintTo(const Field& field, std::ostream* out) {
  *out << field.type << " " << field.name;
}

std::string without_comments(const std::string& text) {
  return std::regex_replace(text, std::regex(R"(/\*[^]*?\*/)"), "");
}

std::string runtime_headers() {
  std::string text;
  for (const auto& file :
       std::filesystem::directory_iterator(testing::source_folder() + "/poet/runtime")) {
    if (file.path().extension() != ".h") continue;
    std::ifstream in(file.path());
    text.append(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return without_comments(text);
}

std::vector<std::smatch> all_matches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}

// An array is as many fields as it has elements.
std::vector<Field> fields_of(const std::string& body, const std::map<std::string, int>& constants) {
  static const std::regex kField(R"((\w+)\s+(\w+)\s*(\[\s*(\w+)\s*\])?\s*;)");
  std::vector<Field> fields;
  for (const std::smatch& match : all_matches(body, kField)) {
    if (!match[3].matched) {
      fields.push_back({match[2], match[1]});
      continue;
    }
    const std::string extent = match[4];
    const int count = constants.contains(extent) ? constants.at(extent) : std::stoi(extent);
    for (int i = 0; i < count; ++i)
      fields.push_back({match[2].str() + "[" + std::to_string(i) + "]", match[1]});
  }
  return fields;
}

// A struct in a struct is as many fields as it has itself: "gradient.stride[1]".
std::vector<Field> flat(const std::vector<Field>& fields,
                        const std::map<std::string, std::vector<Field>>& structs) {
  std::vector<Field> all;
  for (const Field& field : fields) {
    const auto inner = structs.find(field.type);
    if (inner == structs.end()) {
      all.push_back(field);
      continue;
    }
    for (const Field& part : flat(inner->second, structs))
      all.push_back({field.name + "." + part.name, part.type});
  }
  return all;
}

// The fields of each kernel's shape struct.
std::map<std::string, std::vector<Field>> declared_shapes() {
  const std::string text = runtime_headers();
  std::map<std::string, int> constants;
  for (const std::smatch& match : all_matches(text, std::regex(R"((\w+)\s*=\s*(\d+))")))
    constants[match[1]] = std::stoi(match[2]);
  std::map<std::string, std::vector<Field>> structs;
  for (const std::smatch& match :
       all_matches(text, std::regex(R"(typedef struct (\w+)\s*\{([^}]*)\})")))
    structs[match[1]] = fields_of(match[2], constants);
  std::map<std::string, std::vector<Field>> shapes;
  for (const std::smatch& match :
       all_matches(text, std::regex(R"(\nvoid (poet_\w+)\(const (poet_\w+_shape)\* shape,)")))
    shapes[match[1]] = flat(structs.at(match[2]), structs);
  return shapes;
}

// --- What the table says

std::vector<Field> fields_of(const KernelCall& call) {
  const char* const types[] = {"int32_t", "uint32_t", "float"};
  std::vector<Field> fields;
  for (const KernelWord& word : call.shape)
    fields.push_back({word.field, types[word.value.index()]});
  return fields;
}

std::set<int> positions(const std::vector<std::optional<int>>& pointers) {
  std::set<int> result;
  for (const std::optional<int>& pointer : pointers)
    if (pointer) result.insert(*pointer);
  return result;
}

std::set<int> first_numbers(std::size_t count) {
  std::set<int> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.insert(static_cast<int>(i));
  return numbers;
}

TEST(OperatorCases, HaveEveryOperator) {
  std::set<std::string_view> missing;
  for (const OperatorEntry& row : operator_table()) missing.insert(row.name);
  for (const OperatorCase& one : operator_cases())
    for (const GraphOperation& operation : graph_of(one).graph.operations)
      missing.erase(entry_of(operation.kind).name);
  EXPECT_EQ(missing, std::set<std::string_view>{}) << "write a case in tests/support";
}

TEST(OperatorCases, AreWellFormedGraphs) {
  std::set<std::string> names;
  for (const OperatorCase& one : operator_cases()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    const Failure failure = check_graph(graph_of(one).graph);
    EXPECT_FALSE(failure) << one.name << ": " << failure->message;
  }
}

TEST(OperatorCases, HaveEveryKernel) {
  std::set<std::string> unused;
  for (const auto& [function, shape] : declared_shapes()) unused.insert(function);
  for (const OperatorCase& one : operator_cases()) {
    const CaseGraph graph = graph_of(one);
    for (const GraphOperation& operation : graph.graph.operations)
      if (const OperatorEntry& entry = entry_of(operation.kind); !entry.view)
        unused.erase(std::string(entry.kernel(types_of(graph.graph, operation)).function.name));
  }
  EXPECT_EQ(unused, std::set<std::string>{})
      << "no case in tests/support calls them, or they are called by no row of the operator table";
}

// A function that a macro makes has no text to find.
TEST(KernelCalls, HaveTheirFilesInExportedProjects) {
  for (const auto& [function, shape] : declared_shapes()) {
    const std::set<std::string> files = runtime_files({function});
    EXPECT_TRUE(files.contains(std::string(declaration_of(function).header))) << function;
    EXPECT_TRUE(declaration_of(function).shape_type.starts_with("poet_")) << function;
    for (const std::string& file : files) EXPECT_EQ(file.find("_test"), std::string::npos) << file;
  }
}

TEST(KernelCalls, FillTheShapeStructFieldByField) {
  const std::map<std::string, std::vector<Field>> shapes = declared_shapes();
  for (const OperatorCase& one : operator_cases()) {
    const CaseGraph graph = graph_of(one);
    for (const GraphOperation& operation : graph.graph.operations) {
      const OperatorEntry& entry = entry_of(operation.kind);
      if (entry.view) continue;
      const KernelCall call = entry.kernel(types_of(graph.graph, operation));
      SCOPED_TRACE(one.name + ": " + std::string(call.function.name));
      const auto declared = shapes.find(std::string(call.function.name));
      if (declared == shapes.end()) {
        ADD_FAILURE() << "is not declared in poet/runtime";
        continue;
      }
      EXPECT_EQ(fields_of(call), declared->second);
    }
  }
}

TEST(KernelCalls, FitTheFunctionAndPassEveryTensor) {
  for (const OperatorCase& one : operator_cases()) {
    const CaseGraph graph = graph_of(one);
    for (const GraphOperation& operation : graph.graph.operations) {
      const OperatorEntry& entry = entry_of(operation.kind);
      if (entry.view) continue;
      const KernelCall call = entry.kernel(types_of(graph.graph, operation));
      SCOPED_TRACE(one.name + ": " + std::string(call.function.name));
      const Kernel& kernel = call.function;
      EXPECT_EQ(call.inputs.size(), static_cast<std::size_t>(kernel.inputs));
      EXPECT_EQ(call.outputs.size() + (call.workspace_bytes > 0 ? 1 : 0),
                static_cast<std::size_t>(kernel.outputs));
      EXPECT_EQ(call.shape.size() * 4, static_cast<std::size_t>(kernel.shape_bytes));
      EXPECT_EQ(positions(call.inputs), first_numbers(operation.inputs.size()));
      EXPECT_EQ(positions(call.outputs), first_numbers(operation.outputs.size()));
    }
  }
}

// --- Outputs in the place of inputs

// One operation with the values that it reads.
struct Execution {
  const OperatorEntry* entry = nullptr;
  KernelCall call;
  std::vector<TensorValue> inputs;
  std::vector<TensorType> outputs;
};

std::vector<Execution> executions_of(const OperatorCase& one) {
  const CaseGraph graph = graph_of(one);
  const std::vector<TensorValue> values = values_of(one);
  std::map<TensorId, TensorView> given;
  for (std::size_t i = 0; i < values.size(); ++i) given[graph.inputs[i]] = view_of(values[i]);
  TensorValue dy{.type = at(graph.graph.tensors, graph.output).type};
  for (std::int64_t i = 0; i < value_count(dy.type.shape) && !graph.gradients.empty(); ++i) {
    const float value = static_cast<float>(i % 7) - 2.5F;
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    dy.bytes.insert(dy.bytes.end(), bytes, bytes + sizeof value);
  }
  if (!graph.gradients.empty()) given[graph.output_gradient] = view_of(dy);
  std::vector<Execution> executions;
  for (const GraphOperation& operation : graph.graph.operations) {
    const OperatorEntry& entry = entry_of(operation.kind);
    if (entry.view) continue;
    const OperationTypes types = types_of(graph.graph, operation);
    executions.push_back({.entry = &entry,
                          .call = entry.kernel(types),
                          .inputs = *evaluate(graph.graph, given, operation.inputs),
                          .outputs = types.outputs});
  }
  return executions;
}

// The outputs, where each `shared` one begins with an input's bytes and is written over them.
std::vector<std::vector<std::byte>> outputs_of(const Execution& execution,
                                               const std::vector<SharedPlace>& shared) {
  std::vector<TensorValue> inputs = execution.inputs;
  std::vector<std::vector<std::byte>> made;
  for (const TensorType& type : execution.outputs)
    made.emplace_back(static_cast<std::size_t>(size_bytes(type)), std::byte{0xA5});
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const TensorValue& input : inputs) in.push_back(input.bytes.data());
  for (std::vector<std::byte>& bytes : made) out.push_back(bytes.data());
  for (const SharedPlace& place : shared)
    out[static_cast<std::size_t>(place.output)] =
        inputs[static_cast<std::size_t>(place.input)].bytes.data();
  std::vector<float> workspace(static_cast<std::size_t>(execution.call.workspace_bytes) /
                               sizeof(float));
  run(execution.call, in, out, workspace.data());
  for (const SharedPlace& place : shared)
    made[static_cast<std::size_t>(place.output)] =
        inputs[static_cast<std::size_t>(place.input)].bytes;
  return made;
}

// Of an input that may be left out only where it is there.
bool has_room(const Execution& execution, const SharedPlace& place) {
  if (static_cast<std::size_t>(place.input) >= execution.inputs.size()) return false;
  return size_bytes(execution.inputs[static_cast<std::size_t>(place.input)].type) ==
         size_bytes(execution.outputs[static_cast<std::size_t>(place.output)]);
}

TEST(KernelCalls, GiveTheSameBitsInThePlaceOfAnInput) {
  int tried = 0;
  for (const OperatorCase& one : operator_cases())
    for (const Execution& execution : executions_of(one)) {
      SCOPED_TRACE(one.name + ": " + std::string(execution.call.function.name));
      const auto elsewhere = outputs_of(execution, {});
      for (const SharedPlace& place : execution.entry->in_place) {
        if (!has_room(execution, place)) continue;
        EXPECT_EQ(outputs_of(execution, {place}), elsewhere) << "in place of " << place.input;
        ++tried;
      }
      if (execution.entry->updates.empty()) continue;
      EXPECT_EQ(outputs_of(execution, execution.entry->updates), elsewhere);
      ++tried;
    }
  EXPECT_GT(tried, 100);
}

TEST(OperatorTable, CountsFlopThatFitIn62Bits) {
  for (const OperatorCase& one : operator_cases()) {
    const CaseGraph graph = graph_of(one);
    for (const GraphOperation& operation : graph.graph.operations) {
      const std::int64_t flop = entry_of(operation.kind).flop(types_of(graph.graph, operation));
      EXPECT_GE(flop, 0) << one.name;
      EXPECT_LT(flop, 100'000) << one.name;
    }
  }
}

}  // namespace
}  // namespace poet
