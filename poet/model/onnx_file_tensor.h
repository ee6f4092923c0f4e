#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/model/initial.h"
#include "poet/model/onnx_file.h"

namespace poet {

// Where a tensor's bytes are, in a file beside the model.
struct ExternalPlace {
  std::string location = {};  // relative to the model's folder
  std::int64_t offset_bytes = 0;
  std::optional<std::int64_t> length_bytes = {};  // as the model says it
};

// The files beside one model that hold external data, mapped once each.
class ExternalFiles {
 public:
  explicit ExternalFiles(std::string model_path) : model_path_(std::move(model_path)) {}

  // `size_bytes` bytes from that place on. Refuses places outside the model's folder, also by
  // symbolic links, lengths that differ from the tensor's size, and files that end too early.
  Result<StoredBytes> part(const ExternalPlace& place, std::int64_t size_bytes);
  // Of those that parts were asked of.
  std::vector<std::string> paths() const;

 private:
  Result<StoredBytes> file(const std::string& location);

  std::string model_path_;
  std::map<std::string, StoredBytes> mapped_;
};

// A tensor of a message that `owner` keeps alive: values point into it where they can. `files` is
// null where external data cannot be.
Result<OnnxTensor> read_tensor(const onnx::TensorProto& proto,
                               const std::shared_ptr<const void>& owner, ExternalFiles* files);

}  // namespace poet
