#include "poet/train/checkpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "poet/base/atomic_file.h"
#include "poet/base/check.h"
#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/base/message_text.h"
#include "poet/base/sha256.h"

namespace poet {
namespace {

constexpr std::string_view kMagic = "POETCKPT";
constexpr std::int64_t kVersion = 2;
constexpr std::int64_t kPrefixBytes = 16;  // the magic, and the header's length in 8 digits
constexpr std::int64_t kValueAlignment = 64;
constexpr std::int64_t kHashBytes = 64;  // hexadecimal
constexpr std::int64_t kLargestHeaderBytes = 99'999'999;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kValueAlignment - 1) / kValueAlignment * kValueAlignment;
}

JsonOut header_json(const CheckpointState& state, const std::vector<CheckpointValue>& values) {
  JsonOut list = JsonOut::array();
  for (const CheckpointValue& value : values)
    list.push_back({{"name", value.name},
                    {"role", name_of(kTensorRoles, value.role)},
                    {"element", name_of(kElementTypes, value.type.element)},
                    {"shape", value.type.shape},
                    {"offset_bytes", value.offset_bytes}});
  JsonOut settings = JsonOut::array();
  for (const CheckpointSetting& setting : state.settings)
    settings.push_back({{"name", setting.name}, {"value", setting.value}});
  JsonOut out = {
      {"format", "poet-checkpoint"},       {"version", kVersion}, {"model", state.model},
      {"settings", std::move(settings)},   {"step", state.step},  {"examples", state.examples},
      {"seed", std::to_string(state.seed)}};
  if (state.best)
    out["best"] = {
        {"loss", state.best->loss}, {"step", state.best->step}, {"since", state.best->since}};
  out["values"] = std::move(list);
  return out;
}

// Offsets count from the end of the header, whose length they are part of.
std::vector<CheckpointValue> placed(const std::vector<HeldValue>& values) {
  std::vector<CheckpointValue> placed;
  std::int64_t offset = 0;
  for (const HeldValue& value : values) {
    if (!value.write) continue;
    placed.push_back({value.name, value.type, value.role, offset});
    offset = aligned(offset + size_bytes(value.type));
  }
  return placed;
}

// Everything goes through here, so that everything is hashed.
class HashingWriter {
 public:
  explicit HashingWriter(FileWriter& writer) : writer_(writer) {}

  Failure append(std::span<const std::byte> bytes) {
    hash_.add(bytes);
    return writer_.append(bytes);
  }
  Failure append(std::string_view text) { return append(std::as_bytes(std::span(text))); }
  Failure pad() {
    const std::string zeros(
        static_cast<std::size_t>(aligned(writer_.written_bytes()) - writer_.written_bytes()), '\0');
    return append(zeros);
  }
  // The hash itself is not hashed.
  Failure finish() {
    const std::string digest = hash_.digest();
    return writer_.append(std::as_bytes(std::span(digest)));
  }

 private:
  FileWriter& writer_;
  Sha256 hash_;
};

Failure write_all(HashingWriter& writer, const std::string& header,
                  const std::vector<HeldValue>& values, std::span<std::byte> buffer) {
  if (Failure failure = writer.append(kMagic)) return failure;
  if (Failure failure = writer.append(fmt::format("{:08}", header.size()))) return failure;
  if (Failure failure = writer.append(header)) return failure;
  for (const HeldValue& value : values) {
    if (!value.write) continue;
    if (Failure failure = writer.pad()) return failure;
    if (Failure failure = for_each_piece(
            value, buffer,
            [&writer](std::span<const std::byte> piece) { return writer.append(piece); }))
      return failure;
  }
  return writer.finish();
}

// Of a file that begins as one.
Error damaged(const DataFile& file, const std::string& why) {
  return bad_input(
      fmt::format("the POET checkpoint {} is damaged: {}", quoted_path(file.path()), why));
}

Result<std::string> read_text(const DataFile& file, std::int64_t offset, std::int64_t size) {
  if (offset + size > file.size_bytes()) return damaged(file, "it is cut off");
  std::string text(static_cast<std::size_t>(size), '\0');
  if (Failure failure = file.read(offset, std::as_writable_bytes(std::span(text)))) return *failure;
  return text;
}

Failure check_hash(const DataFile& file, std::span<std::byte> buffer) {
  const std::int64_t end = file.size_bytes() - kHashBytes;
  const Result<std::string> wanted = read_text(file, end, kHashBytes);
  if (!wanted.ok()) return wanted.error();
  Sha256 hash;
  for (std::int64_t at = 0; at < end;) {
    const auto piece = std::min(static_cast<std::int64_t>(buffer.size()), end - at);
    const std::span<std::byte> part = buffer.first(static_cast<std::size_t>(piece));
    if (Failure failure = file.read(at, part)) return failure;
    hash.add(part);
    at += piece;
  }
  if (hash.digest() == *wanted) return std::nullopt;
  return damaged(file, "its contents are not what was written");
}

CheckpointValue read_value(const JsonValue& json, JsonReader& reader) {
  JsonObject object(json, "a value", reader);
  CheckpointValue value;
  value.name = object.text("name");
  value.role = object.choice("role", kTensorRoles);
  value.type.element = object.choice("element", kElementTypes);
  value.type.shape = object.wholes("shape", {1, kMaxValues});
  value.offset_bytes = object.whole("offset_bytes", kSizeRange);
  object.finish();
  return value;
}

CheckpointSetting read_setting(const JsonValue& json, JsonReader& reader) {
  JsonObject object(json, "a setting", reader);
  CheckpointSetting setting{.name = object.text("name"), .value = object.text("value")};
  object.finish();
  return setting;
}

std::uint64_t read_seed(const std::string& text) {
  std::uint64_t seed = 0;
  for (const char digit : text)
    seed = seed * 10 + static_cast<std::uint64_t>(std::clamp(digit - '0', 0, 9));
  return seed;
}

BestEvaluation read_best(const JsonValue& json, JsonReader& reader) {
  JsonObject object(json, "the best evaluation", reader);
  const BestEvaluation best{.loss = object.number("loss", NumberRange::Any),
                            .step = object.whole("step", kSizeRange),
                            .since = object.whole("since", kSizeRange)};
  object.finish();
  return best;
}

Result<Checkpoint> read_header(const std::string& text, const std::string& path) {
  const Result<JsonValue> json = parse_json(text, path);
  if (!json.ok()) return json.error();
  JsonReader reader(path);
  Checkpoint checkpoint;
  CheckpointState& state = checkpoint.state;
  JsonObject object(*json, "a checkpoint", reader);
  const bool is_first_version = object.has("settings_sha256");
  object.format("poet-checkpoint", is_first_version ? 1 : kVersion);
  state.model = object.text("model");
  if (is_first_version)
    object.text("settings_sha256");
  else
    for (const JsonValue& setting : object.list("settings"))
      state.settings.push_back(read_setting(setting, reader));
  state.step = object.whole("step", kSizeRange);
  state.examples = object.whole("examples", kSizeRange);
  state.seed = read_seed(object.text("seed"));
  if (object.has("best")) state.best = read_best(object.member("best"), reader);
  for (const JsonValue& value : object.list("values"))
    checkpoint.values.push_back(read_value(value, reader));
  object.finish();
  if (reader.failure()) return *reader.failure();
  return checkpoint;
}

// The values lie one after the other behind the header, up to the hash.
Failure place_values(Checkpoint& checkpoint, std::int64_t begin) {
  for (CheckpointValue& value : checkpoint.values) {
    if (Failure failure = check_shape(value.type.shape, in_quotes(value.name))) return failure;
    value.offset_bytes += begin;
    if (value.offset_bytes + size_bytes(value.type) > checkpoint.file->size_bytes() - kHashBytes)
      return damaged(*checkpoint.file, "it is cut off");
  }
  return std::nullopt;
}

bool is_needed(const HeldValue& value, Needed needed) {
  if (!value.write) return false;
  return needed == Needed::All || value.role == TensorRole::Parameter ||
         value.role == TensorRole::Statistic;
}

Failure copy(const Checkpoint& checkpoint, const CheckpointValue& from, const HeldValue& to,
             std::span<std::byte> buffer) {
  const std::int64_t bytes = size_bytes(from.type);
  for (std::int64_t offset = 0; offset < bytes;) {
    const auto piece = std::min(static_cast<std::int64_t>(buffer.size()), bytes - offset);
    const std::span<std::byte> part = buffer.first(static_cast<std::size_t>(piece));
    if (Failure failure = checkpoint.file->read(from.offset_bytes + offset, part)) return failure;
    if (Failure failure = to.write(offset, part)) return failure;
    offset += piece;
  }
  return std::nullopt;
}

}  // namespace

std::function<Failure(FileWriter&)> checkpoint_file(const CheckpointState& state,
                                                    const std::vector<HeldValue>& values,
                                                    std::span<std::byte> buffer) {
  std::string header = json_line(header_json(state, placed(values)));
  POET_CHECK(static_cast<std::int64_t>(header.size()) <= kLargestHeaderBytes);
  return [header = std::move(header), &values, buffer](FileWriter& writer) {
    HashingWriter hashing(writer);
    return write_all(hashing, header, values, buffer);
  };
}

Failure save_checkpoint(const std::string& path, const CheckpointState& state,
                        const std::vector<HeldValue>& values, std::span<std::byte> buffer) {
  return write_file_atomically(path, checkpoint_file(state, values, buffer), system_file_calls(),
                               NewFileReaders::OnlyTheOwner);
}

Result<Checkpoint> open_checkpoint(const std::string& path, std::span<std::byte> buffer) {
  Result<DataFile> opened = DataFile::open(path);
  if (!opened.ok()) return opened.error();
  const auto file = std::make_shared<const DataFile>(*std::move(opened));
  const Result<std::string> prefix =
      read_text(*file, 0, std::min(kPrefixBytes, file->size_bytes()));
  if (!prefix.ok()) return prefix.error();
  const bool is_length = prefix->find_first_not_of("0123456789", kMagic.size()) == prefix->npos;
  if (!prefix->starts_with(kMagic) || prefix->size() < kPrefixBytes || !is_length)
    return bad_input(
        fmt::format("{} is not a POET checkpoint: it does not begin as one", quoted_path(path)));
  const std::int64_t length = std::stoll(prefix->substr(kMagic.size()));
  if (file->size_bytes() < kPrefixBytes + length + kHashBytes)
    return damaged(*file, "it is cut off");
  if (Failure failure = check_hash(*file, buffer)) return *failure;
  const Result<std::string> header = read_text(*file, kPrefixBytes, length);
  if (!header.ok()) return header.error();
  Result<Checkpoint> checkpoint = read_header(*header, path);
  if (!checkpoint.ok()) return checkpoint.error();
  checkpoint->file = file;
  if (Failure failure = place_values(*checkpoint, aligned(kPrefixBytes + length))) return *failure;
  return checkpoint;
}

Failure restore(const Checkpoint& checkpoint, const std::vector<HeldValue>& values, Needed needed,
                std::span<std::byte> buffer) {
  std::map<std::string, const CheckpointValue*> there;
  for (const CheckpointValue& value : checkpoint.values) there.emplace(value.name, &value);
  for (const HeldValue& value : values) {
    if (!is_needed(value, needed)) continue;
    const auto found = there.find(value.name);
    if (found == there.end())
      return bad_input(
          fmt::format("the checkpoint {} has no {}: it is of another network, or was "
                      "trained in another way",
                      quoted_path(checkpoint.file->path()), in_quotes(value.name)));
    if (found->second->type != value.type)
      return bad_input(fmt::format("the checkpoint {} has {} as {}, and the network wants {}",
                                   quoted_path(checkpoint.file->path()), in_quotes(value.name),
                                   to_text(found->second->type), to_text(value.type)));
    if (Failure failure = copy(checkpoint, *found->second, value, buffer)) return failure;
  }
  return std::nullopt;
}

}  // namespace poet
