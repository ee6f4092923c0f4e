#include "poet/deliver/quantise_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/base/regular_expression.h"
#include "poet/model/block_values.h"
#include "poet/model/load_weights.h"
#include "poet/model/published_weights.h"
#include "poet/model/safetensors_blocks.h"
#include "poet/model/safetensors_write.h"
#include "poet/model/weight_values.h"

namespace poet {
namespace {

constexpr std::string_view kRegex = "regex:";

bool has_rows_of_floats(const SafeTensor& tensor) {
  const bool are_floats = tensor.type == SafeType::Float32 || tensor.type == SafeType::Float16 ||
                          tensor.type == SafeType::BFloat16 || tensor.type == SafeType::Float64;
  return are_floats && !tensor.blocks && tensor.shape.size() >= 2 && value_count(tensor.shape) > 0;
}

Result<std::vector<std::string>> chosen_names(const PublishedWeights& weights,
                                              const std::string& choice) {
  std::optional<RegularExpression> pattern;
  if (choice.starts_with(kRegex)) {
    std::size_t names_bytes = 0;
    for (const auto& [name, tensor] : weights.tensors) names_bytes += name.size();
    Result<RegularExpression> read =
        RegularExpression::parse_for_names(choice.substr(kRegex.size()), names_bytes);
    if (!read.ok()) return read.error();
    pattern = *std::move(read);
  } else if (choice != "all") {
    return bad_input(
        fmt::format("cannot quantise {}: use all or regex:PATTERN", in_quotes(choice)));
  }
  std::vector<std::string> names;
  for (const auto& [name, tensor] : weights.tensors)
    if (has_rows_of_floats(tensor) && (!pattern || pattern->is_found_in(name)))
      names.push_back(name);
  if (names.empty())
    return bad_input(
        fmt::format("{} chooses none of the weights in {}: what is quantised are "
                    "floats of two dimensions or more",
                    in_quotes(choice), in_quotes(weights.path)));
  return names;
}

// Quantises a tensor row by row, and sums up by how much its values change.
class Quantising {
 public:
  Quantising(const SafeTensor& tensor, const WeightBlocks& blocks)
      : tensor_(tensor),
        blocks_(blocks),
        type_{ElementType::Float32, tensor.shape},
        row_values_(value_count({tensor.shape.begin() + 1, tensor.shape.end()})),
        row_(static_cast<std::size_t>(row_values_)),
        packed_(
            static_cast<std::size_t>(blocks_in_row(blocks, row_values_) * block_bytes(blocks))) {}

  Failure write(const ByteSink& sink, QuantisedTensor& report) {
    const Initial values = float_values(tensor_);
    const std::int64_t row_bytes = row_values_ * static_cast<std::int64_t>(sizeof(float));
    for (std::int64_t row = 0; row < tensor_.shape[0]; ++row) {
      write_initial(values, type_, row * row_bytes, std::as_writable_bytes(std::span(row_)));
      if (Failure failure = encode_row(row)) return failure;
      if (Failure failure = sink(packed_)) return failure;
      add_errors(report);
    }
    const auto count = static_cast<double>(value_count(tensor_.shape));
    report.mean_square_error /= count;
    report.mean_square /= count;
    return std::nullopt;
  }

 private:
  Failure encode_row(std::int64_t row) {
    const auto step = static_cast<std::size_t>(block_bytes(blocks_));
    const auto most = static_cast<std::size_t>(blocks_.values);
    for (std::size_t first = 0, place = 0; first < row_.size(); first += most, place += step) {
      const std::size_t count = std::min(most, row_.size() - first);
      if (!encode_block(blocks_, std::span(row_).subspan(first, count),
                        std::span(packed_).subspan(place, step)))
        return wrong_tensor(
            tensor_,
            fmt::format("row {} of {} has a value that is not finite, or too large for the "
                        "scale of a block",
                        row, weight_in_quotes(tensor_.name)));
    }
    return std::nullopt;
  }

  void add_errors(QuantisedTensor& report) const {
    for (std::size_t k = 0; k < row_.size(); ++k) {
      const double value = row_[k];
      const double error =
          value - decoded_value(blocks_, row_values_, packed_, static_cast<std::int64_t>(k));
      report.largest_error = std::max(report.largest_error, std::abs(error));
      report.mean_square_error += error * error;
      report.mean_square += value * value;
    }
  }

  const SafeTensor& tensor_;
  WeightBlocks blocks_;
  TensorType type_;
  std::int64_t row_values_;
  std::vector<float> row_;
  std::vector<std::byte> packed_;
};

// What a file says of tensors that lie in blocks, and the tensors as they are to be written.
struct NewFile {
  std::map<std::string, BlocksOf> blocks = {};
  std::vector<SafeTensorSource> sources = {};
};

// Of blocks that POET does not write, their values.
Failure write_values(const SafeTensor& tensor, const ByteSink& sink) {
  constexpr std::int64_t kCopiedBytes = 64 << 10;
  const TensorType type{ElementType::Float32, tensor.shape};
  const Initial values = float_values(tensor);
  std::vector<std::byte> buffer(kCopiedBytes);
  const std::int64_t bytes = size_bytes(type);
  for (std::int64_t offset = 0; offset < bytes; offset += kCopiedBytes) {
    const auto piece =
        std::span(buffer).first(static_cast<std::size_t>(std::min(kCopiedBytes, bytes - offset)));
    write_initial(values, type, offset, piece);
    if (Failure failure = sink(piece)) return failure;
  }
  return std::nullopt;
}

// As it is: of blocks their bytes.
void add_kept(const SafeTensor& tensor, NewFile& file, QuantiseReport& report) {
  SafeTensorSource source{.name = tensor.name,
                          .shape = tensor.shape,
                          .write =
                              [&tensor](const ByteSink& sink) {
                                return tensor.made ? write_values(tensor, sink)
                                                   : sink(tensor.values.bytes);
                              },
                          .type = tensor.type};
  if (tensor.blocks) {
    file.blocks[tensor.name] = {*tensor.blocks, tensor.shape};
    source.shape = packed_type(*tensor.blocks, tensor.shape).shape;
    source.type = SafeType::Uint8;
  }
  ++report.kept_tensors;
  report.kept_bytes += value_count(source.shape) * byte_size(source.type);
  file.sources.push_back(std::move(source));
}

void add_quantised(const SafeTensor& tensor, const WeightBlocks& blocks, NewFile& file,
                   QuantisedTensor& report) {
  const TensorType packed = packed_type(blocks, tensor.shape);
  report = {.name = tensor.name,
            .shape = tensor.shape,
            .bytes_before = std::ssize(tensor.values.bytes),
            .bytes_after = size_bytes(packed)};
  file.blocks[tensor.name] = {blocks, tensor.shape};
  file.sources.push_back({.name = tensor.name,
                          .shape = packed.shape,
                          .write =
                              [&tensor, &report, blocks](const ByteSink& sink) {
                                return Quantising(tensor, blocks).write(sink, report);
                              },
                          .type = SafeType::Uint8});
}

Result<QuantiseReport> quantise(const PublishedWeights& weights, const QuantiseRequest& request) {
  const Result<std::vector<std::string>> names = chosen_names(weights, request.tensors);
  if (!names.ok()) return names.error();
  for (const std::string& name : *names)
    if (Failure failure = check_shape(weights.tensors.at(name).shape, weight_in_quotes(name)))
      return wrong_tensor(weights.tensors.at(name), failure->message);
  for (const auto& [name, tensor] : weights.tensors)
    if (Failure failure = check_values(tensor, NonFinite::Taken)) return *failure;
  QuantiseReport report;
  report.tensors.resize(names->size());  // sources write into it
  NewFile file;
  std::size_t next = 0;
  for (const auto& [name, tensor] : weights.tensors)
    if (next < names->size() && (*names)[next] == name)
      add_quantised(tensor, request.blocks, file, report.tensors[next++]);
    else
      add_kept(tensor, file, report);
  SafeMetadata metadata = kPlainMetadata;
  metadata[kBlocksKey] = blocks_text(file.blocks);
  if (Failure failure = write_safetensors(request.out_path, file.sources, metadata))
    return *failure;
  return report;
}

}  // namespace

Result<QuantiseReport> quantise_weights(const QuantiseRequest& request) {
  const Result<PublishedWeights> weights = open_weights(request.weights_path);
  if (!weights.ok()) return weights.error();
  return quantise(*weights, request);
}

}  // namespace poet
