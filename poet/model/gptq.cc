#include "poet/model/gptq.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "poet/base/json_reader.h"
#include "poet/base/message_text.h"
#include "poet/model/narrow_floats.h"

namespace poet {
namespace {

constexpr std::string_view kNumbers = ".qweight";
constexpr std::int64_t kWordBits = 32;
constexpr WholeRange kGroupSizes{-1, std::int64_t{1} << 31};

// --- The configuration

// Refuses a text that is there and none of these.
void check_text(JsonObject& fields, std::string_view key,
                const std::vector<std::string_view>& known, JsonReader& reader) {
  if (!fields.has(key)) return;
  const std::string text = fields.text(key);
  for (const std::string_view one : known)
    if (text == one) return;
  reader.refuse(fields.member(key), fmt::format("'{}' is {}, and POET reads {}", key,
                                                in_quotes(text), alternatives(known)));
}

// Other numbers of bits for some layers.
bool has_no_exceptions(const JsonValue& value) {
  if (const auto* const members = std::get_if<JsonMembers>(&value.data)) return members->empty();
  return std::holds_alternative<std::nullptr_t>(value.data);
}

bool is_of_version_2(JsonObject& fields) {
  for (const char* const key : {"checkpoint_format", "format"})
    if (fields.has(key) && fields.text(key) == "gptq_v2") return true;
  return false;
}

// --- Tensors

// The parts of one weight.
struct Parts {
  SafeTensor numbers = {};  // (in / 8 or in / 4, out), int32: 8 or 4 of a column in one
  SafeTensor zeros = {};    // (groups, out / 8 or out / 4), int32: of columns beside each other
  SafeTensor scales = {};   // (groups, out)
  std::optional<SafeTensor> groups = {};  // (in), int32: the group of each row
};

std::uint32_t word_at(const SafeTensor& tensor, std::int64_t place) {
  std::uint32_t word = 0;
  std::memcpy(&word, &tensor.values.bytes[static_cast<std::size_t>(place) * sizeof word],
              sizeof word);
  return word;
}

float scale_at(const SafeTensor& scales, std::int64_t place) {
  if (scales.type == SafeType::Float32) {
    const std::uint32_t bits = word_at(scales, place);
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, &scales.values.bytes[static_cast<std::size_t>(place) * sizeof bits],
              sizeof bits);
  return scales.type == SafeType::BFloat16 ? from_bfloat16(bits) : from_float16(bits);
}

// What a weight is made of, as it lies; places are of theirs, (in, out).
struct Quantised {
  GptqForm form = {};
  Parts parts = {};
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t groups = 0;

  std::int64_t per_word() const { return kWordBits / form.bits; }

  std::int64_t number(const SafeTensor& words, std::int64_t word, std::int64_t place) const {
    const std::uint32_t mask = (1U << form.bits) - 1;
    return word_at(words, word) >> (place % per_word() * form.bits) & mask;
  }

  std::int64_t group_of(std::int64_t row) const {
    if (parts.groups) return static_cast<std::int32_t>(word_at(*parts.groups, row));
    return form.group_size < 0 ? 0 : row / form.group_size;
  }

  float value(std::int64_t row, std::int64_t column) const {
    const std::int64_t group = group_of(row);
    const std::int64_t stored = number(parts.numbers, row / per_word() * out + column, row);
    const std::int64_t zero =
        number(parts.zeros, group * (out / per_word()) + column / per_word(), column) +
        form.added_to_zero;
    return scale_at(parts.scales, group * out + column) * static_cast<float>(stored - zero);
  }
};

std::string as_text(const SafeTensor& tensor) {
  return fmt::format("{} is {} {}", weight_in_quotes(tensor.name), name_of(kSafeTypes, tensor.type),
                     to_text(tensor.shape));
}

Failure check_words(const SafeTensor& tensor, const Shape& wanted) {
  if (tensor.type == SafeType::Int32 && tensor.shape == wanted) return std::nullopt;
  return wrong_tensor(tensor, fmt::format("{}, and the numbers beside it take I32 {}",
                                          as_text(tensor), to_text(wanted)));
}

// A weight is at most 256 scales.
constexpr float kLargestScale = 1e36F;

bool makes_finite_weights(float scale) {
  return std::isfinite(scale) && std::fabs(scale) < kLargestScale;
}

Failure check_scales(const Quantised& weight) {
  const SafeTensor& scales = weight.parts.scales;
  const bool is_float = scales.type == SafeType::Float16 || scales.type == SafeType::BFloat16 ||
                        scales.type == SafeType::Float32;
  if (!is_float || scales.shape.size() != 2 || scales.shape[0] < 1 || scales.shape[1] != weight.out)
    return wrong_tensor(scales, fmt::format("{}, and the numbers beside it take F16, BF16 or F32 "
                                            "(groups, {})",
                                            as_text(scales), weight.out));
  for (std::int64_t i = 0; i < value_count(scales.shape); ++i)
    if (!makes_finite_weights(scale_at(scales, i)))
      return wrong_tensor(
          scales, fmt::format("{} has a scale of {} at ({}, {}), and those of weights are finite "
                              "numbers below {}",
                              weight_in_quotes(scales.name), scale_at(scales, i), i / weight.out,
                              i % weight.out, kLargestScale));
  return std::nullopt;
}

Failure check_groups(const Quantised& weight) {
  if (weight.parts.groups)
    if (Failure failure = check_words(*weight.parts.groups, {weight.in})) return failure;
  const std::int64_t size = weight.form.group_size;
  const std::int64_t groups = size < 0 ? 1 : weight.in / size + (weight.in % size == 0 ? 0 : 1);
  if (!weight.parts.groups && weight.groups != groups)
    return wrong_tensor(weight.parts.scales,
                        fmt::format("{} has {} groups, and {} rows in groups of {} have {}",
                                    weight_in_quotes(weight.parts.scales.name), weight.groups,
                                    weight.in, size < 0 ? weight.in : size, groups));
  for (std::int64_t row = 0; row < weight.in; ++row)
    if (const std::int64_t group = weight.group_of(row); group < 0 || group >= weight.groups)
      return wrong_tensor(
          *weight.parts.groups,
          fmt::format("place {} of {} is group {}, and there are {}", row,
                      weight_in_quotes(weight.parts.groups->name), group, weight.groups));
  return std::nullopt;
}

// Sizes are those of bytes in the file, so that no product of two is too large.
Result<Quantised> quantised(const GptqForm& form, Parts parts) {
  Quantised weight{.form = form, .parts = std::move(parts)};
  const SafeTensor& numbers = weight.parts.numbers;
  const bool is_matrix = numbers.type == SafeType::Int32 && numbers.shape.size() == 2 &&
                         numbers.shape[0] > 0 && numbers.shape[1] > 0;
  if (!is_matrix || numbers.shape[1] % weight.per_word() != 0)
    return wrong_tensor(numbers,
                        fmt::format("{}, and numbers of {} bits are I32 (rows, a multiple of {})",
                                    as_text(numbers), form.bits, weight.per_word()));
  weight.in = numbers.shape[0] * weight.per_word();
  weight.out = numbers.shape[1];
  if (Failure failure = check_scales(weight)) return *failure;
  weight.groups = weight.parts.scales.shape[0];
  if (Failure failure =
          check_words(weight.parts.zeros, {weight.groups, weight.out / weight.per_word()}))
    return *failure;
  if (Failure failure = check_groups(weight)) return *failure;
  return weight;
}

std::optional<SafeTensor> taken_out(std::map<std::string, SafeTensor>& tensors,
                                    const std::string& name) {
  auto node = tensors.extract(name);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

Failure take_one(const GptqForm& form, const std::string& module,
                 std::map<std::string, SafeTensor>& tensors) {
  Parts parts;
  for (auto [end, part] :
       {std::pair(".qweight", &parts.numbers), std::pair(".qzeros", &parts.zeros),
        std::pair(".scales", &parts.scales)}) {
    std::optional<SafeTensor> there = taken_out(tensors, module + end);
    if (!there)
      return wrong_tensor(parts.numbers, fmt::format("{} has no {} beside it",
                                                     weight_in_quotes(module + ".qweight"),
                                                     weight_in_quotes(module + end)));
    *part = *std::move(there);
  }
  parts.groups = taken_out(tensors, module + ".g_idx");
  Result<Quantised> read = quantised(form, std::move(parts));
  if (!read.ok()) return read.error();
  const auto weight = std::make_shared<const Quantised>(*std::move(read));
  SafeTensor made{.name = module + ".weight",
                  .shape = {weight->out, weight->in},
                  .values = weight->parts.numbers.values,
                  .made =
                      [weight](std::int64_t element) {
                        return weight->value(element % weight->in, element / weight->in);
                      },
                  .path = weight->parts.numbers.path};
  if (!tensors.emplace(made.name, made).second)
    return wrong_tensor(
        made, fmt::format("{} is there twice, and quantised once", weight_in_quotes(made.name)));
  return std::nullopt;
}

std::vector<std::string> modules_of(const std::map<std::string, SafeTensor>& tensors) {
  std::vector<std::string> modules;
  for (const auto& [name, tensor] : tensors)
    if (name.ends_with(kNumbers)) modules.push_back(name.substr(0, name.size() - kNumbers.size()));
  return modules;
}

}  // namespace

Result<GptqForm> gptq_form(const JsonValue& config, const std::string& path) {
  JsonReader reader(path);
  JsonObject fields(config, "what says how weights are quantised", reader);
  check_text(fields, "quant_method", {"gptq"}, reader);
  check_text(fields, "checkpoint_format", {"gptq", "gptq_v2"}, reader);
  check_text(fields, "format", {"gptq", "gptq_v2"}, reader);
  check_text(fields, "pack_dtype", {"int32"}, reader);
  if (fields.has("is_marlin_format") && fields.flag("is_marlin_format"))
    reader.refuse(fields.member("is_marlin_format"),
                  "'is_marlin_format' is true, and POET reads GPTQ's own format");
  if (fields.has("dynamic") && !has_no_exceptions(fields.member("dynamic")))
    reader.refuse(fields.member("dynamic"),
                  "'dynamic' has other numbers of bits for some layers, and POET reads one");
  GptqForm form{.bits = fields.whole("bits", {1, 64}),
                .group_size = fields.whole("group_size", kGroupSizes),
                .added_to_zero = is_of_version_2(fields) ? 0 : 1};
  if (reader.failure()) return *reader.failure();
  if (form.bits != 4 && form.bits != 8)
    reader.refuse(fields.member("bits"),
                  fmt::format("'bits' is {}, and POET reads 4 and 8", form.bits));
  if (form.group_size == 0) reader.refuse(fields.member("group_size"), "'group_size' is 0");
  if (reader.failure()) return *reader.failure();
  return form;
}

bool has_gptq(const std::map<std::string, SafeTensor>& tensors) {
  return !modules_of(tensors).empty();
}

Failure take_gptq(const GptqForm& form, std::map<std::string, SafeTensor>& tensors) {
  for (const std::string& module : modules_of(tensors))
    if (Failure failure = take_one(form, module, tensors)) return failure;
  return std::nullopt;
}

}  // namespace poet
