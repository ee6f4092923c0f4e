#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/emit/emit_request.h"
#include "poet/emit/storage_map.h"
#include "poet/graph/graph.h"
#include "poet/graph/tensor_piece.h"
#include "poet/lower/step_program.h"

namespace poet {

// A value that outlives the steps of an emitted training.
struct EmittedValue {
  std::string name = {};
  TensorType type = {};
  TensorRole role = TensorRole::Parameter;
  Home home = Home::Storage;      // or Resident, or Rom
  std::int64_t offset_bytes = 0;  // of Storage: among the pages; of Resident: in its arena
  MemoryId memory = kFastRam;     // of Resident
  const Initial* initial = nullptr;
  std::optional<TensorPiece> piece = {};  // what it is one of
  // The form and its tensor that it was found in.
  const EmittedForm* form = nullptr;
  TensorId tensor{};
};

// What a checkpoint holds, in order of name: what the forms keep but for accumulators, which a step
// fills anew.
std::vector<EmittedValue> kept_values(const std::vector<EmittedForm>& forms,
                                      const std::vector<StepProgram>& programs);

// Of which value it is a piece; its own, where it is whole.
const std::string& whole_name(const EmittedValue& value);

// Every parameter, trained or not, in order of the names of wholes: those in pieces have theirs one
// behind the other, in the order of their first values.
std::vector<EmittedValue> parameter_values(const std::vector<EmittedForm>& forms,
                                           const std::vector<StepProgram>& programs);

// `erase_bytes` is a multiple of `block_bytes`. Refuses what does not fit into 32 bits.
Result<StorageMap> storage_map(const std::vector<EmittedValue>& kept, std::int64_t pages_bytes,
                               std::int64_t block_bytes, std::int64_t erase_bytes);

// Of the kept values, their order and sizes, and the settings: tells checkpoints of different
// trainings apart.
std::uint32_t fingerprint_of(const EmitRequest& request, const std::vector<EmittedValue>& kept);

}  // namespace poet
