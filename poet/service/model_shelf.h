#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "poet/base/json_out.h"
#include "poet/base/result.h"
#include "poet/service/access.h"
#include "poet/service/service_error.h"
#include "poet/store/job_store.h"

namespace poet {

// The bytes of the models that were uploaded, by their ids ("sha256:..."), beside what a store
// knows of them. In a folder of one service; a team has them in its database (team_models.h).
class ModelFiles {
 public:
  virtual ~ModelFiles() = default;

  // Keeps the bytes of a file, which is gone then, and after them what is known of them.
  virtual Failure keep(const std::string& id, const std::string& aside_path, const std::string& key,
                       const std::string& note) = 0;
  // Makes a model that is there the file `path`.
  virtual Failure bring(const std::string& id, const std::string& path) const = 0;
  // The bytes and what is known of them.
  virtual Failure remove(const std::string& id, const std::string& key) = 0;
  virtual bool has(const std::string& id) const = 0;
  // Besides what the store counts itself.
  virtual std::int64_t size_bytes(const std::string& id) const = 0;
  // Removes what a service left that ended while it looked at an upload, and all files that are not
  // of these models. How many.
  virtual Result<std::int64_t> remove_all_but(const std::set<std::string>& ids) = 0;
};

class FolderModels final : public ModelFiles {
 public:
  FolderModels(std::string folder, JobStore& store) : folder_(std::move(folder)), store_(store) {}

  Failure keep(const std::string& id, const std::string& aside_path, const std::string& key,
               const std::string& note) override;
  // By a second name of the same file.
  Failure bring(const std::string& id, const std::string& path) const override;
  Failure remove(const std::string& id, const std::string& key) override;
  bool has(const std::string& id) const override;
  std::int64_t size_bytes(const std::string& id) const override;
  Result<std::int64_t> remove_all_but(const std::set<std::string>& ids) override;

 private:
  std::string path_of(const std::string& id) const;

  std::string folder_;
  JobStore& store_;
};

// The ONNX files that were uploaded, each once, under the hash of its bytes. What is known of them
// is a note in the store. A name that a user gave is never a path. The folder has what is looked at
// before it is kept.
class ModelShelf {
 public:
  // Makes the folder where it is not there.
  static Failure prepare(const std::string& folder);

  ModelShelf(std::string folder, ModelFiles& files, JobStore& store)
      : folder_(std::move(folder)), files_(files), store_(store) {}

  // "sha256:..." of some bytes.
  static std::string id_of(const std::string& bytes);
  // At most 100 characters for people, without controls.
  static std::string shown_name(const std::string& given);

  // The object of GET /v1/models, as this caller may see it: nobody learns what others call it.
  // Nothing when it is not there, whoever owns it.
  Result<std::optional<JsonOut>> find(const std::string& id, const Caller& caller) const;
  Result<std::vector<JsonOut>> list(const Caller& caller) const;
  // What jobs call it: its name, or the id of a network of the zoo. Nothing where it is not there,
  // or another's.
  Result<std::optional<std::string>> name_of_model(const std::string& id,
                                                   const Caller& caller) const;
  // Of one that is there: it is this caller's as well, under a name of their own where they did not
  // have it before. Whether that is so.
  Result<bool> own(const std::string& id, const Caller& caller, const std::string& name);

  // Makes a model that is there the file `path`.
  Failure bring(const std::string& id, const std::string& path) const;
  // Besides what the store counts itself.
  std::int64_t size_bytes(const std::string& id) const { return files_.size_bytes(id); }
  // A file that is looked at before it is kept, under a name of its own; remove() ends that.
  Result<std::string> put_aside(const std::string& bytes);
  // Keeps such a file, and what is known of it, the file first.
  Failure keep(const std::string& id, const std::string& aside_path, const JsonOut& object);
  // The file and what is known of it, for all who own it.
  Failure remove(const std::string& id);
  // The key of what is known of it, in the store, and the model of such a key (nothing of others).
  static std::string note_of(const std::string& id);
  static std::optional<std::string> model_of_note(const std::string& key);
  // Removes files that nothing is known of, and what is known of files that are not there: what a
  // service left that ended between the two. How many.
  Result<std::int64_t> tidy();

 private:
  Result<std::optional<JsonOut>> note_about(const std::string& id) const;

  std::string folder_;
  ModelFiles& files_;
  JobStore& store_;
  std::atomic<std::int64_t> next_aside_ = 0;
};

// The networks of the zoo as such objects.
JsonOut zoo_models();

}  // namespace poet
