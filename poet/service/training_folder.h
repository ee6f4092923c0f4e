#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/json_out.h"
#include "poet/base/result.h"
#include "poet/tell/progress_rows.h"

namespace poet {

// The progress files of trainings (docs/formats/progress.md) in a folder that others write to.
// Nothing in it is trusted: only regular files that lie in it count, links are not followed, a pipe
// is not waited for, of each line only what the format has is passed on, and how much is read at a
// time is bounded.

// Whether a training still runs, as the lock on its file says; nothing where there are no locks.
using IsRunning = std::optional<bool>;

// One file, read on as it grows.
class TrainingReader {
 public:
  TrainingReader(const std::string& folder, std::string name);
  ~TrainingReader();
  TrainingReader(TrainingReader&& other) noexcept;
  TrainingReader(const TrainingReader&) = delete;
  TrainingReader& operator=(const TrainingReader&) = delete;

  bool is_open() const { return file_ >= 0; }

  // The rows of the next piece of the file; lines that are none are left out.
  std::vector<ProgressRow> read_on();
  std::int64_t unread_bytes() const;
  // Until something happens to the file, or the time is over.
  void wait(double most_s);
  // Begins where the last `bytes` do, with the first whole line there.
  void skip_to_last(std::int64_t bytes);

  // Where the next line begins, for who comes again; nothing within a line that is no row.
  std::optional<std::string> place() const;
  // Goes on from a place of this very file. False, and from the beginning, of any other text.
  bool go_on_from(std::string_view place);

  // Whether the file was replaced, shortened or taken away since.
  bool is_another() const;
  IsRunning is_running() const;
  std::int64_t changed_at_unix_s() const;

  // The first row, where it is the beginning of a progress file.
  const std::optional<ProgressRow>& begin() const { return begin_; }

 private:
  std::string folder_;
  std::string name_;
  int file_ = -1;
  int happenings_ = -1;  // inotify's; without it the time of a wait is waited for
  std::int64_t offset_bytes_ = 0;
  std::string rest_ = {};     // of a line whose end did not come yet
  bool is_too_long_ = false;  // that line
  bool is_unreadable_ = false;
  std::optional<ProgressRow> begin_ = {};
};

// How a training stands: "planning", "training", "ended", "stopped", "failed", "died".
std::string training_state(const std::vector<ProgressRow>& rows, IsRunning running);

// The newest files of the folder that are of trainings, each as one object: id, name, state and
// what its last lines say.
Result<std::vector<JsonOut>> trainings_in(const std::string& folder);

// What a name is called in addresses: hexadecimal digits, whatever the name.
std::string training_id(std::string_view name);

// The file of an id; nothing where no training in the folder has it.
Result<std::optional<TrainingReader>> open_training(const std::string& folder,
                                                    const std::string& id);

}  // namespace poet
