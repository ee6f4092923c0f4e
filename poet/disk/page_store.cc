#include "poet/disk/page_store.h"

#include <fmt/core.h>

#include <mutex>
#include <optional>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/disk/channel.h"
#include "poet/disk/checksum.h"
#include "poet/disk/extent_checksums.h"
#include "poet/disk/page_file.h"
#include "poet/disk/transfer_engine.h"

namespace poet {
namespace {

Failure check_capacities(const PageStoreOptions& options) {
  const auto refuse = [](std::string_view what, std::int64_t value, std::int64_t largest) {
    return bad_input(
        fmt::format("{} of a page store is {}, but must be from 1 to {}", what, value, largest));
  };
  if (options.largest_in_flight < 1 || options.largest_in_flight > 1 << 20)
    return refuse("largest_in_flight", options.largest_in_flight, 1 << 20);
  if (options.largest_extents < 1 || options.largest_extents > 1 << 24)
    return refuse("largest_extents", options.largest_extents, 1 << 24);
  if (options.bounce_bytes < 1 || options.bounce_bytes > 1 << 30)
    return refuse("bounce_bytes", options.bounce_bytes, 1 << 30);
  if (options.ring.depth < 1 || options.ring.depth > 4096)
    return refuse("ring.depth", options.ring.depth, 4096);
  if (options.ring.piece_bytes < 1 || options.ring.piece_bytes > 1 << 30)
    return refuse("ring.piece_bytes", options.ring.piece_bytes, 1 << 30);
  return std::nullopt;
}

struct ChosenEngine {
  IoEngine name = IoEngine::Threads;
  std::unique_ptr<TransferEngine> engine;
};

Result<ChosenEngine> choose_engine(const PageStoreOptions& options, const IoCalls& calls,
                                   EngineFile file, std::vector<std::string>& remarks) {
  RingShape shape = options.ring;
  shape.piece_bytes =
      (shape.piece_bytes + file.block_bytes - 1) / file.block_bytes * file.block_bytes;
  if (options.engine != IoEngine::Threads) {
    Result<std::unique_ptr<Ring>> ring = calls.open_ring(shape.depth);
    if (ring.ok())
      return ChosenEngine{IoEngine::Uring,
                          make_ring_engine(calls.files, *std::move(ring), file, shape)};
    if (options.engine == IoEngine::Uring) return ring.error();
    remarks.push_back(ring.error().message + ", so plain reads and writes are used");
  }
  return ChosenEngine{IoEngine::Threads, make_call_engine(calls.files, file)};
}

}  // namespace

std::string_view to_string(IoEngine engine) {
  switch (engine) {
    case IoEngine::Auto:
      return "auto";
    case IoEngine::Uring:
      return "uring";
    case IoEngine::Threads:
      return "threads";
  }
  return "";
}

struct PageStore::State {
  State(PageFile opened, ChosenEngine chosen, const PageStoreOptions& options)
      : file(std::move(opened)),
        engine_name(chosen.name),
        engine(std::move(chosen.engine)),
        blocks(*engine, file.block_bytes(), options.bounce_bytes),
        channel(options.largest_in_flight,
                [this](const Transfer& transfer) { return execute(transfer); }) {
    if (options.checksums) checksums.emplace(options.largest_extents);
  }

  Transfer transfer_of(Direction direction, std::int64_t offset_bytes, std::byte* memory,
                       std::size_t size) const {
    const auto size_bytes = static_cast<std::int64_t>(size);
    POET_CHECK(offset_bytes >= 0 && size_bytes >= 0);
    POET_CHECK(size_bytes <= file.size_bytes() && offset_bytes <= file.size_bytes() - size_bytes);
    return {direction, offset_bytes, memory, size_bytes};
  }
  Transfer read_of(std::int64_t offset_bytes, std::span<std::byte> into) const {
    return transfer_of(Direction::Read, offset_bytes, into.data(), into.size());
  }
  // A write does not change the memory.
  Transfer write_of(std::int64_t offset_bytes, std::span<const std::byte> from) const {
    auto* const memory = const_cast<std::byte*>(from.data());  // NOLINT
    return transfer_of(Direction::Write, offset_bytes, memory, from.size());
  }

  Failure execute(const Transfer& transfer);
  Failure execute_read(const Transfer& transfer);
  Failure execute_write(const Transfer& transfer);
  Error cannot_move(const TransferFault& fault) const;
  Error damaged(const Extent& extent) const;
  Error too_many_extents() const;

  PageFile file;
  IoEngine engine_name;
  std::unique_ptr<TransferEngine> engine;
  BlockTransfers blocks;
  std::optional<ExtentChecksums> checksums;
  std::vector<std::string> remarks;
  mutable std::mutex counts_mutex;
  IoCounts counts;
  Channel channel;  // last: its thread uses all of the above, and ends first
};

Failure PageStore::State::execute(const Transfer& transfer) {
  if (transfer.size_bytes > 0)
    if (Failure failure = file.check()) return failure;
  return transfer.direction == Direction::Read ? execute_read(transfer) : execute_write(transfer);
}

Failure PageStore::State::execute_read(const Transfer& transfer) {
  if (const auto fault = blocks.move(transfer)) return cannot_move(*fault);
  ExtentChecksums::Check check;
  if (checksums) check = checksums->check(transfer);
  if (check.damaged) return damaged(*check.damaged);
  const std::scoped_lock lock(counts_mutex);
  ++counts.reads;
  counts.read_bytes += transfer.size_bytes;
  counts.checked_bytes += check.checked_bytes;
  counts.bounced_bytes = blocks.bounced_bytes();
  return std::nullopt;
}

Failure PageStore::State::execute_write(const Transfer& transfer) {
  const bool has_checksum = checksums && transfer.size_bytes > 0;
  if (has_checksum && !checksums->forget(transfer)) return too_many_extents();
  if (const auto fault = blocks.move(transfer)) return cannot_move(*fault);
  if (has_checksum)
    checksums->record(
        transfer, checksum_of({transfer.memory, static_cast<std::size_t>(transfer.size_bytes)}));
  const std::scoped_lock lock(counts_mutex);
  ++counts.writes;
  counts.written_bytes += transfer.size_bytes;
  counts.bounced_bytes = blocks.bounced_bytes();
  return std::nullopt;
}

Error PageStore::State::cannot_move(const TransferFault& fault) const {
  const bool is_read = fault.direction == Direction::Read;
  const std::string why =
      fault.error_number != 0
          ? reason_of(fault.error_number) + "; " + advice_on(fault.error_number, file.path())
      : is_read ? "the file ends before; another program cut it short"
                : "the system writes no more; " + advice_on(ENOSPC, file.path());
  return {ErrorCode::Io,
          fmt::format("cannot {} {} bytes at offset {} of the page store {}: {}",
                      is_read ? "read" : "write", fault.size_bytes, fault.offset_bytes,
                      in_quotes(file.path()), why),
          {}};
}

Error PageStore::State::damaged(const Extent& extent) const {
  return {ErrorCode::Io,
          fmt::format("the {} bytes at offset {} of the page store {} are not what was written "
                      "there (their checksum differs); check the disk and the memory, or name "
                      "another place for the store",
                      extent.end_bytes - extent.begin_bytes, extent.begin_bytes,
                      in_quotes(file.path())),
          {}};
}

Error PageStore::State::too_many_extents() const {
  return bad_input(
      fmt::format("the page store {} has no room for the checksum of one more piece of the file; "
                  "raise largest_extents",
                  in_quotes(file.path())));
}

PageStore::PageStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
PageStore::~PageStore() = default;

Result<std::unique_ptr<PageStore>> PageStore::create(const PageStoreOptions& options,
                                                     const IoCalls& calls) {
  if (Failure failure = check_capacities(options)) return *failure;
  std::vector<std::string> remarks;
  Result<PageFile> file = PageFile::open({.path = options.path,
                                          .size_bytes = options.size_bytes,
                                          .keep_file = options.keep_file,
                                          .direct = options.direct},
                                         calls.files, remarks);
  if (!file) return file.error();
  Result<ChosenEngine> engine =
      choose_engine(options, calls, {file->number(), file->block_bytes()}, remarks);
  if (!engine) return engine.error();
  auto state = std::make_unique<State>(*std::move(file), *std::move(engine), options);
  state->remarks = std::move(remarks);
  if (Failure failure = state->channel.begin()) return *failure;
  return std::unique_ptr<PageStore>(new PageStore(std::move(state)));
}

Failure PageStore::read(std::int64_t offset_bytes, std::span<std::byte> into) {
  return state_->channel.run(state_->read_of(offset_bytes, into));
}

Failure PageStore::write(std::int64_t offset_bytes, std::span<const std::byte> from) {
  return state_->channel.run(state_->write_of(offset_bytes, from));
}

Result<Ticket> PageStore::start_read(std::int64_t offset_bytes, std::span<std::byte> into) {
  return state_->channel.start(state_->read_of(offset_bytes, into));
}

Result<Ticket> PageStore::start_write(std::int64_t offset_bytes, std::span<const std::byte> from) {
  return state_->channel.start(state_->write_of(offset_bytes, from));
}

Failure PageStore::wait(Ticket ticket) {
  return state_->channel.wait(ticket);
}
Failure PageStore::wait_all() {
  return state_->channel.wait_all();
}
bool PageStore::is_done(Ticket ticket) const {
  return state_->channel.is_done(ticket);
}

Failure PageStore::flush() {
  if (Failure failure = wait_all()) return failure;
  Failure failure = state_->file.check();
  if (!failure) failure = state_->file.sync();
  if (failure) state_->channel.fail(*failure);
  return failure;
}

std::int64_t PageStore::size_bytes() const {
  return state_->file.size_bytes();
}
std::int64_t PageStore::block_bytes() const {
  return state_->file.block_bytes();
}
IoEngine PageStore::engine() const {
  return state_->engine_name;
}

IoCounts PageStore::counts() const {
  const std::scoped_lock lock(state_->counts_mutex);
  return state_->counts;
}

std::int64_t PageStore::memory_bytes() const {
  const std::int64_t checksums = state_->checksums ? state_->checksums->memory_bytes() : 0;
  return static_cast<std::int64_t>(sizeof(State)) + state_->channel.memory_bytes() +
         state_->blocks.bounce_bytes() + checksums;
}

const std::vector<std::string>& PageStore::remarks() const {
  return state_->remarks;
}

}  // namespace poet
