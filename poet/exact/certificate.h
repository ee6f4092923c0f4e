#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "poet/base/json.h"
#include "poet/base/json_reader.h"
#include "poet/exact/problem.h"

namespace poet::exact {

// What a certificate says of its problem (docs/formats/certificate.md).
enum class Claim {
  Bound,       // no schedule has an objective below `claimed_bound`
  Infeasible,  // there is no schedule
  LeastRam,    // there is none in less than `claimed_bytes` of RAM
};
inline constexpr Named<Claim> kClaims[] = {
    {"bound", Claim::Bound}, {"infeasible", Claim::Infeasible}, {"least-ram", Claim::LeastRam}};

// A multiplier or weight of what stands at a place in a list, or of the tensor with that id.
struct Weight {
  std::int32_t place = 0;
  double value = 0;
};

// Of the rows of the event "operation `operation` runs in stage `stage`".
struct EventMultipliers {
  std::int32_t stage = 0;
  std::int32_t operation = 0;
  double memory = 0;
  std::vector<Weight> uses = {};
  std::optional<std::vector<Weight>> outputs = {};
  double shared_runs = 0;
  double shared_dies = 0;
  double shared_moves = 0;
  double shared_takes = 0;
};

struct NeedCut {
  bool stored = true;  // what counts as coming back: the copy, and otherwise the reads
  std::int32_t stage = 0;
  std::vector<std::int32_t> absent = {};
  std::int64_t divisor_bytes = 1;
  double multiplier = 0;
};

struct WalkPart {
  double deadline = 0;
  double storage = 0;
  double writes = 0;
  std::vector<NeedCut> cuts = {};
  std::vector<EventMultipliers> events = {};
};

// Rows and columns of window models by what they say; the numbers of a name are in the order of the
// file, those beyond it 0.
enum class RowKind {
  Need,
  Making,
  Copy,
  Carry,
  Memory,
  Stays,
  Crowded,
  CrowdedNeed,
  CrowdedLater,
  CrowdedReader,
  Deadline,
  Storage,
  Writes,
};
enum class ColumnKind { Present, Made, Read, Stored, Resident, InRam };

struct RowName {
  RowKind kind = RowKind::Deadline;
  std::array<std::int32_t, 4> ids = {};
  auto operator<=>(const RowName&) const = default;
};
struct ColumnName {
  ColumnKind kind = ColumnKind::Stored;
  std::array<std::int32_t, 4> ids = {};
  auto operator<=>(const ColumnName&) const = default;
};
std::string text_of(const RowName& name);
std::string text_of(const ColumnName& name);

struct RoundingCut {
  std::vector<Weight> rows = {};
  std::vector<Weight> cuts = {};
  std::vector<std::int32_t> complemented = {};
  double divisor = 1;
};

struct Branch {
  std::int32_t column = 0;
  std::int32_t zero = 0;
  std::int32_t one = 0;
};
struct Leaf {
  std::vector<Weight> rows = {};
  std::vector<Weight> cuts = {};
};

struct WindowPart {
  std::vector<std::int32_t> keys = {};
  std::vector<RowName> rows = {};
  std::vector<ColumnName> columns = {};
  std::vector<RoundingCut> cuts = {};
  std::vector<std::variant<Leaf, Branch>> nodes = {};
};

struct Certificate {
  // The fields of "instance", as a problem without its lists, and the lengths of these.
  Problem instance = {};
  std::int64_t operations = 0;
  std::int64_t tensors = 0;
  double compute_share = 1;
  Claim claim = Claim::Bound;
  double claimed_bound = 0;
  std::int64_t claimed_bytes = 0;
  std::string claimed_by = {};
  std::optional<Problem> problem = {};  // a certificate that stands for itself carries it
  std::vector<std::variant<WalkPart, WindowPart>> parts = {};
};

// Refuses, with its place, what is not of this form.
Certificate read_certificate(const JsonValue& value, JsonReader& reader);

}  // namespace poet::exact
