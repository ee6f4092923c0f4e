#include "poet/data/npz_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "poet/base/message_text.h"

namespace poet {
namespace {

// Records of a ZIP archive begin with one of these; sections 4.3.6 to 4.3.16 of APPNOTE.TXT.
constexpr std::uint32_t kLocalFile = 0x04034B50;
constexpr std::uint32_t kDirectoryEntry = 0x02014B50;
constexpr std::uint32_t kEnd = 0x06054B50;
constexpr std::uint32_t kEnd64 = 0x06064B50;
constexpr std::uint32_t kEnd64Locator = 0x07064B50;

constexpr std::int64_t kEndBytes = 22;
constexpr std::int64_t kEnd64LocatorBytes = 20;
constexpr std::int64_t kEnd64Bytes = 56;
constexpr std::int64_t kEntryBytes = 46;
constexpr std::int64_t kLocalFileBytes = 30;
constexpr std::int64_t kLargestComment = 65'535;
constexpr std::int64_t kLargestDirectoryBytes = std::int64_t{64} << 20;

constexpr std::uint64_t kIn64Bits = 0xFFFF'FFFF;  // in place of a size that does not fit
constexpr std::uint16_t kExtra64 = 0x0001;
constexpr std::uint64_t kStored = 0;  // methods, section 4.4.5
constexpr std::uint64_t kDeflated = 8;

// Bytes of the archive; numbers in it have their least significant byte first.
struct Record {
  std::vector<std::byte> bytes = {};

  std::uint64_t whole(std::size_t at, std::size_t length) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < length && at + i < bytes.size(); ++i)
      value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
    return value;
  }
  std::uint32_t magic(std::size_t at) const { return static_cast<std::uint32_t>(whole(at, 4)); }
};

class Archive {
 public:
  explicit Archive(std::shared_ptr<const DataFile> file) : file_(std::move(file)) {}

  Error refuse(const std::string& why) const {
    return bad_input(fmt::format("{} is not an NPZ file: {}", quoted_path(file_->path()), why));
  }

  Result<Record> read(std::uint64_t offset, std::int64_t size_bytes) const {
    const auto length = static_cast<std::uint64_t>(file_->size_bytes());
    if (offset > length || length - offset < static_cast<std::uint64_t>(size_bytes))
      return refuse("it is cut off");
    Record record{std::vector<std::byte>(static_cast<std::size_t>(size_bytes))};
    if (Failure failure = file_->read(static_cast<std::int64_t>(offset), record.bytes))
      return *failure;
    return record;
  }

  const std::shared_ptr<const DataFile>& file() const { return file_; }

 private:
  std::shared_ptr<const DataFile> file_;
};

struct DirectoryPlace {
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
};

Result<DirectoryPlace> directory_64(const Archive& archive, std::uint64_t end_offset) {
  if (end_offset < kEnd64LocatorBytes) return archive.refuse("it has no directory");
  const Result<Record> locator = archive.read(end_offset - kEnd64LocatorBytes, kEnd64LocatorBytes);
  if (!locator.ok()) return locator.error();
  if (locator->magic(0) != kEnd64Locator) return archive.refuse("it has no directory");
  const Result<Record> end = archive.read(locator->whole(8, 8), kEnd64Bytes);
  if (!end.ok()) return end.error();
  if (end->magic(0) != kEnd64) return archive.refuse("it has no directory");
  return DirectoryPlace{end->whole(48, 8), end->whole(40, 8)};
}

// The end record is the last thing in the file but for a comment of any length.
Result<DirectoryPlace> find_directory(const Archive& archive) {
  const std::int64_t size_bytes = archive.file()->size_bytes();
  const std::int64_t tail_bytes = std::min(size_bytes, kEndBytes + kLargestComment);
  const auto begin = static_cast<std::uint64_t>(size_bytes - tail_bytes);
  const Result<Record> tail = archive.read(begin, tail_bytes);
  if (!tail.ok()) return tail.error();
  for (std::int64_t at = tail_bytes - kEndBytes; at >= 0; --at) {
    const auto place = static_cast<std::size_t>(at);
    if (tail->magic(place) != kEnd) continue;
    const DirectoryPlace found{tail->whole(place + 16, 4), tail->whole(place + 12, 4)};
    if (found.offset != kIn64Bits && found.size_bytes != kIn64Bits) return found;
    return directory_64(archive, begin + place);
  }
  return archive.refuse("it has no directory");
}

struct Entry {
  std::string name = {};
  std::uint64_t method = 0;
  std::uint32_t crc32 = 0;
  std::uint64_t packed_bytes = 0;  // where it is stored, the same as size_bytes
  std::uint64_t size_bytes = 0;
  std::uint64_t local_offset = 0;
};

// What did not fit in 32 bits follows in the extra field: size, compressed size, offset, as many of
// them as are needed.
void read_extra_64(const Record& directory, std::size_t at, std::size_t end, Entry& entry) {
  while (at + 4 <= end) {
    const std::uint64_t kind = directory.whole(at, 2);
    const std::size_t next = at + 4 + directory.whole(at + 2, 2);
    if (kind == kExtra64) {
      std::size_t field = at + 4;
      if (entry.size_bytes == kIn64Bits) {
        entry.size_bytes = directory.whole(field, 8);
        field += 8;
      }
      if (entry.packed_bytes == kIn64Bits) {
        entry.packed_bytes = directory.whole(field, 8);
        field += 8;
      }
      if (entry.local_offset == kIn64Bits) entry.local_offset = directory.whole(field, 8);
      return;
    }
    at = next;
  }
}

Result<std::vector<Entry>> read_directory(const Archive& archive) {
  const Result<DirectoryPlace> place = find_directory(archive);
  if (!place.ok()) return place.error();
  if (place->size_bytes > static_cast<std::uint64_t>(kLargestDirectoryBytes))
    return archive.refuse("its directory is too long");
  const Result<Record> directory =
      archive.read(place->offset, static_cast<std::int64_t>(place->size_bytes));
  if (!directory.ok()) return directory.error();

  std::vector<Entry> entries;
  for (std::size_t at = 0; at + kEntryBytes <= directory->bytes.size();) {
    if (directory->magic(at) != kDirectoryEntry) return archive.refuse("its directory is damaged");
    const std::size_t name_end = at + kEntryBytes + directory->whole(at + 28, 2);
    const std::size_t extra_end = name_end + directory->whole(at + 30, 2);
    const std::size_t next = extra_end + directory->whole(at + 32, 2);
    if (next > directory->bytes.size()) return archive.refuse("its directory is damaged");
    Entry entry{.method = directory->whole(at + 10, 2),
                .crc32 = directory->magic(at + 16),
                .packed_bytes = directory->whole(at + 20, 4),
                .size_bytes = directory->whole(at + 24, 4),
                .local_offset = directory->whole(at + 42, 4)};
    entry.name.assign(reinterpret_cast<const char*>(directory->bytes.data()) + at + kEntryBytes,
                      name_end - at - kEntryBytes);
    read_extra_64(*directory, name_end, extra_end, entry);
    entries.push_back(std::move(entry));
    at = next;
  }
  return entries;
}

// Where an entry's bytes begin, all of which are there.
Result<std::int64_t> begin_of(const Archive& archive, const Entry& entry) {
  const Result<Record> local = archive.read(entry.local_offset, kLocalFileBytes);
  if (!local.ok()) return local.error();
  if (local->magic(0) != kLocalFile) return archive.refuse("its directory is damaged");
  const std::uint64_t begin =
      entry.local_offset + kLocalFileBytes + local->whole(26, 2) + local->whole(28, 2);
  const auto length = static_cast<std::uint64_t>(archive.file()->size_bytes());
  const std::uint64_t bytes = entry.method == kStored ? entry.size_bytes : entry.packed_bytes;
  if (begin > length || bytes > length - begin) return archive.refuse("it is cut off");
  return static_cast<std::int64_t>(begin);
}

// What is not packed has a checksum all the same.
Result<NumberArray> stored_array(const Archive& archive, const Entry& entry,
                                 std::int64_t begin_bytes, const std::string& name) {
  const auto size_bytes = static_cast<std::int64_t>(entry.size_bytes);
  if (Failure failure = check_crc32(name, *archive.file(), begin_bytes, size_bytes, entry.crc32))
    return *failure;
  return npy_within(archive.file(), begin_bytes, size_bytes, name);
}

Result<NumberArray> unpacked_array(const Archive& archive, const Entry& entry,
                                   std::int64_t begin_bytes, const std::string& name,
                                   const UnpackOptions& options) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (entry.size_bytes > kMost) return archive.refuse("its directory is damaged");
  const auto size_bytes = static_cast<std::int64_t>(entry.size_bytes);
  const Result<std::shared_ptr<const DataFile>> file =
      unpack({.name = name,
              .file = archive.file(),
              .begin_bytes = begin_bytes,
              .size_bytes = static_cast<std::int64_t>(entry.packed_bytes),
              .form = PackedForm::Deflate},
             {.bytes = size_bytes, .crc32 = entry.crc32}, options);
  if (!file.ok()) return file.error();
  return npy_within(*file, 0, size_bytes, name);
}

Result<NamedArray> array_of(const Archive& archive, const Entry& entry,
                            const UnpackOptions& options) {
  const std::string name =
      fmt::format("{} in {}", in_quotes(entry.name), quoted_path(archive.file()->path()));
  if (entry.method != kStored && entry.method != kDeflated)
    return bad_input(
        fmt::format("{} is compressed by method {} of ZIP: save with numpy.savez() or "
                    "numpy.savez_compressed()",
                    name, entry.method));
  const Result<std::int64_t> begin = begin_of(archive, entry);
  if (!begin.ok()) return begin.error();
  Result<NumberArray> array = entry.method == kStored
                                  ? stored_array(archive, entry, *begin, name)
                                  : unpacked_array(archive, entry, *begin, name, options);
  if (!array.ok()) return array.error();
  return NamedArray{.name = entry.name.substr(0, entry.name.rfind('.')),
                    .array = *std::move(array)};
}

}  // namespace

Result<std::vector<NamedArray>> open_npz(const std::string& path, const UnpackOptions& options) {
  Result<DataFile> file = DataFile::open(path);
  if (!file.ok()) return file.error();
  const Archive archive(std::make_shared<const DataFile>(*std::move(file)));
  const Result<std::vector<Entry>> entries = read_directory(archive);
  if (!entries.ok()) return entries.error();
  std::vector<NamedArray> arrays;
  std::set<std::string> names;
  for (const Entry& entry : *entries) {
    if (!entry.name.ends_with(".npy")) continue;
    // Which of the two is meant, nobody can know.
    if (!names.insert(entry.name).second)
      return archive.refuse(fmt::format("it holds {} twice", in_quotes(entry.name)));
    Result<NamedArray> array = array_of(archive, entry, options);
    if (!array.ok()) return array.error();
    arrays.push_back(*std::move(array));
  }
  if (arrays.empty()) return archive.refuse("it holds no NPY arrays");
  return arrays;
}

}  // namespace poet
