#include "poet/problem/certificate_json.h"

#include <algorithm>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/base/text_file.h"
#include "poet/problem/problem_json.h"

namespace poet {
namespace {

std::int32_t narrow(std::int64_t index) {
  return static_cast<std::int32_t>(index);
}

void write_number(JsonOut& out, const char* key, double number) {
  if (number != 0) out[key] = number;
}

// --- writing -------------------------------------------------------------------------------------

JsonOut instance_to_json(const CertifiedInstance& instance) {
  JsonOut out = {{"name", instance.name},
                 {"operations", instance.operations},
                 {"tensors", instance.tensors},
                 {"ram_budget_bytes", instance.ram_budget_bytes}};
  if (instance.deadline_s) out["deadline_s"] = *instance.deadline_s;
  if (instance.storage_capacity_bytes)
    out["storage_capacity_bytes"] = *instance.storage_capacity_bytes;
  if (instance.write_budget_bytes) out["write_budget_bytes"] = *instance.write_budget_bytes;
  write_number(out, "idle_w", instance.idle_w);
  out["time_mode"] = name_of(kTimeModes, instance.time_mode);
  out["objective"] = name_of(kObjectives, instance.objective);
  out["paging_allowed"] = instance.paging_allowed;
  out["rematerialisation_allowed"] = instance.rematerialisation_allowed;
  return out;
}

JsonOut pairs_to_json(const std::vector<TensorMultiplier>& multipliers) {
  JsonOut list = JsonOut::array();
  for (const TensorMultiplier& one : multipliers)
    list.push_back(JsonOut::array({index_of(one.tensor), one.value}));
  return list;
}

JsonOut pairs_to_json(const std::vector<Weight>& weights) {
  JsonOut list = JsonOut::array();
  for (const Weight& one : weights) list.push_back(JsonOut::array({one.place, one.value}));
  return list;
}

template <typename List>
void write_list(JsonOut& out, const char* key, const List& list) {
  if (!list.empty()) out[key] = pairs_to_json(list);
}

JsonOut event_to_json(const EventMultipliers& event) {
  JsonOut out = {{"stage", event.stage}, {"operation", event.operation}};
  write_number(out, "memory", event.memory);
  write_list(out, "uses", event.uses);
  if (event.outputs) out["outputs"] = pairs_to_json(*event.outputs);
  write_number(out, "shared_runs", event.shared_runs);
  write_number(out, "shared_dies", event.shared_dies);
  write_number(out, "shared_moves", event.shared_moves);
  write_number(out, "shared_takes", event.shared_takes);
  return out;
}

JsonOut cut_to_json(const NeedCut& cut) {
  JsonOut absent = JsonOut::array();
  for (const TensorId tensor : cut.absent) absent.push_back(index_of(tensor));
  return {{"kind", name_of(kNeedKinds, cut.kind)},
          {"stage", cut.stage},
          {"absent", std::move(absent)},
          {"divisor_bytes", cut.divisor_bytes},
          {"multiplier", cut.multiplier}};
}

JsonOut part_to_json(const WalkProof& walk) {
  JsonOut out = {{"kind", "walk"}};
  write_number(out, "deadline", walk.deadline);
  write_number(out, "storage", walk.storage);
  write_number(out, "writes", walk.writes);
  JsonOut& cuts = out["cuts"] = JsonOut::array();
  for (const NeedCut& cut : walk.cuts) cuts.push_back(cut_to_json(cut));
  JsonOut& events = out["events"] = JsonOut::array();
  for (const EventMultipliers& event : walk.events) events.push_back(event_to_json(event));
  return out;
}

template <typename Name>
JsonOut words_to_json(std::string_view kind, const Name& name) {
  JsonOut out = JsonOut::array({kind});
  for (std::size_t n = 0; n < arity_of(name.kind); ++n) out.push_back(name.ids[n]);
  return out;
}

JsonOut cut_to_json(const RoundingCut& cut) {
  JsonOut out = JsonOut::object();
  write_list(out, "rows", cut.rows);
  write_list(out, "cuts", cut.cuts);
  if (!cut.complemented.empty()) out["complemented"] = cut.complemented;
  out["divisor"] = cut.divisor;
  return out;
}

JsonOut node_to_json(const ProofNode& node) {
  if (const auto* const branch = std::get_if<ProofBranch>(&node))
    return {{"column", branch->column}, {"zero", branch->zero}, {"one", branch->one}};
  JsonOut out = JsonOut::object();
  write_list(out, "rows", std::get<ProofLeaf>(node).rows);
  write_list(out, "cuts", std::get<ProofLeaf>(node).cuts);
  return out;
}

JsonOut part_to_json(const WindowProof& windows) {
  JsonOut out = {{"kind", "windows"}, {"keys", windows.keys}};
  JsonOut& rows = out["rows"] = JsonOut::array();
  for (const WindowRowName& name : windows.rows) rows.push_back(name_to_json(name));
  JsonOut& columns = out["columns"] = JsonOut::array();
  for (const WindowColumnName& name : windows.columns) columns.push_back(name_to_json(name));
  JsonOut& cuts = out["cuts"] = JsonOut::array();
  for (const RoundingCut& cut : windows.cuts) cuts.push_back(cut_to_json(cut));
  JsonOut& nodes = out["nodes"] = JsonOut::array();
  for (const ProofNode& node : windows.nodes) nodes.push_back(node_to_json(node));
  return out;
}

// --- reading -------------------------------------------------------------------------------------

CertifiedInstance read_instance(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "'instance'", reader);
  CertifiedInstance instance;
  instance.name = object.text("name");
  instance.operations = object.whole("operations", kIndexRange);
  instance.tensors = object.whole("tensors", kIndexRange);
  instance.ram_budget_bytes = object.whole("ram_budget_bytes", kSizeRange);
  if (object.has("deadline_s"))
    instance.deadline_s = object.number("deadline_s", NumberRange::NotNegative);
  if (object.has("storage_capacity_bytes"))
    instance.storage_capacity_bytes = object.whole("storage_capacity_bytes", kSizeRange);
  if (object.has("write_budget_bytes"))
    instance.write_budget_bytes = object.whole("write_budget_bytes", kSizeRange);
  if (object.has("idle_w")) instance.idle_w = object.number("idle_w", NumberRange::NotNegative);
  instance.time_mode = object.choice("time_mode", kTimeModes);
  instance.objective = object.choice("objective", kObjectives);
  instance.paging_allowed = object.flag("paging_allowed");
  instance.rematerialisation_allowed = object.flag("rematerialisation_allowed");
  object.finish();
  return instance;
}

double multiplier(JsonObject& object, std::string_view key) {
  return object.has(key) ? object.number(key, NumberRange::NotNegative) : 0.0;
}

std::int32_t position(JsonObject& object, std::string_view key) {
  return narrow(object.whole(key, kIndexRange));
}

struct Pair {
  std::int32_t place = 0;
  double value = 0;
};

Pair read_pair(const JsonValue& value, std::string_view what, NumberRange range,
               JsonReader& reader) {
  const JsonList& two = reader.list(value, what);
  if (reader.failure()) return {};
  if (two.size() != 2) {
    reader.refuse(value, "an entry of '" + std::string(what) +
                             "' must be a place and a number, as in [3, 0.5]");
    return {};
  }
  return {narrow(reader.whole(two[0], what, kIndexRange)), reader.number(two[1], what, range)};
}

std::vector<TensorMultiplier> read_tensors(JsonObject& object, std::string_view key,
                                           NumberRange range, JsonReader& reader) {
  std::vector<TensorMultiplier> list;
  for (const JsonValue& value : object.list(key)) {
    const Pair pair = read_pair(value, key, range, reader);
    list.push_back({TensorId{pair.place}, pair.value});
  }
  return list;
}

std::vector<Weight> read_weights(JsonObject& object, std::string_view key, JsonReader& reader) {
  std::vector<Weight> list;
  if (!object.has(key)) return list;
  for (const JsonValue& value : object.list(key)) {
    const Pair pair = read_pair(value, key, NumberRange::NotNegative, reader);
    list.push_back({pair.place, pair.value});
  }
  return list;
}

EventMultipliers read_event(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "an event", reader);
  EventMultipliers event;
  event.stage = position(object, "stage");
  event.operation = position(object, "operation");
  event.memory = multiplier(object, "memory");
  if (object.has("uses"))
    event.uses = read_tensors(object, "uses", NumberRange::NotNegative, reader);
  if (object.has("outputs"))
    event.outputs = read_tensors(object, "outputs", NumberRange::Any, reader);
  event.shared_runs = multiplier(object, "shared_runs");
  event.shared_dies = multiplier(object, "shared_dies");
  event.shared_moves = multiplier(object, "shared_moves");
  event.shared_takes = multiplier(object, "shared_takes");
  object.finish();
  return event;
}

NeedCut read_need_cut(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "a cut", reader);
  NeedCut cut;
  cut.kind = object.choice("kind", kNeedKinds);
  cut.stage = position(object, "stage");
  for (const std::int64_t id : object.wholes("absent", kIndexRange))
    cut.absent.push_back(TensorId{narrow(id)});
  cut.divisor_bytes = object.whole("divisor_bytes", {1, kSizeRange.max});
  cut.multiplier = object.number("multiplier", NumberRange::NotNegative);
  object.finish();
  return cut;
}

WalkProof read_walk(JsonObject& object, JsonReader& reader) {
  WalkProof walk;
  walk.deadline = multiplier(object, "deadline");
  walk.storage = multiplier(object, "storage");
  walk.writes = multiplier(object, "writes");
  for (const JsonValue& cut : object.list("cuts")) walk.cuts.push_back(read_need_cut(cut, reader));
  for (const JsonValue& event : object.list("events"))
    walk.events.push_back(read_event(event, reader));
  return walk;
}

template <typename Name, typename Kind, std::size_t N>
Name read_name(const JsonValue& value, std::string_view what, const Named<Kind> (&kinds)[N],
               JsonReader& reader) {
  const JsonList& words = reader.list(value, what);
  Name name;
  if (reader.failure()) return name;
  if (words.empty()) {
    reader.refuse(value, "an entry of '" + std::string(what) + "' must begin with its kind");
    return name;
  }
  name.kind = reader.choice(words.front(), what, kinds);
  const std::size_t count = arity_of(name.kind);
  if (!reader.failure() && words.size() != count + 1)
    reader.refuse(value, "'" + std::string(name_of(kinds, name.kind)) + "' takes " +
                             std::to_string(count) + (count == 1 ? " number" : " numbers") +
                             ", found " + std::to_string(words.size() - 1));
  if (reader.failure()) return name;
  for (std::size_t n = 0; n < count; ++n)
    name.ids[n] = narrow(reader.whole(words[n + 1], what, kIndexRange));
  return name;
}

RoundingCut read_rounding_cut(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "a cut", reader);
  RoundingCut cut;
  cut.rows = read_weights(object, "rows", reader);
  cut.cuts = read_weights(object, "cuts", reader);
  if (object.has("complemented"))
    for (const std::int64_t place : object.wholes("complemented", kIndexRange))
      cut.complemented.push_back(narrow(place));
  cut.divisor = object.number("divisor", NumberRange::NotNegative);
  object.finish();
  return cut;
}

ProofNode read_node(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "a node", reader);
  ProofNode node;
  if (object.has("column")) {
    ProofBranch branch;
    branch.column = position(object, "column");
    branch.zero = position(object, "zero");
    branch.one = position(object, "one");
    node = branch;
  } else {
    ProofLeaf leaf;
    leaf.rows = read_weights(object, "rows", reader);
    leaf.cuts = read_weights(object, "cuts", reader);
    node = leaf;
  }
  object.finish();
  return node;
}

WindowProof read_windows(JsonObject& object, JsonReader& reader) {
  WindowProof windows;
  for (const std::int64_t key : object.wholes("keys", kIndexRange))
    windows.keys.push_back(narrow(key));
  for (const JsonValue& row : object.list("rows"))
    windows.rows.push_back(read_name<WindowRowName>(row, "rows", kWindowRowKinds, reader));
  for (const JsonValue& column : object.list("columns"))
    windows.columns.push_back(
        read_name<WindowColumnName>(column, "columns", kWindowColumnKinds, reader));
  for (const JsonValue& cut : object.list("cuts"))
    windows.cuts.push_back(read_rounding_cut(cut, reader));
  for (const JsonValue& node : object.list("nodes"))
    windows.nodes.push_back(read_node(node, reader));
  return windows;
}

enum class PartKind { Walk, Windows };
constexpr Named<PartKind> kPartKinds[] = {{"walk", PartKind::Walk}, {"windows", PartKind::Windows}};

ProofPart read_part(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "a part", reader);
  ProofPart part;
  if (object.choice("kind", kPartKinds) == PartKind::Walk)
    part = read_walk(object, reader);
  else
    part = read_windows(object, reader);
  object.finish();
  return part;
}

// In words, so that a reader of the file need not know the rule.
void check_proof_mode(JsonObject& object, const CertifiedInstance& instance, JsonReader& reader) {
  const TimeMode stated = object.choice("proof_time_mode", kTimeModes);
  const TimeMode right = proof_time_mode(instance.time_mode);
  if (stated != right)
    reader.refuse(object.member("proof_time_mode"),
                  "'proof_time_mode' must be \"" + std::string(name_of(kTimeModes, right)) +
                      "\" for an instance whose time mode is '" +
                      std::string(name_of(kTimeModes, instance.time_mode)) + "'");
}

Certificate read_certificate(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "the certificate", reader);
  Certificate certificate;
  object.format("poet-certificate", 1);
  if (reader.failure()) return certificate;
  certificate.instance = read_instance(object.member("instance"), reader);
  check_proof_mode(object, certificate.instance, reader);
  if (object.has("compute_share")) {
    certificate.compute_share = object.number("compute_share", NumberRange::NotNegative);
    if (certificate.instance.time_mode != TimeMode::Overlapped || certificate.compute_share > 1)
      reader.refuse(object.member("compute_share"),
                    "'compute_share' is at most 1, and of an instance whose time mode is "
                    "'overlapped'");
  }
  if (object.has("claim")) certificate.claim = object.choice("claim", kClaims);
  if (certificate.claim == Claim::Bound)
    certificate.claimed_bound = object.number("claimed_bound", NumberRange::Any);
  if (certificate.claim == Claim::LeastRam)
    certificate.claimed_bytes = object.whole("claimed_bytes", kSizeRange);
  certificate.claimed_by = object.text("claimed_by");
  if (object.has("problem")) certificate.problem = read_problem(object.member("problem"), reader);
  for (const JsonValue& part : object.list("parts"))
    certificate.parts.push_back(read_part(part, reader));
  object.finish();
  return certificate;
}

}  // namespace

CertifiedInstance certified_instance(const Problem& problem) {
  return {.name = problem.name,
          .operations = static_cast<std::int64_t>(problem.operations.size()),
          .tensors = static_cast<std::int64_t>(problem.tensors.size()),
          .ram_budget_bytes = problem.ram_budget_bytes,
          .deadline_s = problem.deadline_s,
          .storage_capacity_bytes = problem.storage_capacity_bytes,
          .write_budget_bytes = problem.write_budget_bytes,
          .idle_w = problem.idle_w,
          .time_mode = problem.time_mode,
          .objective = problem.objective,
          .paging_allowed = problem.paging_allowed,
          .rematerialisation_allowed = problem.rematerialisation_allowed};
}

Problem claimed_instance(Problem problem, Claim claim, std::int64_t claimed_bytes) {
  problem.objective = Objective::Energy;
  problem.idle_w = 0;
  for (Tensor& tensor : problem.tensors) tensor.page_in_j = tensor.page_out_j = 0;
  for (Operation& operation : problem.operations) operation.compute_j = 0;
  if (claim == Claim::LeastRam) problem.ram_budget_bytes = claimed_bytes - 1;
  return problem;
}

JsonOut name_to_json(const WindowRowName& name) {
  return words_to_json(name_of(kWindowRowKinds, name.kind), name);
}
JsonOut name_to_json(const WindowColumnName& name) {
  return words_to_json(name_of(kWindowColumnKinds, name.kind), name);
}

std::string certificate_text(const Certificate& certificate) {
  JsonOut out = JsonOut::object();
  out["format"] = "poet-certificate";
  out["version"] = 1;
  out["instance"] = instance_to_json(certificate.instance);
  out["proof_time_mode"] = name_of(kTimeModes, proof_time_mode(certificate.instance.time_mode));
  if (certificate.compute_share != 1) out["compute_share"] = certificate.compute_share;
  if (certificate.claim != Claim::Bound) out["claim"] = name_of(kClaims, certificate.claim);
  if (certificate.claim == Claim::Bound) out["claimed_bound"] = certificate.claimed_bound;
  if (certificate.claim == Claim::LeastRam) out["claimed_bytes"] = certificate.claimed_bytes;
  out["claimed_by"] = certificate.claimed_by;
  if (certificate.problem) out["problem"] = problem_to_json(*certificate.problem);
  JsonOut& parts = out["parts"] = JsonOut::array();
  for (const ProofPart& part : certificate.parts)
    parts.push_back(std::visit([](const auto& proof) { return part_to_json(proof); }, part));
  return json_text(out);
}

Result<Certificate> parse_certificate(std::string_view text, const std::string& file) {
  const Result<JsonValue> json = parse_json(text, file);
  if (!json) return json.error();
  JsonReader reader(file);
  Certificate certificate = read_certificate(*json, reader);
  if (reader.failure()) return *reader.failure();
  return certificate;
}

Result<Certificate> load_certificate(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.error();
  return parse_certificate(*text, path);
}

}  // namespace poet
