#include "poet/model/onnx/bind_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

Result<std::int64_t> fixed_extent(const OnnxInput& input, std::size_t d, std::int64_t extent,
                                  const OnnxImportOptions& options) {
  if (extent < 1 || extent > kMaxValues)
    return bad_input(
        fmt::format("input {}: dimension {} has the extent {}; it must be from 1 to {}",
                    in_quotes(input.name), d, extent, kMaxValues));
  if (d == 0 && options.batch_size && *options.batch_size != extent)
    return bad_input(fmt::format(
        "input {} was exported for a batch size of {}; for {}, export it with an open one",
        in_quotes(input.name), extent, *options.batch_size));
  return extent;
}

Result<std::int64_t> bound_extent(const OnnxInput& input, std::size_t d,
                                  const OnnxImportOptions& options) {
  const OnnxDimension& dimension = (*input.shape)[d];
  if (const auto* const extent = std::get_if<std::int64_t>(&dimension))
    return fixed_extent(input, d, *extent, options);
  const auto* const name = std::get_if<std::string>(&dimension);
  if (name != nullptr) {
    const auto given = options.dimensions.find(*name);
    if (given != options.dimensions.end()) return given->second;
  }
  if (d == 0 && options.batch_size) return *options.batch_size;
  const std::string which = name == nullptr ? fmt::format("dimension {}", d)
                                            : fmt::format("dimension {} ({})", d, in_quotes(*name));
  const char* const remedy = d == 0            ? "give the batch size"
                             : name == nullptr ? "export it with a fixed or named one"
                                               : "give it by its name";
  return bad_input(
      fmt::format("input {}: {} has no fixed extent; {}", in_quotes(input.name), which, remedy));
}

// Names of extents that inputs have.
std::vector<std::string_view> names_in(const OnnxModel& file) {
  std::vector<std::string_view> names;
  for (const OnnxInput& input : file.inputs) {
    if (!input.shape) continue;
    for (const OnnxDimension& dimension : *input.shape)
      if (const auto* const name = std::get_if<std::string>(&dimension)) names.push_back(*name);
  }
  return names;
}

}  // namespace

Result<TensorType> bound_type(const OnnxInput& input, const OnnxImportOptions& options) {
  if (!input.element.used())
    return Error{ErrorCode::Unsupported,
                 fmt::format("input {} has {} values, which POET does not support",
                             in_quotes(input.name), input.element.name),
                 {}};
  if (!input.shape)
    return bad_input(
        fmt::format("input {} has no shape; export it with one", in_quotes(input.name)));
  TensorType type{*input.element.used(), {}};
  for (std::size_t d = 0; d < input.shape->size(); ++d) {
    const Result<std::int64_t> extent = bound_extent(input, d, options);
    if (!extent.ok()) return extent.error();
    type.shape.push_back(*extent);
  }
  if (Failure failure = check_shape(type.shape, "input " + in_quotes(input.name))) return *failure;
  return type;
}

Failure check_options(const OnnxModel& file, const OnnxImportOptions& options) {
  if (options.batch_size && *options.batch_size < 1)
    return bad_input(
        fmt::format("the batch size is {}; it must be at least 1", *options.batch_size));
  const std::vector<std::string_view> names = names_in(file);
  for (const auto& [name, extent] : options.dimensions) {
    if (extent < 1)
      return bad_input(
          fmt::format("dimension {} is {}; it must be at least 1", in_quotes(name), extent));
    if (std::find(names.begin(), names.end(), name) == names.end())
      return bad_input(fmt::format("no input has a dimension called {}{}", in_quotes(name),
                                   suggestion(name, names)));
  }
  return std::nullopt;
}

}  // namespace poet
