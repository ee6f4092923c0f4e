#include "poet/autodiff/order_units.h"

#include <algorithm>
#include <set>

namespace poet {
namespace {

std::size_t place(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

MemoryUse use_of(const StepMemory& memory, const std::vector<std::int32_t>& members) {
  std::set<std::int32_t> reads;
  std::set<std::int32_t> makes;
  for (const std::int32_t v : members) {
    const MemoryUse& use = memory.operations[place(v)];
    for (const std::int32_t buffer : use.reads)
      if (makes.count(buffer) == 0) reads.insert(buffer);
    makes.insert(use.makes.begin(), use.makes.end());
  }
  return {.reads = {reads.begin(), reads.end()}, .makes = {makes.begin(), makes.end()}};
}

}  // namespace

OrderUnits order_units(const StepMemory& memory) {
  OrderUnits units;
  std::vector<std::int32_t> unit_of;  // of each operation
  for (std::size_t v = 0; v < memory.operations.size(); ++v) {
    if (units.members.empty() || !memory.operations[v].follows) units.members.emplace_back();
    units.members.back().push_back(static_cast<std::int32_t>(v));
    unit_of.push_back(static_cast<std::int32_t>(units.members.size() - 1));
  }
  units.memory.bytes = memory.bytes;
  units.memory.resident_bytes = memory.resident_bytes;
  for (const std::vector<std::int32_t>& members : units.members) {
    units.memory.operations.push_back(use_of(memory, members));
    std::set<std::int32_t> before;
    for (const std::int32_t v : members)
      for (const std::int32_t earlier : memory.before[place(v)])
        before.insert(unit_of[place(earlier)]);
    before.erase(unit_of[place(members.front())]);
    units.memory.before.emplace_back(before.begin(), before.end());
  }
  return units;
}

Order operations_of(const OrderUnits& units, const Order& order) {
  Order operations;
  for (const std::int32_t unit : order)
    operations.insert(operations.end(), units.members[place(unit)].begin(),
                      units.members[place(unit)].end());
  return operations;
}

std::vector<std::int64_t> bytes_in_use(const OrderUnits& units, const StepMemory& memory,
                                       const Order& order) {
  const std::vector<std::int64_t> by_operation = bytes_in_use(memory, operations_of(units, order));
  std::vector<std::int64_t> bytes;
  auto next = by_operation.begin();
  for (const std::int32_t unit : order) {
    const auto end = next + std::ssize(units.members[place(unit)]);
    bytes.push_back(*std::max_element(next, end));
    next = end;
  }
  return bytes;
}

}  // namespace poet
