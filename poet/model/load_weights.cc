#include "poet/model/load_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "poet/base/check.h"
#include "poet/model/block_values.h"
#include "poet/model/narrow_floats.h"
#include "poet/model/published_config.h"

namespace poet {
namespace {

// A list of names in a sentence ends here: what follows is counted.
constexpr std::size_t kMostNames = 24;

bool is_learnt(TensorRole role) {
  return role == TensorRole::Parameter || role == TensorRole::Statistic;
}

std::vector<TensorId> learnt_of(const Model& model) {
  std::vector<TensorId> ids;
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i)
    if (is_learnt(model.graph.tensors[i].role)) ids.push_back(static_cast<TensorId>(i));
  return ids;
}

// --- Values

// Which of the values of a published tensor are those of one of ours, and in which order.
struct Source {
  StoredBytes values = {};
  SafeType type = SafeType::Float32;
  WeightLayout layout = WeightLayout::Same;
  std::int64_t first = 0;     // Same: the value of theirs that ours begin with
  std::int64_t columns = 1;   // Transposed: of ours,
  std::int64_t all_rows = 1;  // and rows of all parts, which are theirs' columns
  std::int64_t first_row = 0;
  std::optional<WeightBlocks> blocks = {};  // of which theirs are made,
  std::int64_t row_values = 1;              // in rows of so many
  std::function<float(std::int64_t)> made = {};
  std::int64_t paired_rows = 0;  // of rows of so many values
  float added = 0;
};

// The row of theirs that a row of ours is, where theirs come in pairs.
std::int64_t paired_row(std::int64_t row, std::int64_t head) {
  const std::int64_t place = row % head;
  const std::int64_t half = head / 2;
  return row - place + place % half * 2 + place / half;
}

std::int64_t index_in(const Source& source, std::int64_t element) {
  if (source.paired_rows > 0)
    return source.first +
           paired_row(element / source.row_values, source.paired_rows) * source.row_values +
           element % source.row_values;
  if (source.layout != WeightLayout::Transposed) return source.first + element;
  const std::int64_t row = source.first_row + element / source.columns;
  return element % source.columns * source.all_rows + row;
}

// `value_at` of a place among theirs.
template <typename ValueAt>
void write_each(const Source& source, std::int64_t offset_bytes, std::span<std::byte> into,
                ValueAt value_at) {
  constexpr std::size_t kSize = sizeof(float);
  std::int64_t element = offset_bytes / static_cast<std::int64_t>(kSize);
  std::size_t skipped = static_cast<std::size_t>(offset_bytes) % kSize;
  for (std::size_t done = 0; done < into.size(); ++element) {
    std::byte bytes[kSize];
    float value = value_at(index_in(source, element));
    if (source.added != 0) value -= source.added;
    std::memcpy(bytes, &value, kSize);
    const std::size_t count = std::min(kSize - skipped, into.size() - done);
    std::memcpy(&into[done], bytes + skipped, count);
    done += count;
    skipped = 0;
  }
}

template <typename Stored, typename Convert>
void write_as(const Source& source, std::int64_t offset_bytes, std::span<std::byte> into,
              Convert convert) {
  write_each(source, offset_bytes, into, [&](std::int64_t index) {
    Stored stored{};
    const auto place = static_cast<std::size_t>(index) * sizeof stored;
    std::memcpy(&stored, &source.values.bytes[place], sizeof stored);
    return convert(stored);
  });
}

void write_values(const Source& source, std::int64_t offset_bytes, std::span<std::byte> into) {
  if (source.made) return write_each(source, offset_bytes, into, source.made);
  if (source.blocks)
    return write_each(source, offset_bytes, into, [&source](std::int64_t index) {
      return decoded_value(*source.blocks, source.row_values, source.values.bytes, index);
    });
  switch (source.type) {
    case SafeType::Float32:
      return write_as<float>(source, offset_bytes, into, [](float value) { return value; });
    case SafeType::Float16:
      return write_as<std::uint16_t>(source, offset_bytes, into, from_float16);
    case SafeType::BFloat16:
      return write_as<std::uint16_t>(source, offset_bytes, into, from_bfloat16);
    case SafeType::Float64:
      return write_as<double>(source, offset_bytes, into,
                              [](double value) { return static_cast<float>(value); });
    default:
      POET_CHECK(false);
  }
}

bool is_taken(SafeType type) {
  return type == SafeType::Float32 || type == SafeType::Float16 || type == SafeType::BFloat16 ||
         type == SafeType::Float64;
}

Failure check_range(const SafeTensor& tensor) {
  if (tensor.type != SafeType::Float64) return std::nullopt;
  for (std::size_t place = 0; place < tensor.values.bytes.size(); place += sizeof(double)) {
    double value = 0;
    std::memcpy(&value, &tensor.values.bytes[place], sizeof value);
    if (std::isinf(static_cast<float>(value)) && !std::isinf(value))
      return bad_input(
          fmt::format("{} holds {}, which is beyond float32, the type that POET calculates with",
                      weight_in_quotes(tensor.name), value));
  }
  return std::nullopt;
}

bool is_as_ours(const WeightPlace& place) {
  return place.layout != WeightLayout::Transposed && place.paired_rows == 0 && place.added == 0;
}

std::int64_t row_values_of(const SafeTensor& tensor) {
  return tensor.shape.empty() ? 1 : value_count({tensor.shape.begin() + 1, tensor.shape.end()});
}

Initial values_of(const SafeTensor& tensor, const WeightPlace& place, const Shape& shape) {
  const std::int64_t count = value_count(shape);
  if (tensor.type == SafeType::Float32 && !tensor.blocks && !tensor.made && is_as_ours(place)) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
    return StoredBytes{
        tensor.values.owner,
        tensor.values.bytes.subspan(static_cast<std::size_t>(place.part) * bytes, bytes)};
  }
  auto source = std::make_shared<Source>(Source{.values = tensor.values,
                                                .type = tensor.type,
                                                .layout = place.layout,
                                                .first = place.part * count,
                                                .blocks = tensor.blocks,
                                                .row_values = row_values_of(tensor),
                                                .made = tensor.made,
                                                .paired_rows = place.paired_rows,
                                                .added = place.added});
  if (place.layout == WeightLayout::Transposed) {
    source->columns = shape[1];
    source->all_rows = place.parts * shape[0];
    source->first_row = place.part * shape[0];
  }
  return WrittenBy{[source = std::shared_ptr<const Source>(std::move(source))](
                       std::int64_t offset_bytes, std::span<std::byte> into) {
    write_values(*source, offset_bytes, into);
  }};
}

// Of columns [first, first + of.shape[1]) of theirs, which begin and end with a block.
void write_columns(const SafeTensor& tensor, const PackedWeight& of, std::int64_t first,
                   std::int64_t offset_bytes, std::span<std::byte> into) {
  const std::int64_t block = block_bytes(of.blocks);
  const std::int64_t row_bytes = blocks_in_row(of.blocks, of.shape[1]) * block;
  const std::int64_t row_of_theirs = blocks_in_row(of.blocks, tensor.shape[1]) * block;
  const std::int64_t begin = first / of.blocks.values * block;
  for (std::size_t done = 0; done < into.size();) {
    const std::int64_t place = offset_bytes + static_cast<std::int64_t>(done);
    const std::int64_t in_row = place % row_bytes;
    const std::size_t count =
        std::min(into.size() - done, static_cast<std::size_t>(row_bytes - in_row));
    const std::int64_t from = place / row_bytes * row_of_theirs + begin + in_row;
    std::memcpy(&into[done], &tensor.values.bytes[static_cast<std::size_t>(from)], count);
    done += count;
  }
}

// Of rows that come in pairs in theirs.
void write_paired_rows(const SafeTensor& tensor, std::int64_t head, std::int64_t offset_bytes,
                       std::span<std::byte> into) {
  const std::int64_t row_bytes =
      blocks_in_row(*tensor.blocks, row_values_of(tensor)) * block_bytes(*tensor.blocks);
  for (std::size_t done = 0; done < into.size();) {
    const std::int64_t place = offset_bytes + static_cast<std::int64_t>(done);
    const std::int64_t in_row = place % row_bytes;
    const std::size_t count =
        std::min(into.size() - done, static_cast<std::size_t>(row_bytes - in_row));
    const std::int64_t from = paired_row(place / row_bytes, head) * row_bytes + in_row;
    std::memcpy(&into[done], &tensor.values.bytes[static_cast<std::size_t>(from)], count);
    done += count;
  }
}

// The blocks of one of ours, of which theirs has several.
PackedWeight packed_of(const SafeTensor& tensor, const WeightPlace& place, const Shape& shape) {
  PackedWeight packed{.blocks = *tensor.blocks,
                      .shape = shape,
                      .is_transposed = place.layout == WeightLayout::Transposed};
  if (packed.is_transposed) std::swap(packed.shape[0], packed.shape[1]);
  if (place.paired_rows > 0) {
    packed.values = WrittenBy{
        [tensor, head = place.paired_rows](std::int64_t offset_bytes, std::span<std::byte> into) {
          write_paired_rows(tensor, head, offset_bytes, into);
        }};
    return packed;
  }
  const std::int64_t bytes = size_bytes(packed_type(packed.blocks, packed.shape));
  if (!packed.is_transposed || place.parts == 1) {
    packed.values =
        StoredBytes{tensor.values.owner,
                    tensor.values.bytes.subspan(static_cast<std::size_t>(place.part * bytes),
                                                static_cast<std::size_t>(bytes))};
    return packed;
  }
  packed.values = WrittenBy{[tensor, packed, first = place.part * shape[0]](
                                std::int64_t offset_bytes, std::span<std::byte> into) {
    write_columns(tensor, packed, first, offset_bytes, into);
  }};
  return packed;
}

// --- Names

Shape shape_of_theirs(Shape shape, const WeightPlace& place) {
  if (place.parts > 1) shape[0] *= place.parts;
  if (place.layout == WeightLayout::Transposed) std::swap(shape[0], shape[1]);
  if (place.layout == WeightLayout::Flat) shape.resize(shape.size() - 2);
  return shape;
}

// The name that a tensor has in the file: where it shares its values with another one, either's.
std::string name_in(const PublishedWeights& weights, const WeightFamily& family,
                    const std::string& ours, std::string theirs) {
  if (weights.tensors.count(theirs) > 0) return theirs;
  for (const SharedWeight& shared : family.shared)
    if (std::string other(shared.theirs); shared.ours == ours && weights.tensors.count(other) > 0)
      return other;
  return theirs;
}

struct Placed {
  TensorId tensor{};
  WeightPlace place = {};
};

// By the way of naming that most of ours are found by; the first of several.
std::vector<Placed> placed(const PublishedWeights& weights, const WeightFamily& family,
                           const Model& model) {
  std::vector<Placed> best;
  std::int64_t most = -1;
  for (const WeightNaming& naming : family.namings) {
    std::vector<Placed> all;
    std::int64_t there = 0;
    for (const TensorId id : learnt_of(model)) {
      const std::string& ours = at(model.graph.tensors, id).name;
      all.push_back({id, place_of(naming, ours)});
      WeightPlace& place = all.back().place;
      place.name = name_in(weights, family, ours, std::move(place.name));
      there += static_cast<std::int64_t>(weights.tensors.count(place.name));
    }
    if (there <= most) continue;
    most = there;
    best = std::move(all);
  }
  return best;
}

// --- What does not fit

std::string names_text(const std::vector<std::string>& names) {
  std::vector<std::string> shown(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNames)));
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text;
}

struct Differences {
  std::vector<std::string> missing = {};
  std::vector<std::string> misshapen = {};  // "'a' as (3), and it takes (4)"
  std::vector<std::string> superfluous = {};
  std::vector<std::string> untaken = {};  // "'a' as I8"

  bool none() const {
    return missing.empty() && misshapen.empty() && superfluous.empty() && untaken.empty();
  }
};

std::string sentence(const Differences& all, std::string_view name) {
  std::vector<std::string> parts;
  if (!all.missing.empty()) parts.push_back("they lack " + names_text(all.missing));
  if (!all.misshapen.empty()) parts.push_back("they have " + names_text(all.misshapen));
  if (!all.superfluous.empty())
    parts.push_back(fmt::format("{} has no place for {}", name, names_text(all.superfluous)));
  if (!all.untaken.empty())
    parts.push_back(fmt::format("parameters can be F32, F16, BF16 and F64, and they have {}",
                                names_text(all.untaken)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

bool is_ignored(const WeightFamily& family, const std::string& name) {
  return std::any_of(family.ignored.begin(), family.ignored.end(),
                     [&name](std::string_view pattern) { return fits(pattern, name); });
}

std::vector<std::string> superfluous(const PublishedWeights& weights, const WeightFamily& family,
                                     const std::map<std::string, bool>& used) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : weights.tensors) {
    const bool is_shared =
        std::any_of(family.shared.begin(), family.shared.end(),
                    [&name = name](const SharedWeight& shared) { return shared.theirs == name; });
    if (used.count(name) == 0 && !is_shared && !is_ignored(family, name))
      names.push_back(weight_in_quotes(name));
  }
  return names;
}

// What the network has once and the file has twice must be the same there.
Failure check_shared(const PublishedWeights& weights, const SharedWeight& shared,
                     const std::vector<Placed>& all, const Model& model) {
  const auto second = weights.tensors.find(std::string(shared.theirs));
  if (second == weights.tensors.end()) return std::nullopt;
  for (const Placed& one : all) {
    if (at(model.graph.tensors, one.tensor).name != shared.ours) continue;
    const auto first = weights.tensors.find(one.place.name);
    if (first == weights.tensors.end()) return std::nullopt;
    const std::span<const std::byte> a = first->second.values.bytes;
    const std::span<const std::byte> b = second->second.values.bytes;
    if (first->second.type == second->second.type && first->second.shape == second->second.shape &&
        first->second.blocks == second->second.blocks &&
        std::equal(a.begin(), a.end(), b.begin(), b.end()))
      return std::nullopt;
    return bad_input(fmt::format("{} and {} differ, and the network has one tensor for both",
                                 weight_in_quotes(first->first), weight_in_quotes(second->first)));
  }
  return std::nullopt;
}

// What is taken over, and what is not.
struct Matched {
  std::map<TensorId, Initial> values = {};
  std::map<TensorId, PackedWeight> packed = {};  // of these
  Differences differences = {};
};

// Whether several of ours lie in the columns of theirs, and not in whole blocks of them.
bool is_cut_in_blocks(const SafeTensor& tensor, const WeightPlace& place, const Shape& shape) {
  return tensor.blocks && place.parts > 1 && place.layout == WeightLayout::Transposed &&
         shape[0] % tensor.blocks->values != 0;
}

// What is wrong with a tensor of theirs for one of ours, which is noted; whether there is nothing.
bool is_as_wanted(const PublishedWeights& weights, const WeightPlace& place, const Shape& shape,
                  Differences& differences) {
  const std::string name = weight_in_quotes(place.name);
  const auto found = weights.tensors.find(place.name);
  if (found == weights.tensors.end()) {
    differences.missing.push_back(name);
    return false;
  }
  const SafeTensor& tensor = found->second;
  const Shape wanted = shape_of_theirs(shape, place);
  if (tensor.shape != wanted) {
    differences.misshapen.push_back(
        fmt::format("{} as {} where it takes {}", name, to_text(tensor.shape), to_text(wanted)));
    return false;
  }
  if (is_cut_in_blocks(tensor, place, shape)) {
    differences.misshapen.push_back(
        fmt::format("{} in blocks of {}, in which the network's {} begin", name,
                    tensor.blocks->values, to_text(shape)));
    return false;
  }
  if (!is_taken(tensor.type))
    differences.untaken.push_back(fmt::format("{} as {}", name, name_of(kSafeTypes, tensor.type)));
  return is_taken(tensor.type);
}

Result<Matched> matched(const PublishedWeights& weights, const WeightFamily& family,
                        const std::vector<Placed>& all, const Model& model) {
  Matched result;
  std::map<std::string, bool> wanted;  // of theirs, which several of ours may be in: whether right
  for (const auto& [id, place] : all) {
    const Shape& shape = at(model.graph.tensors, id).type.shape;
    const auto [known, is_new] = wanted.emplace(place.name, false);
    if (is_new) {
      known->second = is_as_wanted(weights, place, shape, result.differences);
      if (known->second)
        if (Failure failure = check_range(weights.tensors.at(place.name))) return *failure;
    }
    if (!known->second) continue;
    const SafeTensor& tensor = weights.tensors.at(place.name);
    result.values.emplace(id, values_of(tensor, place, shape));
    if (tensor.blocks && place.added == 0 && place.layout != WeightLayout::Flat &&
        at(model.graph.tensors, id).role == TensorRole::Parameter)
      result.packed.emplace(id, packed_of(tensor, place, shape));
  }
  result.differences.superfluous = superfluous(weights, family, wanted);
  return result;
}

Failure take_over(const PublishedWeights& weights, std::string_view network, MissingWeights missing,
                  Model& model) {
  const WeightFamily family = weight_family(network);
  const std::vector<Placed> all = placed(weights, family, model);
  for (const SharedWeight& shared : family.shared)
    if (Failure failure = check_shared(weights, shared, all, model)) return failure;
  Result<Matched> found = matched(weights, family, all, model);
  if (!found.ok()) return found.error();
  const Differences& differences = found->differences;
  const std::string what = network.empty() ? std::string("the network") : std::string(network);
  if (!differences.none()) {
    const std::string all_of_it = sentence(differences, what);
    if (missing == MissingWeights::Refused || !differences.untaken.empty() || found->values.empty())
      return bad_input(fmt::format("the weights are not those of {}: {}", what, all_of_it));
    model.notes.push_back(fmt::format(
        "the weights in '{}' are not those of all of {}, and the rest begins with values of its "
        "own: {}",
        weights.path, what, all_of_it));
  }
  for (auto& [id, initial] : found->values) model.initial[id] = std::move(initial);
  model.packed = std::move(found->packed);
  POET_CHECK(!check_model(model));
  return std::nullopt;
}

}  // namespace

Initial float_values(const SafeTensor& tensor) {
  return values_of(tensor, {}, tensor.shape);
}

Failure load_weights(const PublishedWeights& weights, std::string_view network,
                     MissingWeights missing, Model& model) {
  if (weights.config && !network.empty())
    if (Failure failure = check_config(weights.config->json, weights.config->path, network))
      return failure;
  Failure failure = take_over(weights, network, missing, model);
  if (failure) failure->where.file = weights.path;
  return failure;
}

std::vector<const SafeTensor*> tensors_taken(const PublishedWeights& weights,
                                             std::string_view network, const Model& model) {
  std::map<std::string, const SafeTensor*> taken;
  Differences ignored;
  for (const auto& [id, place] : placed(weights, weight_family(network), model))
    if (is_as_wanted(weights, place, at(model.graph.tensors, id).type.shape, ignored))
      taken.emplace(place.name, &weights.tensors.at(place.name));
  std::vector<const SafeTensor*> tensors;
  for (const auto& [name, tensor] : taken) tensors.push_back(tensor);
  return tensors;
}

std::vector<PublishedTensor> published_form(const Model& model, std::string_view network) {
  const WeightNaming naming = weight_family(network).namings.front();
  std::vector<PublishedTensor> tensors;
  std::map<std::string, std::size_t> places;
  for (const TensorId id : learnt_of(model)) {
    const GraphTensor& tensor = at(model.graph.tensors, id);
    const WeightPlace place = place_of(naming, tensor.name);
    const auto [found, is_new] = places.emplace(place.name, tensors.size());
    if (is_new)
      tensors.push_back({.name = place.name,
                         .shape = shape_of_theirs(tensor.type.shape, place),
                         .layout = place.layout});
    PublishedTensor& theirs = tensors[found->second];
    POET_CHECK(static_cast<std::int64_t>(theirs.parts.size()) == place.part);
    theirs.parts.push_back(id);
  }
  return tensors;
}

}  // namespace poet
