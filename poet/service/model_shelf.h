#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "poet/base/json_out_fwd.h"
#include "poet/base/result.h"
#include "poet/service/service_error.h"
#include "poet/store/job_store.h"

namespace poet {

// The ONNX files that were uploaded, each once, under the hash of its bytes. What is known of them
// is a note in the store. A name that a user gave is never a path.
class ModelShelf {
 public:
  // Makes the folder where it is not there.
  static Failure prepare(const std::string& folder);

  ModelShelf(std::string folder, JobStore& store) : folder_(std::move(folder)), store_(store) {}

  // "sha256:..." of some bytes.
  static std::string id_of(const std::string& bytes);
  // At most 100 characters for people, without controls.
  static std::string shown_name(const std::string& given);

  // The object of GET /v1/models; nothing when it is not there.
  Result<std::optional<JsonOut>> find(const std::string& id) const;
  Result<std::vector<JsonOut>> list() const;
  // What jobs call it: its name, or the id of a network of the zoo.
  Result<std::optional<std::string>> name_of_model(const std::string& id) const;

  // Where a model that is there lies.
  std::string path_of(const std::string& id) const;
  // Keeps a file and what is known of it, the file first.
  Failure keep(const std::string& id, const std::string& bytes, const JsonOut& object);

 private:
  std::string folder_;
  JobStore& store_;
};

// The networks of the zoo as such objects.
JsonOut zoo_models();

}  // namespace poet
