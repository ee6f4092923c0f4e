#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "poet/base/file_calls.h"
#include "poet/base/result.h"
#include "poet/data/data_file.h"

namespace poet {

// How bytes were made shorter: as DEFLATE (RFC 1951) makes them, without anything around, as the
// entries of ZIP archives; or as gzip (RFC 1952), with its checksum behind them.
enum class PackedForm { Deflate, Gzip };

// Packed bytes in a file.
struct PackedBytes {
  std::string name = {};  // for messages
  std::shared_ptr<const DataFile> file = {};
  std::int64_t begin_bytes = 0;
  std::int64_t size_bytes = 0;
  PackedForm form = PackedForm::Deflate;
};

// Where packed data go, so that any part of them can be read: never into memory.
struct UnpackOptions {
  std::string folder = {};  // for files without a name; empty: nothing is unpacked
  std::int64_t largest_bytes = std::int64_t{16} << 30;  // of one array, unpacked
};

// The first bytes, as many as there is room for in `into` or as there are; returns how many. The
// rest is not unpacked.
Result<std::int64_t> unpack_beginning(const PackedBytes& packed, std::span<std::byte> into);

// What the packed bytes are to give.
struct UnpackedSize {
  std::int64_t bytes = 0;
  std::optional<std::uint32_t> crc32 = {};  // Gzip brings its own
};

// All of them, in a file without a name in the options' folder, which is gone with the process. Its
// space is reserved first, and no byte more than stated is ever written, so that a file that is
// made to fill a disk does not. Refuses more than the options allow, more than DEFLATE can give
// (1,032 bytes for one), bytes that are no such stream, end early or late, or do not have their
// checksum.
Result<std::shared_ptr<const DataFile>> unpack(const PackedBytes& packed, const UnpackedSize& size,
                                               const UnpackOptions& options,
                                               FileCalls& calls = system_file_calls());

// Refuses bytes that do not have their checksum and were not packed: they are read once for that.
// `name` is for messages.
Failure check_crc32(const std::string& name, const DataFile& file, std::int64_t begin_bytes,
                    std::int64_t size_bytes, std::uint32_t expected);

}  // namespace poet
