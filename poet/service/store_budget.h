#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/service/job_queue.h"
#include "poet/service/model_shelf.h"
#include "poet/store/job_store.h"

namespace poet {

// Whether a service has kept its jobs in this folder.
bool is_store_folder(const std::string& path);

// Makes the folder of a store, for its owner alone; one that is there keeps its mode: whoever made
// it had a reason. Refuses one that has anything in it and is no store: what a service finds under
// its names it takes for its own, and removes what it does not know.
Failure make_store_folder(const std::string& path);

// Holds a store's folder within a size. Everything in it counts as it lies on the disk: results,
// models, what runs, and what is not in use in the database. When something new needs room, what
// was not used for the longest time is forgotten first; what waits, runs, or is needed by that,
// stays. Its functions may be called from several threads; whoever calls them holds no lock of the
// queue.
class StoreBudget {
 public:
  using InUse = JobQueue::InUse;
  using UsedBytes = std::function<Result<std::int64_t>()>;

  StoreBudget(std::string folder, std::int64_t most_bytes, JobStore& store, ModelShelf& shelf,
              std::function<Result<InUse>()> in_use, UsedBytes used_bytes = {})
      : folder_(std::move(folder)),
        most_bytes_(most_bytes),
        store_(store),
        shelf_(shelf),
        in_use_(std::move(in_use)),
        used_bytes_(std::move(used_bytes)) {}

  // Of all files in the folder, each once however many names it has; or what a database says.
  Result<std::int64_t> used_bytes() const;

  // Makes room, and writes while nobody else can take it; false: there is none.
  Result<bool> write(std::int64_t bytes, const std::function<Failure()>& write);

  // While it is held nothing is forgotten and nothing else is written through write().
  [[nodiscard]] std::unique_lock<std::mutex> hold() const {
    return std::unique_lock<std::mutex>(mutex_);
  }
  // What becomes of the rest where all that may be forgotten is not enough.
  enum class IfTooLittle { ForgetNothing, ForgetAll };
  // With that in hand. `besides`: what must stay as well.
  Result<bool> make_room(const std::unique_lock<std::mutex>& held, std::int64_t bytes,
                         const InUse& besides = {},
                         IfTooLittle otherwise = IfTooLittle::ForgetNothing);

  struct Forgotten {
    std::int64_t results = 0;
    std::int64_t models = 0;
  };
  Forgotten forgotten() const;

 private:
  // The oldest things that are large enough together, with their sizes on the disk.
  Result<std::vector<KeptThing>> oldest_of(std::int64_t bytes, const InUse& in_use) const;
  Failure forget(const KeptThing& thing);

  std::string folder_;
  std::int64_t most_bytes_;
  JobStore& store_;
  ModelShelf& shelf_;
  std::function<Result<InUse>()> in_use_;
  UsedBytes used_bytes_;
  mutable std::mutex mutex_;
  Forgotten forgotten_;
};

// What `poet serve --prune` did.
struct PruneReport {
  std::int64_t before_bytes = 0;
  std::int64_t after_bytes = 0;
  std::int64_t leftovers = 0;  // files that no service knows
  StoreBudget::Forgotten forgotten = {};
};

// Makes the store of no running service small enough. Refuses what is no store, or is in use.
Result<PruneReport> prune_store(const std::string& folder, std::int64_t most_bytes);

}  // namespace poet
