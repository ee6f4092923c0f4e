// A certificate from its file, once more (docs/model/certificates.md §6.1).
#include "poet/exact/certificate.h"

namespace poet::exact {
namespace {

constexpr Named<RowKind> kRowKinds[] = {
    {"need", RowKind::Need},
    {"making", RowKind::Making},
    {"copy", RowKind::Copy},
    {"carry", RowKind::Carry},
    {"memory", RowKind::Memory},
    {"stays", RowKind::Stays},
    {"crowded", RowKind::Crowded},
    {"crowded-need", RowKind::CrowdedNeed},
    {"crowded-later", RowKind::CrowdedLater},
    {"crowded-reader", RowKind::CrowdedReader},
    {"deadline", RowKind::Deadline},
    {"storage", RowKind::Storage},
    {"writes", RowKind::Writes},
};
constexpr Named<ColumnKind> kColumnKinds[] = {
    {"present", ColumnKind::Present},   {"made", ColumnKind::Made},
    {"read", ColumnKind::Read},         {"stored", ColumnKind::Stored},
    {"resident", ColumnKind::Resident}, {"in-ram", ColumnKind::InRam},
};

std::size_t numbers_in(RowKind kind) {
  switch (kind) {
    case RowKind::Deadline:
    case RowKind::Storage:
    case RowKind::Writes:
      return 0;
    case RowKind::Memory:
      return 1;
    case RowKind::Making:
    case RowKind::CrowdedNeed:
    case RowKind::CrowdedLater:
      return 3;
    case RowKind::CrowdedReader:
      return 4;
    default:
      return 2;
  }
}
std::size_t numbers_in(ColumnKind kind) {
  if (kind == ColumnKind::Stored || kind == ColumnKind::Resident) return 1;
  return kind == ColumnKind::InRam ? 3 : 2;
}

enum class PartKind { Walk, Windows };
constexpr Named<PartKind> kPartKinds[] = {{"walk", PartKind::Walk}, {"windows", PartKind::Windows}};
constexpr Named<bool> kNeedKinds[] = {{"stored", true}, {"read", false}};

template <typename Name, typename Kind, std::size_t N>
std::string words_of(const Name& name, const Named<Kind> (&kinds)[N], std::size_t count) {
  std::string text = "[\"" + std::string(name_of(kinds, name.kind)) + "\"";
  for (std::size_t n = 0; n < count; ++n) text += ", " + std::to_string(name.ids[n]);
  return text + "]";
}

class Reading {
 public:
  explicit Reading(JsonReader& reader) : reader_(reader) {}

  Certificate certificate(const JsonValue& value) {
    JsonObject object(value, "the certificate", reader_);
    Certificate certificate;
    object.format("poet-certificate", 1);
    if (reader_.failure()) return certificate;
    instance(object.member("instance"), certificate);
    proof_mode(object, certificate);
    claim(object, certificate);
    certificate.claimed_by = object.text("claimed_by");
    if (object.has("problem"))
      certificate.problem = read_problem(object.member("problem"), reader_);
    for (const JsonValue& one : object.list("parts")) certificate.parts.push_back(part(one));
    object.finish();
    return certificate;
  }

 private:
  void instance(const JsonValue& value, Certificate& certificate) {
    JsonObject object(value, "'instance'", reader_);
    Problem& instance = certificate.instance;
    instance.name = object.text("name");
    certificate.operations = object.whole("operations", kIndexRange);
    certificate.tensors = object.whole("tensors", kIndexRange);
    instance.ram_budget_bytes = object.whole("ram_budget_bytes", kSizeRange);
    if (object.has("deadline_s"))
      instance.deadline_s = object.number("deadline_s", NumberRange::NotNegative);
    if (object.has("storage_capacity_bytes"))
      instance.storage_capacity_bytes = object.whole("storage_capacity_bytes", kSizeRange);
    if (object.has("write_budget_bytes"))
      instance.write_budget_bytes = object.whole("write_budget_bytes", kSizeRange);
    instance.idle_w = multiplier(object, "idle_w");
    instance.time_mode = object.choice("time_mode", kTimeModes);
    instance.objective = object.choice("objective", kObjectives);
    instance.paging_allowed = object.flag("paging_allowed");
    instance.rematerialisation_allowed = object.flag("rematerialisation_allowed");
    object.finish();
  }

  void proof_mode(JsonObject& object, Certificate& certificate) {
    const bool overlapped = certificate.instance.time_mode == TimeMode::Overlapped;
    const TimeMode right = overlapped ? TimeMode::Free : certificate.instance.time_mode;
    if (object.choice("proof_time_mode", kTimeModes) != right)
      reader_.refuse(object.member("proof_time_mode"), "'proof_time_mode' must be \"" +
                                                           std::string(name_of(kTimeModes, right)) +
                                                           "\" for this instance");
    if (!object.has("compute_share")) return;
    certificate.compute_share = object.number("compute_share", NumberRange::NotNegative);
    if (!overlapped || certificate.compute_share > 1)
      reader_.refuse(object.member("compute_share"),
                     "'compute_share' is at most 1, and of an overlapped instance");
  }

  void claim(JsonObject& object, Certificate& certificate) {
    if (object.has("claim")) certificate.claim = object.choice("claim", kClaims);
    if (certificate.claim == Claim::Bound)
      certificate.claimed_bound = object.number("claimed_bound", NumberRange::Any);
    if (certificate.claim == Claim::LeastRam)
      certificate.claimed_bytes = object.whole("claimed_bytes", kSizeRange);
  }

  static double multiplier(JsonObject& object, std::string_view key) {
    return object.has(key) ? object.number(key, NumberRange::NotNegative) : 0.0;
  }

  std::vector<Weight> weights(JsonObject& object, std::string_view key, NumberRange range) {
    std::vector<Weight> list;
    if (!object.has(key)) return list;
    for (const JsonValue& value : object.list(key)) {
      const JsonList& two = reader_.list(value, key);
      if (reader_.failure()) return list;
      if (two.size() != 2) {
        reader_.refuse(value, "an entry of '" + std::string(key) +
                                  "' must be a place and a number, as in [3, 0.5]");
        return list;
      }
      list.push_back(
          {id_of(reader_.whole(two[0], key, kIndexRange)), reader_.number(two[1], key, range)});
    }
    return list;
  }

  std::vector<std::int32_t> places(JsonObject& object, std::string_view key) {
    std::vector<std::int32_t> list;
    for (const std::int64_t place : object.wholes(key, kIndexRange)) list.push_back(id_of(place));
    return list;
  }

  std::variant<WalkPart, WindowPart> part(const JsonValue& value) {
    JsonObject object(value, "a part", reader_);
    std::variant<WalkPart, WindowPart> part;
    if (object.choice("kind", kPartKinds) == PartKind::Walk)
      part = walk(object);
    else
      part = windows(object);
    object.finish();
    return part;
  }

  WalkPart walk(JsonObject& object) {
    WalkPart walk;
    walk.deadline = multiplier(object, "deadline");
    walk.storage = multiplier(object, "storage");
    walk.writes = multiplier(object, "writes");
    for (const JsonValue& cut : object.list("cuts")) walk.cuts.push_back(need_cut(cut));
    for (const JsonValue& one : object.list("events")) walk.events.push_back(event(one));
    return walk;
  }

  NeedCut need_cut(const JsonValue& value) {
    JsonObject object(value, "a cut", reader_);
    NeedCut cut;
    cut.stored = object.choice("kind", kNeedKinds);
    cut.stage = id_of(object.whole("stage", kIndexRange));
    cut.absent = places(object, "absent");
    cut.divisor_bytes = object.whole("divisor_bytes", {1, kSizeRange.max});
    cut.multiplier = object.number("multiplier", NumberRange::NotNegative);
    object.finish();
    return cut;
  }

  EventMultipliers event(const JsonValue& value) {
    JsonObject object(value, "an event", reader_);
    EventMultipliers event;
    event.stage = id_of(object.whole("stage", kIndexRange));
    event.operation = id_of(object.whole("operation", kIndexRange));
    event.memory = multiplier(object, "memory");
    event.uses = weights(object, "uses", NumberRange::NotNegative);
    if (object.has("outputs")) event.outputs = weights(object, "outputs", NumberRange::Any);
    event.shared_runs = multiplier(object, "shared_runs");
    event.shared_dies = multiplier(object, "shared_dies");
    event.shared_moves = multiplier(object, "shared_moves");
    event.shared_takes = multiplier(object, "shared_takes");
    object.finish();
    return event;
  }

  template <typename Name, typename Kind, std::size_t N>
  Name name(const JsonValue& value, std::string_view what, const Named<Kind> (&kinds)[N]) {
    const JsonList& words = reader_.list(value, what);
    Name name;
    if (reader_.failure()) return name;
    if (words.empty()) {
      reader_.refuse(value, "an entry of '" + std::string(what) + "' must begin with its kind");
      return name;
    }
    name.kind = reader_.choice(words.front(), what, kinds);
    if (reader_.failure()) return name;
    const std::size_t count = numbers_in(name.kind);
    if (words.size() != count + 1)
      reader_.refuse(value, "'" + std::string(name_of(kinds, name.kind)) + "' takes " +
                                std::to_string(count) + " numbers, found " +
                                std::to_string(words.size() - 1));
    if (reader_.failure()) return name;
    for (std::size_t n = 0; n < count; ++n)
      name.ids[n] = id_of(reader_.whole(words[n + 1], what, kIndexRange));
    return name;
  }

  WindowPart windows(JsonObject& object) {
    WindowPart windows;
    windows.keys = places(object, "keys");
    for (const JsonValue& row : object.list("rows"))
      windows.rows.push_back(name<RowName>(row, "rows", kRowKinds));
    for (const JsonValue& column : object.list("columns"))
      windows.columns.push_back(name<ColumnName>(column, "columns", kColumnKinds));
    for (const JsonValue& cut : object.list("cuts")) windows.cuts.push_back(rounding_cut(cut));
    for (const JsonValue& one : object.list("nodes")) windows.nodes.push_back(node(one));
    return windows;
  }

  RoundingCut rounding_cut(const JsonValue& value) {
    JsonObject object(value, "a cut", reader_);
    RoundingCut cut;
    cut.rows = weights(object, "rows", NumberRange::NotNegative);
    cut.cuts = weights(object, "cuts", NumberRange::NotNegative);
    if (object.has("complemented")) cut.complemented = places(object, "complemented");
    cut.divisor = object.number("divisor", NumberRange::NotNegative);
    object.finish();
    return cut;
  }

  std::variant<Leaf, Branch> node(const JsonValue& value) {
    JsonObject object(value, "a node", reader_);
    std::variant<Leaf, Branch> node;
    if (object.has("column")) {
      node =
          Branch{id_of(object.whole("column", kIndexRange)),
                 id_of(object.whole("zero", kIndexRange)), id_of(object.whole("one", kIndexRange))};
    } else {
      Leaf leaf;
      leaf.rows = weights(object, "rows", NumberRange::NotNegative);
      leaf.cuts = weights(object, "cuts", NumberRange::NotNegative);
      node = std::move(leaf);
    }
    object.finish();
    return node;
  }

  JsonReader& reader_;
};

}  // namespace

std::string text_of(const RowName& name) {
  return words_of(name, kRowKinds, numbers_in(name.kind));
}
std::string text_of(const ColumnName& name) {
  return words_of(name, kColumnKinds, numbers_in(name.kind));
}

Certificate read_certificate(const JsonValue& value, JsonReader& reader) {
  return Reading(reader).certificate(value);
}

}  // namespace poet::exact
