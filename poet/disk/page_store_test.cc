#include "poet/disk/page_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/support/failing_ring.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

using Bytes = std::vector<std::byte>;

Bytes filled(std::size_t size, int value) {
  return Bytes(size, static_cast<std::byte>(value));
}

std::unique_ptr<PageStore> made(const PageStoreOptions& options) {
  Result<std::unique_ptr<PageStore>> store = PageStore::create(options);
  if (!store) ADD_FAILURE() << store.error().message;
  return store.ok() ? *std::move(store) : nullptr;
}

std::string refusal(const PageStoreOptions& options, const IoCalls& calls = {}) {
  const Result<std::unique_ptr<PageStore>> store = PageStore::create(options, calls);
  return store.ok() ? "made" : store.error().message;
}

// A file system that does not know of nameless files, reservations and statx.
class OldFileSystem final : public FileCalls {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    return (flags & O_TMPFILE) == O_TMPFILE ? -EOPNOTSUPP : real.open(path, flags, mode);
  }
  int close(int file) override { return real.close(file); }
  int status(int file, struct stat* into) override { return real.status(file, into); }
  int permit(int file, mode_t mode) override { return real.permit(file, mode); }
  int lock(int file) override { return real.lock(file); }
  int resize(int file, std::int64_t size) override { return real.resize(file, size); }
  int reserve(int, std::int64_t) override { return -EOPNOTSUPP; }
  std::int64_t read_at(int file, std::int64_t offset, std::span<std::byte> into) override {
    if (offset % block != 0 || into.size() % block != 0) return -EINVAL;
    return real.read_at(file, offset, into);
  }
  std::int64_t write_at(int file, std::int64_t offset, std::span<const std::byte> from) override {
    return real.write_at(file, offset, from);
  }
  int sync(int file) override { return real.sync(file); }
  int rename(const char* from, const char* to) override { return real.rename(from, to); }
  int unlink(const char* path) override { return real.unlink(path); }
  std::int64_t direct_alignment(int) override { return 0; }

  FileCalls& real = system_file_calls();
  std::int64_t block = 4096;
};

class PageStoreIn : public ::testing::Test {
 protected:
  PageStoreOptions kept(std::int64_t size_bytes) const {
    return {.path = file_, .size_bytes = size_bytes, .keep_file = true};
  }

  testing::TemporaryFolder folder_;
  std::string file_ = folder_.path("pages");
};

TEST_F(PageStoreIn, AFolderLeavesNothingThere) {
  const auto store = made({.path = folder_.path(), .size_bytes = 1000});
  ASSERT_TRUE(store);
  EXPECT_EQ(store->write(0, filled(1000, 1)), Failure{});
  EXPECT_EQ(folder_.files(), 0);
}

TEST_F(PageStoreIn, AFileThatIsNotKeptHasNoNameWhileItIsUsed) {
  const auto store = made({.path = file_, .size_bytes = 1000});
  ASSERT_TRUE(store);
  EXPECT_EQ(folder_.files(), 0);
}

TEST_F(PageStoreIn, AFileThatIsKeptHoldsWhatWasWritten) {
  {
    const auto store = made(kept(1000));
    ASSERT_TRUE(store);
    EXPECT_EQ(store->write(10, filled(5, 7)), Failure{});
    EXPECT_EQ(store->flush(), Failure{});
  }
  EXPECT_EQ(std::filesystem::file_size(file_), 1000U);
  const auto store = made(kept(2000));
  ASSERT_TRUE(store);
  Bytes in(5);
  EXPECT_EQ(store->read(10, in), Failure{});
  EXPECT_EQ(in, filled(5, 7));
  EXPECT_EQ(store->read(1990, in), Failure{});
  EXPECT_EQ(in, filled(5, 0));
}

TEST_F(PageStoreIn, CountsWhatItMoves) {
  const auto store = made({.path = folder_.path(), .size_bytes = 1000, .checksums = true});
  ASSERT_TRUE(store);
  Bytes in(300);
  ASSERT_EQ(store->write(0, filled(100, 1)), Failure{});
  ASSERT_EQ(store->write(100, filled(50, 1)), Failure{});
  ASSERT_EQ(store->write(0, Bytes()), Failure{});
  ASSERT_EQ(store->read(50, in), Failure{});
  EXPECT_EQ(
      store->counts(),
      (IoCounts{
          .reads = 1, .read_bytes = 300, .writes = 3, .written_bytes = 150, .checked_bytes = 50}));
}

TEST_F(PageStoreIn, DirectRoundsItsSizeUpToBlocksAndBouncesTheRest) {
  const auto store = made({.path = folder_.path(), .size_bytes = 10'001, .direct = true});
  ASSERT_TRUE(store);
  EXPECT_GE(store->block_bytes(), 512);
  EXPECT_EQ(store->size_bytes() % store->block_bytes(), 0);
  EXPECT_GE(store->size_bytes(), 10'001);
  ASSERT_EQ(store->write(9'000, filled(1'001, 3)), Failure{});
  EXPECT_EQ(store->counts().bounced_bytes, 1'001);
  Bytes in(1'002);
  ASSERT_EQ(store->read(8'999, in), Failure{});
  EXPECT_EQ(in[0], std::byte{0});
  EXPECT_EQ(Bytes(in.begin() + 1, in.end()), filled(1'001, 3));
}

TEST_F(PageStoreIn, LeavesNothingInAFolderWithoutNamelessFiles) {
  OldFileSystem calls;
  std::vector<std::unique_ptr<PageStore>> stores;
  for (int i = 0; i < 2; ++i) {
    std::ofstream(folder_.path("poet-pages-" + std::to_string(::getpid()) + "-0"));
    Result<std::unique_ptr<PageStore>> store =
        PageStore::create({.path = folder_.path(), .size_bytes = 100}, {.files = calls});
    ASSERT_TRUE(store.ok()) << store.error().message;
    stores.push_back(*std::move(store));
    EXPECT_EQ(folder_.files(), 1);
  }
}

TEST_F(PageStoreIn, FindsTheBlockByTrialWhereTheKernelDoesNotSay) {
  OldFileSystem calls;
  const PageStoreOptions options{.path = folder_.path(), .size_bytes = 3 << 20, .direct = true};
  Result<std::unique_ptr<PageStore>> store = PageStore::create(options, {.files = calls});
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_EQ((*store)->block_bytes(), 4096);
  EXPECT_EQ((*store)->remarks(),
            std::vector<std::string>{"the file system of '" + folder_.path() +
                                     "' cannot reserve space, so 3 MiB of zeros were written"});
  Bytes in = filled(3 << 20, 1);
  EXPECT_EQ((*store)->read(0, in), Failure{});
  EXPECT_EQ(in, filled(3 << 20, 0));

  std::ofstream(file_) << std::string(200'000, 'x');
  PageStoreOptions kept_options = kept(200'000);
  kept_options.direct = true;
  store = PageStore::create(kept_options, {.files = calls});
  ASSERT_TRUE(store.ok()) << store.error().message;
  Bytes kept_bytes(200'000);
  EXPECT_EQ((*store)->read(0, kept_bytes), Failure{});
  EXPECT_EQ(kept_bytes, filled(200'000, 'x'));

  calls.block = 1 << 20;
  EXPECT_EQ(refusal(options, {.files = calls}),
            "cannot use the page store '" + folder_.path() +
                "': its file system refuses direct I/O; run without, or name another place");
}

TEST_F(PageStoreIn, AKernelWithoutIoUringIsServedByPlainCalls) {
  const IoCalls calls = testing::calls_without_ring();
  PageStoreOptions options{.path = folder_.path(), .size_bytes = 100};
  const Result<std::unique_ptr<PageStore>> store = PageStore::create(options, calls);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ((*store)->engine(), IoEngine::Threads);
  EXPECT_EQ((*store)->remarks(),
            std::vector<std::string>{
                "the kernel refuses io_uring: a test, so plain reads and writes are used"});
  options.engine = IoEngine::Uring;
  EXPECT_EQ(refusal(options, calls), "the kernel refuses io_uring: a test");
}

TEST_F(PageStoreIn, UsesIoUringWhereItIs) {
  if (const auto ring = open_kernel_ring(1); !ring.ok()) GTEST_SKIP() << ring.error().message;
  const auto store = made({.path = folder_.path(), .size_bytes = 100});
  ASSERT_TRUE(store);
  EXPECT_EQ(store->engine(), IoEngine::Uring);
  EXPECT_EQ(store->remarks(), std::vector<std::string>{});
}

TEST_F(PageStoreIn, RefusesWhatCannotBe) {
  EXPECT_EQ(refusal({}), "a page store needs a path: name a folder, or a file in one");
  EXPECT_EQ(refusal({.path = folder_.path(), .size_bytes = -1}),
            "the size of a page store is -1, but must be 0 or more bytes");
  EXPECT_EQ(refusal({.path = folder_.path(), .keep_file = true}),
            "'" + folder_.path() + "' is a folder: name a file in it, for a store that is kept");
  EXPECT_EQ(refusal({.path = folder_.path("none/pages"), .size_bytes = 1}),
            "cannot make the page store '" + folder_.path("none/pages") +
                "': No such file or directory; name a folder that is there, or a file in one");
  EXPECT_EQ(refusal({.path = folder_.path(), .largest_in_flight = 0}),
            "largest_in_flight of a page store is 0, but must be from 1 to 1048576");
  EXPECT_EQ(refusal({.path = "/dev/null", .keep_file = true}),
            "cannot use the page store '/dev/null': it is not a regular file");
}

TEST_F(PageStoreIn, DoesNotTouchAFileThatIsThere) {
  std::ofstream(file_) << "precious";
  EXPECT_EQ(refusal({.path = file_, .size_bytes = 1}),
            "'" + file_ + "' is there already: name a folder, or a file that is not there");
  EXPECT_EQ(std::filesystem::file_size(file_), 8U);
}

TEST_F(PageStoreIn, AFileInUseIsRefused) {
  const auto store = made(kept(100));
  EXPECT_EQ(refusal(kept(100)), "cannot use the page store '" + file_ +
                                    "': another program uses it; name another file");
}

TEST_F(PageStoreIn, AFileThatCannotBeMadeLeavesNothing) {
  EXPECT_NE(refusal(kept(std::int64_t{1} << 60)), "made");
  EXPECT_EQ(folder_.files(), 0);
}

// Every later call gives the same sentence.
void expect_refused(PageStore& store, const std::string& message) {
  Bytes byte(1);
  const Failure refused = Error{ErrorCode::Io, message, {}};
  EXPECT_EQ(store.read(0, byte), refused);
  EXPECT_EQ(store.write(0, byte), refused);
  EXPECT_EQ(store.start_read(0, byte).error(), *refused);
  EXPECT_EQ(store.start_write(0, byte).error(), *refused);
  EXPECT_EQ(store.wait_all(), refused);
  EXPECT_EQ(store.flush(), refused);
}

TEST_F(PageStoreIn, NoticesThatItsFileWasCutShort) {
  const auto store = made(kept(1000));
  ASSERT_TRUE(store);
  std::filesystem::resize_file(file_, 500);
  EXPECT_TRUE(store->write(900, filled(100, 1)));
  expect_refused(*store, "cannot use the page store '" + file_ +
                             "': another program changed its size from 1000 to 500 bytes; begin "
                             "again with a file that nobody else writes to");
}

TEST_F(PageStoreIn, NoticesThatItsFileWasReplaced) {
  const auto store = made(kept(1000));
  ASSERT_TRUE(store);
  std::filesystem::remove(file_);
  std::ofstream(file_) << std::string(1000, 'x');
  expect_refused(*store, "cannot use the page store '" + file_ +
                             "': another program deleted or replaced it; begin again with a file "
                             "that nobody else writes to");
}

TEST_F(PageStoreIn, ChecksumsFindWhatAnotherProgramChanged) {
  PageStoreOptions options = kept(1000);
  for (const bool checksums : {false, true}) {
    options.checksums = checksums;
    const auto store = made(options);
    ASSERT_TRUE(store);
    ASSERT_EQ(store->write(100, filled(50, 1)), Failure{});
    std::fstream(file_, std::ios::in | std::ios::out).seekp(120) << 'x';
    Bytes in(50);
    const Failure failure = store->read(100, in);
    ASSERT_EQ(failure.has_value(), checksums);
    if (checksums)
      expect_refused(*store, "the 50 bytes at offset 100 of the page store '" + file_ +
                                 "' are not what was written there (their checksum differs); "
                                 "check the disk and the memory, or name another place for the "
                                 "store");
  }
}

TEST_F(PageStoreIn, RefusesMoreChecksumsThanThereIsRoomFor) {
  const auto store =
      made({.path = folder_.path(), .size_bytes = 100, .checksums = true, .largest_extents = 1});
  ASSERT_TRUE(store);
  ASSERT_EQ(store->write(0, filled(10, 1)), Failure{});
  EXPECT_EQ(store->write(5, filled(10, 1)), Failure{});
  const Failure failure = store->write(50, filled(10, 1));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "the page store '" + folder_.path() +
                                  "' has no room for the checksum of one more piece of the file; "
                                  "raise largest_extents");
}

// A child process that dies removes no folder, so this one uses the common one.
TEST(PageStoreDeathTest, ARangeBeyondTheEndIsABug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto store = made({.path = ::testing::TempDir(), .size_bytes = 100});
  Bytes bytes(10);
  EXPECT_DEATH(store->read(91, bytes), "size_bytes");
  EXPECT_DEATH(store->read(-1, bytes), "offset_bytes");
}

// A file system of 1 MiB, for root.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    is_there_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=1m") == 0;
  }
  ~SmallDisk() {
    if (is_there_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool is_there() const { return is_there_; }

 private:
  std::string path_;
  bool is_there_ = false;
};

TEST_F(PageStoreIn, AFullDiskIsFoundAtTheStart) {
  const SmallDisk disk(folder_.path());
  if (!disk.is_there()) GTEST_SKIP() << "mounting a file system of 1 MiB needs root";
  EXPECT_EQ(refusal({.path = folder_.path(), .size_bytes = 3 << 20}),
            "cannot reserve 3 MiB in the page store '" + folder_.path() +
                "': No space left on device; 1 MiB are free there; make room, or name another "
                "place for the store");
  EXPECT_EQ(refusal({.path = folder_.path("pages"), .size_bytes = 3 << 20, .keep_file = true}),
            "cannot reserve 3 MiB in the page store '" + folder_.path("pages") +
                "': No space left on device; 1 MiB are free there; make room, or name another "
                "place for the store");
  EXPECT_EQ(folder_.files(), 0);
}

TEST_F(PageStoreIn, ADiskThatFillsUpLaterStillTakesWhatWasReserved) {
  const SmallDisk disk(folder_.path());
  if (!disk.is_there()) GTEST_SKIP() << "mounting a file system of 1 MiB needs root";
  const auto store = made({.path = folder_.path(), .size_bytes = 512 << 10});
  ASSERT_TRUE(store);
  std::ofstream(folder_.path("filler")) << std::string(1 << 20, 'x');
  EXPECT_EQ(store->write(0, filled(512 << 10, 1)), Failure{});
  Bytes in(512 << 10);
  EXPECT_EQ(store->read(0, in), Failure{});
  EXPECT_EQ(in, filled(512 << 10, 1));
}

TEST_F(PageStoreIn, ALimitOnTheSizeOfFilesIsNamed) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = refusal({.path = folder_.path(), .size_bytes = 3 << 20});
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "cannot reserve 3 MiB in the page store '" + folder_.path() +
                         "': File too large; raise the limit on the size of files (ulimit -f), or "
                         "name another place for the store");
}

}  // namespace
}  // namespace poet
