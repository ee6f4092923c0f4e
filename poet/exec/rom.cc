#include "poet/exec/rom.h"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "poet/base/atomic_file.h"
#include "poet/exec/value_pieces.h"
#include "poet/model/mapped_file.h"

namespace poet {
namespace {

constexpr std::int64_t kRomAlignmentBytes = 64;

struct RomValue {
  const GraphTensor* tensor = nullptr;
  const Initial* initial = nullptr;
  std::int64_t offset_bytes = 0;
};

// In order of first appearance.
class Contents {
 public:
  Failure add(const RomSource& source) {
    for (std::size_t i = 0; i < source.graph.tensors.size(); ++i) {
      const auto id = static_cast<TensorId>(i);
      if (source.graph.tensors[i].home != Home::Rom) continue;
      const auto initial = source.initial.find(id);
      if (initial == source.initial.end())
        return bad_input(
            fmt::format("{} lies in rom and has no value", source.graph.tensors[i].name));
      if (Failure failure = add(source.graph.tensors[i], initial->second)) return failure;
    }
    return std::nullopt;
  }

  const std::vector<RomValue>& values() const { return values_; }

 private:
  Failure add(const GraphTensor& tensor, const Initial& initial) {
    const auto [place, is_new] = places_.insert({tensor.name, values_.size()});
    if (!is_new) return check_same(*values_[place->second].tensor, tensor);
    values_.push_back({&tensor, &initial, end_bytes_});
    end_bytes_ += (size_bytes(tensor.type) + kRomAlignmentBytes - 1) & -kRomAlignmentBytes;
    return std::nullopt;
  }

  static Failure check_same(const GraphTensor& before, const GraphTensor& now) {
    if (before.type == now.type) return std::nullopt;
    return bad_input(fmt::format("{} lies in rom as {} and as {}", now.name, to_text(before.type),
                                 to_text(now.type)));
  }

  std::vector<RomValue> values_;
  std::map<std::string, std::size_t> places_;
  std::int64_t end_bytes_ = 0;
};

Failure append_value(const RomValue& value, FileWriter& writer) {
  const std::vector<std::byte> gap(
      static_cast<std::size_t>(value.offset_bytes - writer.written_bytes()));
  if (Failure failure = writer.append(gap)) return failure;
  return for_each_piece(
      *value.initial, value.tensor->type,
      [&](std::int64_t, std::span<const std::byte> piece) { return writer.append(piece); });
}

}  // namespace

Result<Rom> Rom::create(const std::string& path, std::span<const RomSource> sources, RomFile file) {
  Contents contents;
  for (const RomSource& source : sources)
    if (Failure failure = contents.add(source)) return *failure;
  const auto fill = [&](FileWriter& writer) -> Failure {
    for (const RomValue& value : contents.values())
      if (Failure failure = append_value(value, writer)) return failure;
    return std::nullopt;
  };
  if (Failure failure = write_file_atomically(path, fill)) return *failure;

  Result<StoredBytes> mapped = map_file(path);
  if (file == RomFile::Removed && std::remove(path.c_str()) != 0)
    return Error{ErrorCode::Io, fmt::format("cannot remove '{}'", path), {}};
  if (!mapped.ok()) return mapped.error();
  Rom rom;
  rom.file_ = *std::move(mapped);
  for (const RomValue& value : contents.values())
    rom.values_[value.tensor->name] =
        rom.file_.bytes.subspan(static_cast<std::size_t>(value.offset_bytes),
                                static_cast<std::size_t>(poet::size_bytes(value.tensor->type)));
  return rom;
}

std::span<const std::byte> Rom::find(const std::string& name) const {
  const auto place = values_.find(name);
  return place == values_.end() ? std::span<const std::byte>{} : place->second;
}

}  // namespace poet
