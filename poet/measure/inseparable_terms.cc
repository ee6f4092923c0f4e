#include "poet/measure/inseparable_terms.h"

#include <map>
#include <numeric>
#include <optional>

namespace poet {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % kPrime);
}

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = product(result, base);
    base = product(base, base);
  }
  return result;
}

// Modulo the prime; without zeros.
using SparseRow = std::map<std::int32_t, std::uint64_t>;

// row -= factor * other
void subtract(const SparseRow& other, std::uint64_t factor, SparseRow& row) {
  for (const auto& [term, value] : other) {
    std::uint64_t& into = row[term];
    into = (into + kPrime - product(factor, value)) % kPrime;
    if (into == 0) row.erase(term);
  }
}

void scale_to_one(SparseRow& row) {
  const std::uint64_t inverse = power(row.begin()->second, kPrime - 2);
  for (auto& [term, value] : row) value = product(value, inverse);
}

// Each row by its first term, whose value is 1, and which is in no other one.
using ReducedRows = std::map<std::int32_t, SparseRow>;

void add_row(const RowUses& uses, ReducedRows& reduced) {
  SparseRow row;
  for (const TermUse& use : uses) {
    const auto count = static_cast<std::uint64_t>(use.count) % kPrime;
    if (count != 0) row[use.term] = count;
  }
  const SparseRow given = row;
  for (const auto& [term, value] : given) {
    const auto pivot = reduced.find(term);
    const auto now = row.find(term);
    if (pivot != reduced.end() && now != row.end()) {
      const std::uint64_t factor = now->second;
      subtract(pivot->second, factor, row);
    }
  }
  if (row.empty()) return;
  scale_to_one(row);
  const std::int32_t first = row.begin()->first;
  for (auto& [term, other] : reduced) {
    const auto value = other.find(first);
    if (value != other.end()) {
      const std::uint64_t factor = value->second;
      subtract(row, factor, other);
    }
  }
  reduced.emplace(first, std::move(row));
}

std::size_t root_of(std::vector<std::size_t>& parents, std::size_t term) {
  while (parents[term] != term) term = parents[term] = parents[parents[term]];
  return term;
}

}  // namespace

std::vector<std::int32_t> inseparable_terms(const std::vector<RowUses>& rows, std::size_t terms) {
  ReducedRows reduced;
  for (const RowUses& uses : rows) add_row(uses, reduced);
  // A term without a row of its own may be anything, and those beside it make up for it.
  std::vector<std::size_t> parents(terms);
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  std::vector<bool> is_free(terms, true);
  for (const auto& [first, row] : reduced) is_free[static_cast<std::size_t>(first)] = false;
  std::vector<bool> is_open = is_free;
  for (const auto& [first, row] : reduced) {
    for (const auto& [term, value] : row) {
      if (term == first) continue;
      const std::size_t a = root_of(parents, static_cast<std::size_t>(first));
      const std::size_t b = root_of(parents, static_cast<std::size_t>(term));
      parents[a] = b;
      is_open[static_cast<std::size_t>(first)] = true;
    }
  }
  std::vector<std::int32_t> sets(terms, 0);
  std::map<std::size_t, std::int32_t> numbers;
  for (std::size_t term = 0; term < terms; ++term) {
    if (!is_open[term]) continue;
    const auto next = static_cast<std::int32_t>(numbers.size()) + 1;
    sets[term] = numbers.emplace(root_of(parents, term), next).first->second;
  }
  return sets;
}

}  // namespace poet
