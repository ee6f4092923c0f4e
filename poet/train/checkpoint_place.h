#pragma once

#include <sys/stat.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "poet/base/atomic_file.h"
#include "poet/base/result.h"

namespace poet {

// Of the lock of a checkpoint that is written at `target`, where links lead.
std::string lock_path(const std::string& target);

// Where a training writes a checkpoint, from its beginning to its end: no other training writes
// there meanwhile, and what somebody else puts there is kept.
class CheckpointPlace {
 public:
  // By a lock on `<path>.poet-lock` beside it, which is gone at the end. What lies at `path` now is
  // the training's: to go on from, or to replace. Refuses a place that another training has.
  static Result<std::unique_ptr<CheckpointPlace>> take(const std::string& path);

  CheckpointPlace(const CheckpointPlace&) = delete;
  CheckpointPlace& operator=(const CheckpointPlace&) = delete;
  ~CheckpointPlace();

  const std::string& path() const { return path_; }

  // Replaces what is there as a whole or not at all (atomic_file.h), where links led when the place
  // was taken. What came there since the last time is of somebody else, and gets another name,
  // which is returned; nothing where nothing came.
  Result<std::optional<std::string>> write(const std::function<Failure(FileWriter&)>& fill);

 private:
  // Which file a name is of, and what is in it.
  struct FileMark {
    dev_t device = 0;
    ino_t number = 0;
    off_t size_bytes = 0;
    timespec changed = {};

    bool operator==(const FileMark& other) const;
  };

  // The file of the lock, and whether it was made for it.
  struct Lock {
    std::string name = {};
    int file = -1;  // or the negative error number
    bool is_made = false;
  };
  static Lock locked(std::string name);

  CheckpointPlace(std::string path, std::string target, Lock lock)
      : path_(std::move(path)), target_(std::move(target)), lock_(std::move(lock)) {}

  std::optional<FileMark> mark() const;
  Result<std::optional<std::string>> make_way() const;

  std::string path_;
  std::string target_;  // behind all links
  Lock lock_;
  std::optional<FileMark> known_ = {};
};

// Both that a training may have.
struct CheckpointPlaces {
  std::unique_ptr<CheckpointPlace> last = {};
  std::unique_ptr<CheckpointPlace> best = {};
};

}  // namespace poet
