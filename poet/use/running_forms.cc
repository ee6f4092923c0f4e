#include "poet/use/running_forms.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "poet/base/check.h"
#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/graph/stored_rows.h"
#include "poet/graph/tensor_piece.h"
#include "poet/lower/runnable_step.h"

namespace poet {
namespace {

std::int64_t parts_of(std::int64_t bytes, std::int64_t part_bytes) {
  return (bytes + part_bytes - 1) / part_bytes;
}

// Of a value that outlives a step: its own pieces, which initial values come in, and of a piece of
// a larger one those of the whole that touch it.
std::int64_t places_of_pieces(const TensorType& type, const TensorPiece* piece,
                              std::int64_t piece_bytes) {
  const std::int64_t own = parts_of(size_bytes(type), piece_bytes);
  if (piece == nullptr || piece->values.empty()) return own;
  const std::int64_t row_bytes = size_bytes(piece->type) / piece->type.shape[0];
  return own + parts_of(piece->values[0].extent() * row_bytes, piece_bytes) + 1;
}

// By the place at which each value lies: what the forms of a step keep lies at the same in all.
class Places {
 public:
  explicit Places(std::int64_t piece_bytes) : piece_bytes_(piece_bytes) {}

  void add(const RunnableStep& step, const std::map<TensorId, TensorPiece>& pieces) {
    for (std::size_t i = 0; i < step.layout.slot_offset_bytes.size(); ++i) {
      if (!step.layout.slot_offset_bytes[i]) continue;
      const auto tensor = static_cast<TensorId>(i);
      const GraphTensor& here = at(step.graph.tensors, tensor);
      const auto piece = pieces.find(tensor);
      const bool outlives = here.home == Home::Storage;
      raise(offset_of(step, tensor),
            outlives ? places_of_pieces(here.type, piece == pieces.end() ? nullptr : &piece->second,
                                        piece_bytes_)
                     : 1);
    }
    const std::vector<bool> by_rows = updates_of_stored_rows(step.graph);
    for (std::size_t i = 0; i < by_rows.size(); ++i)
      if (by_rows[i]) add_rows(step, step.graph.operations[i].inputs[0], pieces);
  }

  std::int64_t count() const {
    std::int64_t sum = 0;
    for (const auto& [offset, places] : places_) sum += places;
    return sum;
  }

 private:
  static std::int64_t offset_of(const RunnableStep& step, TensorId tensor) {
    return at(step.layout.slot_offset_bytes, tensor).value();
  }

  void raise(std::int64_t offset_bytes, std::int64_t places) {
    std::int64_t& there = places_[offset_bytes];
    there = std::max(there, places);
  }

  // Each row of the table may be written by itself.
  void add_rows(const RunnableStep& step, TensorId table,
                const std::map<TensorId, TensorPiece>& pieces) {
    const TensorType& type = at(step.graph.tensors, table).type;
    const auto piece = pieces.find(table);
    raise(offset_of(step, table),
          type.shape[0] + places_of_pieces(type, piece == pieces.end() ? nullptr : &piece->second,
                                           piece_bytes_));
  }

  std::int64_t piece_bytes_;
  std::map<std::int64_t, std::int64_t> places_ = {};  // by offset
};

// At how many places of a store writes of these steps begin, at the most; `pieces` are those of
// each step's graph, and values that outlive a step also come in pieces of `piece_bytes`
// (HeldValue). What was written and is not overwritten begins at different places, so this is how
// many checksums there can be at a time.
std::int64_t count_write_places(const std::vector<RunnableStep>& steps,
                                const std::vector<std::map<TensorId, TensorPiece>>& pieces,
                                std::int64_t piece_bytes) {
  POET_CHECK(steps.size() == pieces.size() && piece_bytes > 0);
  Places places(piece_bytes);
  for (std::size_t k = 0; k < steps.size(); ++k) places.add(steps[k], pieces[k]);
  return places.count();
}

bool has_rom(const Graph& graph) {
  return std::any_of(graph.tensors.begin(), graph.tensors.end(),
                     [](const GraphTensor& tensor) { return tensor.home == Home::Rom; });
}

// A rom lies beside the store.
std::string rom_folder(const std::string& storage) {
  std::error_code ignored;
  if (std::filesystem::is_directory(storage, ignored)) return storage;
  const std::string parent = std::filesystem::path(storage).parent_path().string();
  return parent.empty() ? "." : parent;
}

Failure make_rom(RunningForms& running, const StorageOptions& storage) {
  std::vector<RomSource> sources;
  for (std::size_t k = 0; k < running.graphs.size(); ++k)
    if (has_rom(running.graphs[k])) sources.push_back({running.graphs[k], running.initial[k]});
  if (sources.empty()) return std::nullopt;
  Result<Rom> rom = Rom::create(rom_folder(storage.path), sources);
  if (!rom.ok()) return rom.error();
  running.rom = *std::move(rom);
  return std::nullopt;
}

Result<std::unique_ptr<PageStore>> store_at(const std::string& path, const StorageOptions& storage,
                                            const StoreSize& size) {
  return PageStore::create({.path = path,
                            .size_bytes = size.bytes,
                            .direct = storage.direct,
                            .checksums = storage.checksums,
                            .engine = storage.engine,
                            .largest_extents = std::max<std::int64_t>(size.write_places, 1)});
}

Failure make_store(RunningForms& running, const PlannedForms& planned,
                   const StorageOptions& storage) {
  if (planned.storage_bytes == 0) return std::nullopt;
  Result<std::unique_ptr<PageStore>> store = store_at(
      storage.path, storage,
      {.bytes = planned.storage_bytes,
       .write_places = count_write_places(planned.steps, running.pieces, kValuePieceBytes)});
  if (!store.ok()) return store.error();
  running.store = *std::move(store);
  return std::nullopt;
}

Result<Arena> make_further_arena(const std::string& memory, std::int64_t size_bytes,
                                 std::int64_t alignment_bytes, const StorageOptions& storage) {
  const auto folder = storage.memory_folders.find(memory);
  return folder == storage.memory_folders.end()
             ? Arena::create(size_bytes, alignment_bytes)
             : Arena::create_in_folder(folder->second, size_bytes, alignment_bytes);
}

Failure make_executors(RunningForms& running, const PlannedForms& planned,
                       const ExecutorOptions& options) {
  ExecutorMemory memory{
      .arena = running.arena->bytes(), .store = running.store.get(), .rom = &running.rom};
  for (const Arena& arena : running.further_arenas) memory.further_arenas.push_back(arena.bytes());
  for (const RunnableStep& step : planned.steps) {
    Result<std::unique_ptr<Executor>> executor = Executor::create(step, memory, options);
    if (!executor.ok()) return executor.error();
    running.executors.push_back(*std::move(executor));
  }
  return std::nullopt;
}

std::optional<TensorPiece> piece_of(const StepGraph& form, TensorId tensor) {
  const auto found = form.pieces.find(tensor);
  if (found == form.pieces.end()) return std::nullopt;
  return found->second;
}

Shape output_shape(const Graph& graph) {
  if (graph.outputs.empty()) return {};
  return at(graph.tensors, graph.outputs.front()).type.shape;
}

}  // namespace

// Files beside the store have its name and some bytes more.
Failure check_length(const std::filesystem::path& store, const std::filesystem::path& folder) {
  constexpr long kBytesMore = 24;
  const long most = ::pathconf(folder.empty() ? "." : folder.c_str(), _PC_NAME_MAX);
  const std::string name = store.filename().string();
  if (most < 0 || static_cast<long>(name.size()) + kBytesMore <= most) return std::nullopt;
  return bad_input(fmt::format("the name {} is too long for storage: it may have {}",
                               in_quotes(name), bytes_text(most - kBytesMore)));
}

Failure check_storage(const StorageOptions& storage) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (const auto& [name, folder] : storage.memory_folders)
    if (!fs::is_directory(folder, ignored))
      return Error{ErrorCode::NotFound,
                   fmt::format("the memory {} cannot be in {}: there is no such folder",
                               in_quotes(name), in_quotes(folder)),
                   {}};
  const bool is_folder = storage.path.empty() || fs::is_directory(storage.path, ignored);
  const fs::path folder = is_folder ? fs::path(storage.path) : fs::path(storage.path).parent_path();
  if (folder.empty() || fs::is_directory(folder, ignored))
    return is_folder ? Failure() : check_length(storage.path, folder);
  return Error{ErrorCode::NotFound,
               fmt::format("nothing can be stored in {}: there is no folder {}",
                           in_quotes(storage.path), in_quotes(folder.string())),
               {}};
}

Failure check_memory_folders(const StorageOptions& storage, const Question& question) {
  std::vector<std::string_view> known;
  if (question.device)
    for (const auto& memory : question.device->memories) known.push_back(memory.name);
  for (const auto& [name, folder] : storage.memory_folders) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = suggestion(name, known);
    if (!near.empty())
      return bad_input(fmt::format("the device has no memory {}{}", in_quotes(name), near));
    return bad_input(
        known.empty()
            ? fmt::format("the device has no memory beside its RAM, and so no {}", in_quotes(name))
            : fmt::format("the device has no memory {}, but {}", in_quotes(name),
                          fmt::join(known, ", ")));
  }
  return std::nullopt;
}

// Where the store is a file with a name, this is one with another.
Result<std::unique_ptr<PageStore>> make_store_beside(const StorageOptions& storage,
                                                     const StoreSize& size) {
  std::error_code ignored;
  const bool is_folder =
      storage.path.empty() || std::filesystem::is_directory(storage.path, ignored);
  return store_at(is_folder ? storage.path : storage.path + ".aside", storage, size);
}

std::vector<PartPlace> part_places(const StepGraph& form, const WantedParts& wanted) {
  std::vector<PartPlace> places;
  for (const NamedTensor& input : form.inputs)
    for (std::size_t part = 0; part < wanted.parts.size(); ++part)
      if (wanted.parts[part].name == input.name)
        places.push_back({input.tensor, part, piece_of(form, input.tensor)});
  for (const TensorId target : form.targets)
    places.push_back({target, wanted.parts.size() - 1, piece_of(form, target)});
  return places;
}

const ReadyForm* RunningForms::form(const std::string& name) const {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return &ready[k];
  return nullptr;
}

void RunningForms::forget_beginning() {
  for (ReadyForm& form : ready) {
    form.graph = nullptr;
    form.pieces = nullptr;
  }
  graphs.clear();
  initial.clear();
  pieces.clear();
}

Result<std::unique_ptr<RunningForms>> start_forms(StepForms& forms, PlannedForms& planned,
                                                  const StorageOptions& storage,
                                                  const ExecutorOptions& options) {
  POET_CHECK(forms.forms.size() == planned.steps.size());
  auto running = std::make_unique<RunningForms>();
  const std::int64_t alignment_bytes = planned.steps.front().layout.alignment_bytes;
  for (StepGraph& form : forms.forms) {
    running->names.push_back(form.name);
    running->graphs.push_back(std::move(form.graph));
    running->initial.push_back(std::move(form.initial));
    running->pieces.push_back(form.pieces);
  }
  if (Failure failure = make_rom(*running, storage)) return *failure;
  if (Failure failure = make_store(*running, planned, storage)) return *failure;
  Result<Arena> arena = Arena::create(planned.arena_bytes, alignment_bytes);
  if (!arena.ok()) return arena.error();
  running->arena.emplace(*std::move(arena));
  for (std::size_t m = 0; m < planned.further_arena_bytes.size(); ++m) {
    const std::string& name = forms.forms.front().instance.problem.further_memories[m].name;
    Result<Arena> further =
        make_further_arena(name, planned.further_arena_bytes[m], alignment_bytes, storage);
    if (!further.ok()) return further.error();
    running->further_arenas.push_back(*std::move(further));
  }
  if (Failure failure = make_executors(*running, planned, options)) return *failure;
  planned.steps.clear();
  running->buffer.resize(kValuePieceBytes);
  for (std::size_t k = 0; k < forms.forms.size(); ++k)
    running->ready.push_back({.executor = running->executors[k].get(),
                              .inputs = part_places(forms.forms[k], forms.wanted),
                              .share = forms.forms[k].share,
                              .output_shape = output_shape(running->graphs[k]),
                              .graph = &running->graphs[k],
                              .pieces = &running->pieces[k]});
  return running;
}

}  // namespace poet
