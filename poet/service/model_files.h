#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "poet/base/result.h"
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

}  // namespace poet
