#include "poet/exec/rom.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "poet/base/atomic_file.h"
#include "poet/base/file_calls.h"
#include "poet/base/message_text.h"
#include "poet/exec/value_pieces.h"
#include "poet/model/mapped_file.h"

namespace poet {
namespace {

constexpr std::int64_t kRomAlignmentBytes = 64;
// What is larger may be gone again before it is read to its end: it is better read ahead bit by
// bit, as files are.
constexpr std::size_t kMostFetchedBytes = std::size_t{8} << 20;

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

bool lies_in(std::span<const std::byte> whole, std::span<const std::byte> bytes) {
  const std::less_equal<> at_most;
  return at_most(whole.data(), bytes.data()) &&
         at_most(bytes.data() + bytes.size(), whole.data() + whole.size());
}

// The bytes of a new file, which is nobody else's and ends with the program.
Result<StoredBytes> written_in(const std::string& folder, const std::vector<RomValue>& values) {
  FileCalls& calls = system_file_calls();
  const std::string shown = "what lies in rom, into the folder " + in_quotes(folder);
  const int file = open_nameless_file(folder, calls);
  if (file < 0)
    return Error{ErrorCode::Io, fmt::format("cannot write {}: {}", shown, reason_of(-file)), {}};
  FileWriter writer(calls, file, folder);
  Failure failure;
  for (const RomValue& value : values)
    if (!failure) failure = append_value(value, writer);
  Result<StoredBytes> mapped = failure ? *failure : map_open_file(file, shown);
  calls.close(file);
  return mapped;
}

}  // namespace

Result<Rom> Rom::create(const std::string& folder, std::span<const RomSource> sources) {
  Contents contents;
  for (const RomSource& source : sources)
    if (Failure failure = contents.add(source)) return *failure;
  Result<StoredBytes> mapped = written_in(folder, contents.values());
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

void Rom::fetch(std::span<const std::byte> bytes) const {
  if (bytes.empty() || bytes.size() > kMostFetchedBytes || !lies_in(file_.bytes, bytes)) return;
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()) & ~(page_bytes - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data()) + bytes.size();
  // Both are advice: where they fail, pages come as they are looked at.
  for (const int advice : {MADV_RANDOM, MADV_WILLNEED})
    ::madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

void Rom::end_fetching() const {
  if (!file_.bytes.empty())
    ::madvise(const_cast<std::byte*>(file_.bytes.data()), file_.bytes.size(), MADV_NORMAL);
}

}  // namespace poet
