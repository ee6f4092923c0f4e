#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>

#include "poet/base/result.h"

namespace poet {

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

  // Before a checkpoint is written: what came there since the last one is of somebody else, and
  // gets another name, which is returned; nothing where nothing came.
  Result<std::optional<std::string>> make_way() const;
  // After it was written.
  void take_note();

 private:
  // Which file a name is of, and what is in it.
  struct FileMark {
    dev_t device = 0;
    ino_t number = 0;
    off_t size_bytes = 0;
    timespec changed = {};

    bool operator==(const FileMark& other) const;
  };

  CheckpointPlace(std::string path, std::string target, std::string lock_name, int lock)
      : path_(std::move(path)),
        target_(std::move(target)),
        lock_name_(std::move(lock_name)),
        lock_(lock) {}

  std::optional<FileMark> mark() const;

  std::string path_;
  std::string target_;  // behind all links
  std::string lock_name_;
  int lock_;
  std::optional<FileMark> known_ = {};
};

// Both that a training may have.
struct CheckpointPlaces {
  std::unique_ptr<CheckpointPlace> last = {};
  std::unique_ptr<CheckpointPlace> best = {};
};

}  // namespace poet
