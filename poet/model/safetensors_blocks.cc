#include "poet/model/safetensors_blocks.h"

#include <fmt/format.h>

#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

constexpr std::int64_t kVersion = 1;

Failure check_fit(const SafeTensor& tensor, const BlocksOf& said) {
  const std::string name = weight_in_quotes(tensor.name);
  if (!are_known(said.blocks))
    return bad_input(
        fmt::format("{} would have blocks of {} values of {} bits: blocks have 8 or 4 "
                    "bits, and a power of two from {} to {} values",
                    name, said.blocks.values, said.blocks.bits, kLeastInBlock, kMostInBlock));
  if (said.shape.size() < 2)
    return bad_input(
        fmt::format("{} would be {} in blocks, which take rows: two dimensions at least", name,
                    to_text(said.shape)));
  if (Failure failure = check_shape(said.shape, name)) return failure;
  const Shape wanted = packed_type(said.blocks, said.shape).shape;
  if (tensor.type != SafeType::Uint8 || tensor.shape != wanted)
    return bad_input(fmt::format("{} is {} {}, and {} in blocks of {} values of {} bits is U8 {}",
                                 name, name_of(kSafeTypes, tensor.type), to_text(tensor.shape),
                                 to_text(said.shape), said.blocks.values, said.blocks.bits,
                                 to_text(wanted)));
  return std::nullopt;
}

std::map<std::string, BlocksOf> read_said(const JsonValue& json, JsonReader& reader) {
  std::map<std::string, BlocksOf> said;
  JsonObject document(json, "what says which tensors are blocks", reader);
  const std::int64_t version = document.whole("version", kSizeRange);
  const JsonValue& tensors = document.member("tensors");
  document.finish();
  if (version != kVersion && !reader.failure())
    reader.refuse(json, fmt::format("its version is {}, and {} is known", version, kVersion));
  const auto* const members = std::get_if<JsonMembers>(&tensors.data);
  if (members == nullptr) {
    reader.refuse(tensors, "'tensors' must be an object, found " + found_text(tensors));
    return said;
  }
  for (const JsonMember& member : *members) {
    JsonObject fields(member.value, "the tensor " + weight_in_quotes(member.key), reader);
    BlocksOf& one = said[member.key];
    one.blocks.bits = fields.whole("bits", kSizeRange);
    one.blocks.values = fields.whole("block", kSizeRange);
    one.shape = fields.wholes("shape", kSizeRange);
    fields.finish();
  }
  return said;
}

Error in_the_text(Error error, const std::string& path) {
  error.message = fmt::format("{} in its metadata: {}", kBlocksKey, error.message);
  error.where = {.file = path};
  return error;
}

}  // namespace

std::string blocks_text(const std::map<std::string, BlocksOf>& tensors) {
  JsonOut all = JsonOut::object();
  for (const auto& [name, one] : tensors)
    all[name] = {{"bits", one.blocks.bits}, {"block", one.blocks.values}, {"shape", one.shape}};
  return json_line({{"version", kVersion}, {"tensors", all}});
}

Failure take_blocks(const std::string& path, SafeTensors& file) {
  const auto text = file.metadata.find(kBlocksKey);
  if (text == file.metadata.end()) return std::nullopt;
  const Result<JsonValue> json = parse_json(text->second, path);
  if (!json.ok()) return in_the_text(json.error(), path);
  JsonReader reader(path);
  std::map<std::string, BlocksOf> said = read_said(*json, reader);
  if (reader.failure()) return in_the_text(*reader.failure(), path);
  for (SafeTensor& tensor : file.tensors) {
    const auto one = said.find(tensor.name);
    if (one == said.end()) continue;
    if (Failure failure = check_fit(tensor, one->second)) return in_the_text(*failure, path);
    tensor.type = SafeType::Float32;
    tensor.shape = one->second.shape;
    tensor.blocks = one->second.blocks;
    said.erase(one);
  }
  if (said.empty()) return std::nullopt;
  return in_the_text(
      bad_input(fmt::format("the file has no tensor {}", weight_in_quotes(said.begin()->first))),
      path);
}

}  // namespace poet
