#include "poet/emit/project_json.h"

#include "poet/base/json_out.h"
#include "poet/base/named.h"
#include "poet/base/time_mode.h"

namespace poet {
namespace {

JsonOut inputs_of(const EmitRequest& request) {
  JsonOut list = JsonOut::array();
  for (const ExamplePart& part : request.parts)
    list.push_back({{"name", part.name},
                    {"type", to_text(part.type)},
                    {"bytes_of_an_example", size_bytes(part.type)}});
  return list;
}

JsonOut further_of(const EmitRequest& request) {
  JsonOut list = JsonOut::array();
  for (const EmittedMemory& memory : request.further)
    list.push_back({{"name", memory.name},
                    {"size_bytes", memory.arena_bytes},
                    {"memory_bytes", memory.size_bytes}});
  return list;
}

JsonOut kept_of(const EmitRequest& request, const EmittedProject& project) {
  JsonOut list = JsonOut::array();
  for (const EmittedValue& value : project.kept) {
    list.push_back({{"name", value.name},
                    {"type", to_text(value.type)},
                    {"role", name_of(kTensorRoles, value.role)},
                    {"home", name_of(kHomes, value.home)},
                    {"offset_bytes", value.offset_bytes}});
    if (value.memory != kFastRam)
      list.back()["memory"] = request.further[static_cast<std::size_t>(value.memory) - 1].name;
  }
  return list;
}

JsonOut actions_of(const FormParts& parts) {
  JsonOut list = JsonOut::array();
  for (const EmittedAction& action : parts.actions) {
    JsonOut one = {{"form", action.form}, {"what", action.what}, {"name", action.name}};
    if (action.operation) {
      one["operation"] = index_of(*action.operation);
      one["again"] = action.again;
    }
    if (action.bytes > 0) one["bytes"] = action.bytes;
    if (!action.key.empty()) {
      one["key"] = action.key;
      one["flop"] = action.flop;
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

std::string project_json_text(const EmitRequest& request, const EmittedProject& project,
                              const FormParts& parts) {
  const StorageMap& map = project.storage;
  JsonOut out;
  out["format"] = kProjectFormat;
  out["version"] = 2;
  out["licence"] = "Apache-2.0";
  out["model"] = request.model;
  out["device"] = request.board.name;
  out["ram_bytes"] = request.board.ram_bytes;
  out["stack_bytes"] = request.board.stack_bytes;
  out["reserved_bytes"] = request.board.reserved_bytes;
  if (request.port) out["port"] = request.port->name;
  out["arena_bytes"] = request.arena_bytes;
  if (!request.further.empty()) out["further_arenas"] = further_of(request);
  out["rom_bytes"] = parts.rom.bytes();
  out["storage_bytes"] = map.bytes();
  out["storage_block_bytes"] = map.block_bytes;
  out["storage_erase_bytes"] = map.erase_bytes;
  out["checkpoint_bytes"] = map.slot_bytes;
  out["pages_begin_bytes"] = map.pages_begin();
  out["step_written_bytes"] = project.wear.step_bytes;
  out["checkpoint_written_bytes"] = project.wear.checkpoint_bytes;
  out["micro_batches"] = request.micro_batches;
  out["examples_of_a_micro_batch"] = request.micro_batch_size;
  out["steps_in_examples_bin"] = request.example_steps;
  if (request.prediction) {
    out["examples_of_a_prediction"] = request.prediction->batch_size;
    out["outputs_of_an_example"] = request.prediction->outputs;
  }
  if (parts.overlapped) out["transfers"] = name_of(kTimeModes, TimeMode::Overlapped);
  out["inputs"] = inputs_of(request);
  out["kept"] = kept_of(request, project);
  out["actions"] = actions_of(parts);
  return json_text(out);
}

}  // namespace poet
