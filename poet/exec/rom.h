#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/graph/graph.h"
#include "poet/model/initial.h"

namespace poet {

// Values for the tensors of a graph that have home Rom.
struct RomSource {
  const Graph& graph;
  const std::map<TensorId, Initial>& initial;
};

// What never changes, by name: constants, and parameters that are not trained. It lies in a mapped
// file: pages of it come into memory as they are looked at, and leave again at no cost.
class Rom {
 public:
  // Writes a file without a name in a folder, piece by piece, each tensor at a multiple of 64
  // bytes, one of several graphs once, and maps it. Refuses a folder that cannot be written to, and
  // a tensor without a value or that has another type in another graph.
  static Result<Rom> create(const std::string& folder, std::span<const RomSource> sources);

  // Empty where there is none of that name.
  std::span<const std::byte> find(const std::string& name) const;
  // Has bytes of a value come at once, where it can, since they are about to be read. Looked at
  // otherwise they come with as much around them as the kernel reads ahead of files (up to 8 MiB),
  // which in little memory drives out what is needed. Bytes of no rom are left alone.
  void fetch(std::span<const std::byte> bytes) const;
  // Between steps values are read from their beginnings to their ends, as files are.
  void end_fetching() const;
  std::int64_t size_bytes() const { return static_cast<std::int64_t>(file_.bytes.size()); }

 private:
  StoredBytes file_ = {};
  std::map<std::string, std::span<const std::byte>> values_ = {};
};

}  // namespace poet
