#include "poet/data/unpack.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "poet/base/file_calls.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

constexpr std::size_t kPieceBytes = 128 << 10;
constexpr std::int64_t kMostFromOneByte = 1032;  // zlib.net/zlib_tech.html
constexpr int kNoHeader = -MAX_WBITS;
constexpr int kGzipHeader = MAX_WBITS + 16;

Error cannot_unpack(const std::string& name, const std::string& why,
                    ErrorCode code = ErrorCode::BadInput) {
  return {code, fmt::format("cannot unpack {}: {}", name, why), {}};
}

// A stream of packed bytes that gives unpacked ones, piece by piece.
class Unpacking {
 public:
  explicit Unpacking(const PackedBytes& packed) : packed_(packed), in_(kPieceBytes) {
    begun_ =
        inflateInit2(&stream_, packed.form == PackedForm::Gzip ? kGzipHeader : kNoHeader) == Z_OK;
  }
  ~Unpacking() {
    if (begun_) inflateEnd(&stream_);
  }
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;

  // Fills `into`, or less at the end of the stream; returns how many bytes.
  Result<std::int64_t> next(std::span<std::byte> into) {
    if (!begun_) return cannot_unpack(packed_.name, "there is not enough memory", ErrorCode::Io);
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(into.size());
    while (stream_.avail_out > 0 && !ended_)
      if (Failure failure = advance()) return *failure;
    return static_cast<std::int64_t>(into.size() - stream_.avail_out);
  }

  bool ended() const { return ended_; }
  // Packed bytes that follow the end.
  std::int64_t left_bytes() const {
    return packed_.size_bytes - taken_bytes_ + static_cast<std::int64_t>(stream_.avail_in);
  }

 private:
  Failure advance() {
    const int status = inflate(&stream_, Z_NO_FLUSH);
    ended_ = status == Z_STREAM_END;
    if (status == Z_OK || ended_) return std::nullopt;
    // Only now: when all packed bytes are taken, much of what they say may not have come out yet.
    if (status == Z_BUF_ERROR && stream_.avail_in == 0) return take();
    if (status == Z_MEM_ERROR)
      return cannot_unpack(packed_.name, "there is not enough memory", ErrorCode::Io);
    return cannot_unpack(packed_.name, "it is damaged");
  }

  Failure take() {
    const std::int64_t count =
        std::min(packed_.size_bytes - taken_bytes_, static_cast<std::int64_t>(in_.size()));
    if (count == 0) return cannot_unpack(packed_.name, "it is cut off");
    const auto piece = std::span(in_).first(static_cast<std::size_t>(count));
    if (Failure failure = packed_.file->read(packed_.begin_bytes + taken_bytes_, piece))
      return failure;
    taken_bytes_ += count;
    stream_.next_in = reinterpret_cast<Bytef*>(in_.data());
    stream_.avail_in = static_cast<uInt>(count);
    return std::nullopt;
  }

  const PackedBytes& packed_;
  std::vector<std::byte> in_;
  z_stream stream_ = {};
  std::int64_t taken_bytes_ = 0;
  bool begun_ = false;
  bool ended_ = false;
};

class UnpackedFile {
 public:
  UnpackedFile(const PackedBytes& packed, const UnpackOptions& options, FileCalls& calls)
      : packed_(packed), options_(options), calls_(calls) {}

  Result<std::shared_ptr<const DataFile>> fill(const UnpackedSize& size) {
    const int number = open_nameless_file(options_.folder, calls_);
    if (number < 0) return cannot_write(-number);
    DataFile file = DataFile::adopt(packed_.file->path(), number, size.bytes);
    if (size.bytes > 0) {
      const int reserved = uninterrupted([&] { return calls_.reserve(number, size.bytes); });
      if (reserved < 0 && reserved != -EOPNOTSUPP) return cannot_write(-reserved);
    }
    if (Failure failure = copy(number, size)) return *failure;
    return std::make_shared<const DataFile>(std::move(file));
  }

 private:
  Error cannot_write(int error_number) const {
    return cannot_unpack(
        packed_.name,
        fmt::format("into {}: {}", in_quotes(options_.folder), reason_of(error_number)),
        ErrorCode::Io);
  }

  Failure copy(int number, const UnpackedSize& size) {
    Unpacking unpacking(packed_);
    std::vector<std::byte> piece(kPieceBytes);
    std::int64_t at_bytes = 0;
    uLong checksum = crc32(0, nullptr, 0);
    while (!unpacking.ended()) {
      const Result<std::int64_t> count = unpacking.next(piece);
      if (!count.ok()) return count.error();
      if (*count > size.bytes - at_bytes)
        return cannot_unpack(packed_.name, fmt::format("it is longer than the {} bytes that it "
                                                       "says",
                                                       size.bytes));
      const auto filled = std::span(piece).first(static_cast<std::size_t>(*count));
      checksum = crc32(checksum, reinterpret_cast<const Bytef*>(filled.data()),
                       static_cast<uInt>(filled.size()));
      if (Failure failure = write(number, at_bytes, filled)) return failure;
      at_bytes += *count;
    }
    if (at_bytes != size.bytes)
      return cannot_unpack(packed_.name,
                           fmt::format("it has {} bytes, and says {}", at_bytes, size.bytes));
    if (unpacking.left_bytes() != 0)
      return cannot_unpack(packed_.name, "something follows its end");
    if (size.crc32 && *size.crc32 != checksum)
      return cannot_unpack(packed_.name, "it does not have its checksum");
    return std::nullopt;
  }

  Failure write(int number, std::int64_t at_bytes, std::span<const std::byte> from) {
    while (!from.empty()) {
      const std::int64_t count =
          uninterrupted([&] { return calls_.write_at(number, at_bytes, from); });
      if (count <= 0) return cannot_write(count < 0 ? static_cast<int>(-count) : ENOSPC);
      at_bytes += count;
      from = from.subspan(static_cast<std::size_t>(count));
    }
    return std::nullopt;
  }

  const PackedBytes& packed_;
  const UnpackOptions& options_;
  FileCalls& calls_;
};

}  // namespace

Result<std::int64_t> unpack_beginning(const PackedBytes& packed, std::span<std::byte> into) {
  return Unpacking(packed).next(into);
}

Result<std::shared_ptr<const DataFile>> unpack(const PackedBytes& packed, const UnpackedSize& size,
                                               const UnpackOptions& options, FileCalls& calls) {
  if (options.folder.empty())
    return cannot_unpack(packed.name, "there is no folder to unpack it into");
  if (size.bytes > options.largest_bytes)
    return cannot_unpack(packed.name, fmt::format("it has {} bytes, and {} are the limit",
                                                  grouped_digits(size.bytes),
                                                  grouped_digits(options.largest_bytes)));
  if (size.bytes / kMostFromOneByte > packed.size_bytes)
    return cannot_unpack(
        packed.name, fmt::format("{} packed bytes cannot hold the {} that it says",
                                 grouped_digits(packed.size_bytes), grouped_digits(size.bytes)));
  return UnpackedFile(packed, options, calls).fill(size);
}

Failure check_crc32(const std::string& name, const DataFile& file, std::int64_t begin_bytes,
                    std::int64_t size_bytes, std::uint32_t expected) {
  std::vector<std::byte> piece(kPieceBytes);
  uLong checksum = crc32(0, nullptr, 0);
  for (std::int64_t at_bytes = 0; at_bytes < size_bytes;) {
    const auto count = std::min(size_bytes - at_bytes, static_cast<std::int64_t>(piece.size()));
    const auto filled = std::span(piece).first(static_cast<std::size_t>(count));
    if (Failure failure = file.read(begin_bytes + at_bytes, filled)) return failure;
    checksum = crc32(checksum, reinterpret_cast<const Bytef*>(filled.data()),
                     static_cast<uInt>(filled.size()));
    at_bytes += count;
  }
  if (checksum == expected) return std::nullopt;
  return bad_input(fmt::format("cannot read {}: it does not have its checksum", name));
}

}  // namespace poet
