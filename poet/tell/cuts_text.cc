#include "poet/tell/cuts_text.h"

#include <fmt/format.h>

#include "poet/graph/operator_table.h"
#include "poet/report/figure_text.h"
#include "poet/tell/text_table.h"

namespace poet {
namespace {

// "fc1.weight, dimension 1 (and 3 more)"
std::string dimension_text(const CutDimensions& cut) {
  const std::string first = fmt::format("{}, dimension {}", cut.largest, cut.dimension);
  return cut.tensors == 1 ? first
                          : fmt::format("{} (and {} more)", first, count_figure(cut.tensors - 1));
}

Description dimensions(const Cuts& cuts) {
  TextTable table{{{"dimension", Align::Left},
                   {"extent"},
                   {"block"},
                   {"because of", Align::Left},
                   {"which needed"}},
                  {}};
  JsonOut list = JsonOut::array();
  for (const CutDimensions& cut : cuts.dimensions) {
    table.rows.push_back({dimension_text(cut), count_figure(cut.extent), count_figure(cut.block),
                          cut.because_of, size_figure(cut.needed_bytes)});
    list.push_back({{"extent", cut.extent},
                    {"block", cut.block},
                    {"tensor_dimensions", cut.tensors},
                    {"largest_tensor", cut.largest},
                    {"dimension", cut.dimension},
                    {"because_of", cut.because_of},
                    {"needed_bytes", cut.needed_bytes}});
  }
  return {to_text(table), std::move(list), {}};
}

Description operations(const Cuts& cuts) {
  TextTable table{{{"operation in parts", Align::Left},
                   {"operator", Align::Left},
                   {"whole"},
                   {"apart"},
                   {"in each sum"}},
                  {}};
  JsonOut list = JsonOut::array();
  for (const CutOperation& cut : cuts.operations) {
    table.rows.push_back({cut.name, std::string(entry_of(cut.kind).name),
                          size_figure(cut.whole_bytes), count_figure(cut.apart),
                          count_figure(cut.in_sum)});
    list.push_back({{"name", cut.name},
                    {"operator", entry_of(cut.kind).name},
                    {"whole_bytes", cut.whole_bytes},
                    {"parts_apart", cut.apart},
                    {"parts_in_each_sum", cut.in_sum}});
  }
  return {to_text(table), std::move(list), {}};
}

}  // namespace

Description describe_cuts(const Cuts& cuts, std::int64_t part_bytes) {
  std::int64_t parts = 0;
  for (const CutOperation& cut : cuts.operations) parts += cut.apart * cut.in_sum;
  Description by_dimension = dimensions(cuts);
  Description by_operation = operations(cuts);
  Description out;
  out.json = {{"part_bytes", part_bytes},
              {"whole_operations", cuts.whole_operations},
              {"parts", parts},
              {"dimensions", std::move(by_dimension.json)},
              {"operations", std::move(by_operation.json)}};
  if (cuts.operations.empty()) {
    out.text =
        fmt::format("No operation needs more than {}: nothing is cut.\n", size_figure(part_bytes));
    return out;
  }
  out.text = fmt::format(
      "So that no part needs more than {}, {} operations come in {} parts, and {} are whole. These "
      "dimensions are cut, in all tensors that go along with each other:\n\n{}\n{}",
      size_figure(part_bytes), count_figure(std::ssize(cuts.operations)), count_figure(parts),
      count_figure(cuts.whole_operations), by_dimension.text, by_operation.text);
  return out;
}

}  // namespace poet
