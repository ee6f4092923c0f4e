#include "poet/layout/pack.h"

#include <algorithm>
#include <numeric>

#include "poet/layout/first_fit.h"
#include "poet/layout/sections.h"

namespace poet {
namespace {

using Order = std::vector<std::int32_t>;

std::vector<Order> static_orders(const Sections& sections) {
  const auto sorted = [&](auto key) {
    Order order(sections.blocks.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return key(sections.blocks[static_cast<std::size_t>(a)]) >
             key(sections.blocks[static_cast<std::size_t>(b)]);
    });
    return order;
  };
  return {sorted([](const SectionBlock& b) { return b.last - b.first; }),
          sorted([](const SectionBlock& b) { return b.height; }),
          sorted([](const SectionBlock& b) { return b.height * (b.last - b.first); })};
}

}  // namespace

PackReport pack(const std::vector<PackBlock>& blocks, const PackOptions& options) {
  const Sections sections = cut_into_sections(blocks, options.alignment);
  UnitOffsets best(sections.blocks.size(), 0);
  std::int64_t best_height = sections.blocks.empty() ? 0 : -1;
  for (const Order& order : static_orders(sections)) {
    if (best_height == sections.lower_bound()) break;
    UnitOffsets offsets = first_fit(sections, order);
    const std::int64_t height = height_of(sections, offsets);
    if (best_height >= 0 && height >= best_height) continue;
    best_height = height;
    best = std::move(offsets);
  }
  PackReport report;
  report.packing.offsets.assign(blocks.size(), 0);
  for (std::size_t b = 0; b < best.size(); ++b)
    report.packing.offsets[static_cast<std::size_t>(sections.blocks[b].source)] =
        best[b] * sections.unit_bytes;
  report.packing.height = best_height * sections.unit_bytes;
  report.lower_bound = sections.lower_bound() * sections.unit_bytes;
  return report;
}

}  // namespace poet
