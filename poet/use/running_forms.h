#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/disk/page_store.h"
#include "poet/exec/arena.h"
#include "poet/exec/executor.h"
#include "poet/exec/rom.h"
#include "poet/forms/plan_forms.h"
#include "poet/forms/step_forms.h"
#include "poet/train/ready_form.h"

namespace poet {

// Where what does not fit into RAM goes.
struct StorageOptions {
  std::string path = {};  // a folder, or the file to make
  bool direct = false;    // past the page cache
  bool checksums = false;
  IoEngine engine = IoEngine::Auto;
  // By the names of memories beside the RAM: folders in which their arenas are files. The others
  // are memory of the program.
  std::map<std::string, std::string> memory_folders = {};
};

// Whether files can be made there, as far as that can be known before any is: asked before a plan
// is looked for, which takes longer.
Failure check_storage(const StorageOptions& storage);

// Whether the question's device has all memories that folders are given for. No device has no such
// memory.
Failure check_memory_folders(const StorageOptions& storage, const Question& question);

// What values that outlive a step come in on their way to and from a checkpoint or another rank:
// large enough that the transfers are not felt, small enough for any budget; a multiple of every
// block of a disk.
inline constexpr std::int64_t kValuePieceBytes = 128 << 10;

// What a store has room for.
struct StoreSize {
  std::int64_t bytes = 0;
  std::int64_t write_places = 0;  // for checksums: at which what is written may begin
};

// The forms of a step, ready to run one at a time in one arena with one store.
struct RunningForms {
  std::vector<std::string> names = {};
  // Until forget_beginning(): ready[k] points to them.
  std::vector<Graph> graphs = {};
  std::vector<std::map<TensorId, Initial>> initial = {};
  std::vector<std::map<TensorId, TensorPiece>> pieces = {};  // of the graphs
  Rom rom = {};
  std::unique_ptr<PageStore> store = {};
  std::optional<Arena> arena = {};
  std::vector<Arena> further_arenas = {};  // of memories 1, 2, ...
  std::vector<std::unique_ptr<Executor>> executors = {};
  std::vector<ReadyForm> ready = {};
  std::vector<std::byte> buffer = {};  // for pieces of values on their way

  // Null where there is no such form.
  const ReadyForm* form(const std::string& name) const;

  // Gives back what only the beginning needs: the graphs and their initial values, once these are
  // set and held_values() are known.
  void forget_beginning();
};

// A store of its own beside that of the pages.
Result<std::unique_ptr<PageStore>> make_store_beside(const StorageOptions& storage,
                                                     const StoreSize& size);

// Which part of the examples goes into which tensor: inputs by name, the target last, as
// StepForms::wanted has the parts.
std::vector<PartPlace> part_places(const StepGraph& form, const WantedParts& wanted);

// What the forms need to run, made and checked. Graphs and initial values move out of `forms`, and
// plans out of `planned`.
Result<std::unique_ptr<RunningForms>> start_forms(StepForms& forms, PlannedForms& planned,
                                                  const StorageOptions& storage,
                                                  const ExecutorOptions& options);

}  // namespace poet
