#include "poet/disk/page_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "poet/base/byte_text.h"
#include "poet/base/checked_math.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

// Aligned to itself, it serves every block that we take.
constexpr std::int64_t kLargestBlockBytes = 64 << 10;
constexpr std::array<std::int64_t, 4> kProbedBlocks = {512, 4096, 16 << 10, kLargestBlockBytes};
constexpr std::int64_t kZerosBytes = 1 << 20;

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};

// Zeros, aligned for every block.
std::unique_ptr<std::byte, FreeMemory> aligned_zeros(std::int64_t size_bytes) {
  auto* const memory = static_cast<std::byte*>(
      std::aligned_alloc(kLargestBlockBytes, static_cast<std::size_t>(size_bytes)));
  POET_CHECK(memory != nullptr);
  std::fill_n(memory, size_bytes, std::byte{0});
  return std::unique_ptr<std::byte, FreeMemory>(memory);
}

std::string free_text(const std::string& path) {
  std::error_code error;
  const std::filesystem::path place(path);
  const bool is_folder = std::filesystem::is_directory(place, error);
  const auto folder = is_folder ? place : std::filesystem::absolute(place, error).parent_path();
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (error) return "";
  constexpr std::uintmax_t kMib = 1 << 20;
  return fmt::format("{} are free there; ",
                     format_bytes(static_cast<std::int64_t>(space.available / kMib * kMib)));
}

}  // namespace

std::string advice_on(int error_number, const std::string& path) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return free_text(path) + "make room, or name another place for the store";
    case EFBIG:
      return "raise the limit on the size of files (ulimit -f), or name another place for the "
             "store";
    case EACCES:
    case EPERM:
    case EROFS:
      return "name a place that you may write to";
    case ENOENT:
    case ENOTDIR:
      return "name a folder that is there, or a file in one";
    default:
      return "check the disk, or name another place for the store";
  }
}

PageFile::PageFile(const PageFileOptions& options, FileCalls& calls)
    : options_(options), calls_(&calls) {}

PageFile::PageFile(PageFile&& other) noexcept
    : options_(std::move(other.options_)),
      calls_(other.calls_),
      number_(std::exchange(other.number_, -1)),
      is_new_(std::exchange(other.is_new_, false)),
      block_bytes_(other.block_bytes_) {}

PageFile::~PageFile() {
  if (is_new_) calls_->unlink(options_.path.c_str());
  if (number_ >= 0) calls_->close(number_);
}

Result<PageFile> PageFile::open(const PageFileOptions& options, FileCalls& calls,
                                std::vector<std::string>& remarks) {
  if (options.path.empty())
    return bad_input("a page store needs a path: name a folder, or a file in one");
  if (options.size_bytes < 0)
    return bad_input(fmt::format("the size of a page store is {}, but must be 0 or more bytes",
                                 options.size_bytes));
  PageFile file(options, calls);
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(options.path, error);
  if (Failure failure = is_folder ? file.open_in_folder() : file.open_named()) return *failure;
  if (options.direct)
    if (Failure failure = file.find_block()) return *failure;
  if (Failure failure = file.reserve(remarks)) return *failure;
  file.is_new_ = false;
  return Result<PageFile>(std::move(file));
}

Failure PageFile::open_in_folder() {
  if (options_.keep_file)
    return bad_input(fmt::format("{} is a folder: name a file in it, for a store that is kept",
                                 in_quotes(options_.path)));
  const int direct = options_.direct ? O_DIRECT : 0;
  const int flags = O_RDWR | O_TMPFILE | direct;
  number_ = uninterrupted([&] { return calls_->open(options_.path.c_str(), flags, 0600); });
  if (number_ >= 0) return std::nullopt;
  // Some file systems have no nameless files, and some kernels do not know of them.
  if (number_ != -EOPNOTSUPP && number_ != -EISDIR) return cannot("make", -number_);
  return open_under_a_name_for_a_moment();
}

Failure PageFile::open_under_a_name_for_a_moment() {
  constexpr int kTries = 100;
  const int flags = O_RDWR | O_CREAT | O_EXCL | (options_.direct ? O_DIRECT : 0);
  for (int i = 0; i < kTries; ++i) {
    const std::string name = fmt::format("{}/poet-pages-{}-{}", options_.path, ::getpid(), i);
    number_ = uninterrupted([&] { return calls_->open(name.c_str(), flags, 0600); });
    if (number_ == -EEXIST) continue;
    if (number_ < 0) return cannot("make", -number_);
    const int result = calls_->unlink(name.c_str());
    return result < 0 ? Failure(cannot("remove", -result)) : std::nullopt;
  }
  return cannot("make", EEXIST);
}

Failure PageFile::open_named() {
  const int flags = O_RDWR | (options_.direct ? O_DIRECT : 0);
  const char* const name = options_.path.c_str();
  number_ = uninterrupted([&] { return calls_->open(name, flags | O_CREAT | O_EXCL, 0600); });
  is_new_ = number_ >= 0;
  if (number_ == -EEXIST && options_.keep_file)
    number_ = uninterrupted([&] { return calls_->open(name, flags, 0); });
  if (number_ == -EEXIST)
    return bad_input(fmt::format("{} is there already: name a folder, or a file that is not there",
                                 in_quotes(options_.path)));
  if (number_ < 0) return cannot("make", -number_);
  return own();
}

// Ours alone: without a name, or, when it is kept, locked.
Failure PageFile::own() {
  if (!options_.keep_file) {
    const int result = calls_->unlink(options_.path.c_str());
    if (result < 0) return cannot("remove", -result);
    is_new_ = false;
    return std::nullopt;
  }
  struct stat there {};
  if (const int result = calls_->status(number_, &there); result < 0)
    return cannot("look at", -result);
  if (!S_ISREG(there.st_mode)) return cannot("use", "it is not a regular file");
  const int locked = uninterrupted([&] { return calls_->lock(number_); });
  if (locked == -EWOULDBLOCK) return cannot("use", "another program uses it; name another file");
  // Some network file systems have no locks.
  if (locked < 0 && locked != -ENOLCK && locked != -EOPNOTSUPP) return cannot("lock", -locked);
  return std::nullopt;
}

// What the kernel says, else what a trial shows.
Failure PageFile::find_block() {
  std::int64_t block = uninterrupted([this] { return calls_->direct_alignment(number_); });
  if (block == 0) block = probed_block();
  if (block == -EOPNOTSUPP)
    return cannot("use", "its file system refuses direct I/O; run without, or name another place");
  if (block < 0) return cannot("look at", static_cast<int>(-block));
  if (block > kLargestBlockBytes || !std::has_single_bit(static_cast<std::uint64_t>(block)))
    return cannot("use", fmt::format("direct I/O wants blocks of {} there; run without",
                                     format_bytes(block)));
  block_bytes_ = block;
  return std::nullopt;
}

// The smallest block at which a read succeeds, or the negative error number. The file is made large
// enough for the trial, and what it was again.
std::int64_t PageFile::probed_block() const {
  struct stat there {};
  if (const int result = calls_->status(number_, &there); result < 0) return result;
  const std::int64_t size_bytes = std::max<std::int64_t>(there.st_size, 2 * kLargestBlockBytes);
  int result = uninterrupted([&] { return calls_->resize(number_, size_bytes); });
  if (result < 0) return result;
  const auto found = std::find_if(kProbedBlocks.begin(), kProbedBlocks.end(),
                                  [this](std::int64_t size) { return reads_at(size); });
  result = uninterrupted([&] { return calls_->resize(number_, there.st_size); });
  if (result < 0) return result;
  return found == kProbedBlocks.end() ? -EOPNOTSUPP : *found;
}

// From memory and an offset that are aligned to this block and no larger one.
bool PageFile::reads_at(std::int64_t block_bytes) const {
  const auto memory = aligned_zeros(2 * kLargestBlockBytes);
  const std::span<std::byte> into(memory.get() + block_bytes,
                                  static_cast<std::size_t>(block_bytes));
  const std::int64_t count =
      uninterrupted([&] { return calls_->read_at(number_, block_bytes, into); });
  return count == block_bytes;
}

Failure PageFile::reserve(std::vector<std::string>& remarks) {
  const std::optional<std::int64_t> up = checked_add(options_.size_bytes, block_bytes_ - 1);
  if (!up) return bad_input("the size of a page store does not fit in 63 bits");
  options_.size_bytes = *up / block_bytes_ * block_bytes_;
  const std::string what = "reserve " + format_bytes(options_.size_bytes) + " in";
  struct stat there {};
  if (const int result = calls_->status(number_, &there); result < 0)
    return cannot("look at", -result);
  const std::int64_t old_bytes = std::min<std::int64_t>(there.st_size, options_.size_bytes);
  int result = uninterrupted([&] { return calls_->resize(number_, options_.size_bytes); });
  if (result < 0) return cannot(what, -result);
  if (options_.size_bytes == 0) return std::nullopt;
  result = uninterrupted([&] { return calls_->reserve(number_, options_.size_bytes); });
  if (result == 0) return std::nullopt;
  if (result != -EOPNOTSUPP && result != -ENOSYS) return cannot(what, -result);
  remarks.push_back(
      fmt::format("the file system of {} cannot reserve space, so {} of zeros were "
                  "written",
                  in_quotes(options_.path), format_bytes(options_.size_bytes - old_bytes)));
  // The rest of a block that was the last is zeros already.
  return write_zeros((old_bytes + block_bytes_ - 1) / block_bytes_ * block_bytes_);
}

// To the disk itself, so that a full one is found now.
Failure PageFile::write_zeros(std::int64_t from_bytes) const {
  const std::string what = "fill " + format_bytes(options_.size_bytes) + " of";
  const auto zeros = aligned_zeros(kZerosBytes);
  for (std::int64_t done = from_bytes; done < options_.size_bytes;) {
    const std::int64_t size_bytes = std::min(kZerosBytes, options_.size_bytes - done);
    const std::span<const std::byte> from(zeros.get(), static_cast<std::size_t>(size_bytes));
    std::int64_t count = uninterrupted([&] { return calls_->write_at(number_, done, from); });
    if (count < 0) return cannot(what, static_cast<int>(-count));
    count -= count < size_bytes ? count % block_bytes_ : 0;
    if (count == 0) return cannot(what, ENOSPC);
    done += count;
  }
  return sync();
}

Failure PageFile::check() const {
  struct stat there {};
  if (const int result = calls_->status(number_, &there); result < 0)
    return cannot("look at", -result);
  if (there.st_size != options_.size_bytes)
    return cannot("use", fmt::format("another program changed its size from {} to {} bytes; begin "
                                     "again with a file that nobody else writes to",
                                     options_.size_bytes, std::int64_t{there.st_size}));
  if (options_.keep_file && there.st_nlink == 0)
    return cannot("use",
                  "another program deleted or replaced it; begin again with a file that "
                  "nobody else writes to");
  return std::nullopt;
}

Failure PageFile::sync() const {
  const int result = uninterrupted([&] { return calls_->sync(number_); });
  return result < 0 ? Failure(cannot("flush", -result)) : std::nullopt;
}

Error PageFile::cannot(const std::string& what, const std::string& why) const {
  return {ErrorCode::Io,
          fmt::format("cannot {} the page store {}: {}", what, in_quotes(options_.path), why),
          {}};
}

Error PageFile::cannot(const std::string& what, int error_number) const {
  if (error_number == EINVAL && options_.direct && what == "make")
    return cannot("make", "its file system refuses direct I/O; run without, or name another place");
  Error error =
      cannot(what, reason_of(error_number) + "; " + advice_on(error_number, options_.path));
  if (error_number == ENOENT || error_number == ENOTDIR) error.code = ErrorCode::NotFound;
  return error;
}

}  // namespace poet
