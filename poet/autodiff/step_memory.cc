#include "poet/autodiff/step_memory.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "poet/graph/operator_table.h"
#include "poet/graph/stored_rows.h"

namespace poet {
namespace {

std::size_t place_of(TensorId id) {
  return static_cast<std::size_t>(index_of(id));
}

// For each tensor the one whose bytes it is.
std::vector<TensorId> roots_of(const Graph& graph) {
  std::vector<TensorId> roots;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) roots.push_back(static_cast<TensorId>(i));
  for (const GraphOperation& operation : graph.operations)
    if (entry_of(operation.kind).view)
      roots[place_of(operation.outputs[0])] = roots[place_of(operation.inputs[0])];
  return roots;
}

bool contains(const std::vector<std::int32_t>& list, std::int32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Fills a StepMemory.
struct Measure {
  const TrainingGraph& step;
  const std::vector<TensorId> roots = roots_of(step.graph);
  std::vector<bool> takes_room = {};
  StepMemory memory = {};

  // Replacements of what is resident stay in its place.
  void find_buffers() {
    const Graph& graph = step.graph;
    takes_room.resize(graph.tensors.size());
    memory.bytes.resize(graph.tensors.size());
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      const Home home = graph.tensors[i].home;
      takes_room[i] =
          roots[i] == static_cast<TensorId>(i) && (home == Home::Made || home == Home::Storage);
    }
    for (const Replacement& replacement : step.replacements)
      if (at(graph.tensors, replacement.old_value).home == Home::Resident)
        takes_room[place_of(replacement.new_value)] = false;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      if (takes_room[i]) memory.bytes[i] = size_bytes(graph.tensors[i].type);
      if (is_counted_resident(graph.tensors[i]))
        memory.resident_bytes += size_bytes(graph.tensors[i].type);
    }
  }

  bool is_counted_resident(const GraphTensor& tensor) const {
    return tensor.home == Home::Resident &&
           (step.parameters != ParameterPlace::Excluded || tensor.role == TensorRole::Step);
  }

  void add_buffer(std::vector<std::int32_t>& list, TensorId tensor) const {
    const std::int32_t root = index_of(roots[place_of(tensor)]);
    if (takes_room[static_cast<std::size_t>(root)] && !contains(list, root)) list.push_back(root);
  }

  bool was_given(std::int32_t buffer) const {
    return step.graph.tensors[static_cast<std::size_t>(buffer)].home != Home::Made;
  }

  // Through how many inputs an operation sees the same bytes.
  std::int64_t readings_of(std::int32_t root, const GraphOperation& operation) const {
    return std::count_if(operation.inputs.begin(), operation.inputs.end(),
                         [&](TensorId input) { return index_of(roots[place_of(input)]) == root; });
  }

  // Only what the step made itself may be written over, but for old values by new ones.
  void add_handovers(MemoryUse& use, const GraphOperation& operation,
                     const std::vector<SharedPlace>& places, bool (*allows)(bool was_given)) const {
    for (const SharedPlace& place : places) {
      // The input may be one that this operation does without.
      if (static_cast<std::size_t>(place.input) >= operation.inputs.size()) continue;
      const std::int32_t read =
          index_of(roots[place_of(operation.inputs[static_cast<std::size_t>(place.input)])]);
      const std::int32_t made = index_of(operation.outputs[static_cast<std::size_t>(place.output)]);
      const bool fits = contains(use.reads, read) && contains(use.makes, made) &&
                        readings_of(read, operation) == 1 && allows(was_given(read)) &&
                        memory.bytes[static_cast<std::size_t>(read)] ==
                            memory.bytes[static_cast<std::size_t>(made)];
      if (fits) use.handovers.push_back({read, made});
    }
  }

  // What meets only rows of a table that lies in storage has it there.
  void add_operation(const GraphOperation& operation, bool updates_rows) {
    const OperatorEntry& entry = entry_of(operation.kind);
    const bool meets_rows = updates_rows || reads_stored_rows(step.graph, operation);
    MemoryUse use;
    for (const TensorId input : operation.inputs)
      if (input != operation.inputs[0] || !meets_rows) add_buffer(use.reads, input);
    if (updates_rows) {
      use.workspace_bytes = 2 * table_row_bytes(step.graph, operation);
    } else if (!entry.view) {
      for (const TensorId output : operation.outputs) add_buffer(use.makes, output);
      use.workspace_bytes = entry.kernel(types_of(step.graph, operation)).workspace_bytes;
      add_handovers(use, operation, entry.updates, [](bool) { return true; });
      add_handovers(use, operation, entry.in_place, [](bool given) { return !given; });
    }
    memory.operations.push_back(std::move(use));
  }

  // A new state only waits for the new parameter, so what makes them stays together: a gradient
  // takes the least room until all of its uses are there.
  void find_what_follows() {
    std::map<TensorId, TensorId> parameter_of;  // of new values
    for (const TrainedParameter& trained : step.trained) {
      if (trained.new_value) parameter_of[*trained.new_value] = trained.parameter;
      for (const TensorId state : trained.new_states) parameter_of[state] = trained.parameter;
    }
    std::optional<TensorId> last;
    for (std::size_t v = 0; v < memory.operations.size(); ++v) {
      const auto found = parameter_of.find(step.graph.operations[v].outputs[0]);
      const std::optional<TensorId> parameter =
          found == parameter_of.end() ? std::nullopt : std::optional<TensorId>(found->second);
      memory.operations[v].follows = parameter && parameter == last;
      last = parameter;
    }
  }

  void find_what_comes_before() {
    const Graph& graph = step.graph;
    std::vector<std::optional<std::int32_t>> maker(graph.tensors.size());
    std::vector<std::vector<std::int32_t>> readers(graph.tensors.size());  // of roots
    for (std::size_t v = 0; v < graph.operations.size(); ++v) {
      for (const TensorId output : graph.operations[v].outputs)
        maker[place_of(output)] = static_cast<std::int32_t>(v);
      for (const TensorId input : graph.operations[v].inputs)
        readers[place_of(roots[place_of(input)])].push_back(static_cast<std::int32_t>(v));
    }
    std::vector<std::set<std::int32_t>> before(graph.operations.size());
    for (std::size_t v = 0; v < graph.operations.size(); ++v)
      for (const TensorId input : graph.operations[v].inputs)
        if (maker[place_of(input)]) before[v].insert(*maker[place_of(input)]);
    for (const Replacement& replacement : step.replacements) {
      const std::int32_t update = *maker[place_of(replacement.new_value)];
      for (const std::int32_t reader : readers[place_of(replacement.old_value)])
        if (reader != update) before[static_cast<std::size_t>(update)].insert(reader);
    }
    for (const std::set<std::int32_t>& earlier : before)
      memory.before.emplace_back(earlier.begin(), earlier.end());
  }
};

// Walks an order while counting RAM.
struct Walk {
  const StepMemory& memory;
  std::vector<std::int32_t> uses_left = {};  // of each buffer
  std::vector<bool> in_ram = {};
  std::int64_t used_bytes = memory.resident_bytes;

  std::int64_t bytes_of(std::int32_t buffer) const {
    return memory.bytes[static_cast<std::size_t>(buffer)];
  }

  void bring(std::int32_t buffer) {
    if (in_ram[static_cast<std::size_t>(buffer)]) return;
    in_ram[static_cast<std::size_t>(buffer)] = true;
    used_bytes += bytes_of(buffer);
  }

  // What the output that takes over an input's buffer does not need: the first that can.
  std::int64_t handed_over(const MemoryUse& use) const {
    for (const BufferHandover& handover : use.handovers)
      if (uses_left[static_cast<std::size_t>(handover.read)] == 1) return bytes_of(handover.made);
    return 0;
  }

  std::int64_t run(const MemoryUse& use) {
    for (const std::int32_t buffer : use.reads) bring(buffer);
    for (const std::int32_t buffer : use.makes) bring(buffer);
    const std::int64_t running_bytes = used_bytes + use.workspace_bytes - handed_over(use);
    for (const std::int32_t buffer : use.reads)
      if (--uses_left[static_cast<std::size_t>(buffer)] == 0) used_bytes -= bytes_of(buffer);
    for (const std::int32_t buffer : use.makes)
      if (uses_left[static_cast<std::size_t>(buffer)] == 0) used_bytes -= bytes_of(buffer);
    return running_bytes;
  }
};

}  // namespace

StepMemory step_memory(const TrainingGraph& step) {
  Measure measure{.step = step};
  measure.find_buffers();
  const std::vector<bool> updates_rows = updates_of_stored_rows(step.graph);
  for (std::size_t v = 0; v < updates_rows.size(); ++v)
    measure.add_operation(step.graph.operations[v], updates_rows[v]);
  measure.find_what_follows();
  measure.find_what_comes_before();
  return std::move(measure.memory);
}

std::vector<std::int64_t> bytes_in_use(const StepMemory& memory, const Order& order) {
  Walk walk{.memory = memory};
  walk.uses_left.resize(memory.bytes.size());
  walk.in_ram.resize(memory.bytes.size());
  for (const MemoryUse& use : memory.operations)
    for (const std::int32_t buffer : use.reads) ++walk.uses_left[static_cast<std::size_t>(buffer)];
  std::vector<std::int64_t> bytes;
  bytes.reserve(order.size());
  for (const std::int32_t v : order)
    bytes.push_back(walk.run(memory.operations[static_cast<std::size_t>(v)]));
  return bytes;
}

}  // namespace poet
