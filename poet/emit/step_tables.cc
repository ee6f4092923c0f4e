#include "poet/emit/step_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "poet/base/check.h"
#include "poet/emit/c_text.h"

namespace poet {

void StepCodes::add_number(std::int64_t number) {
  POET_CHECK(number >= 0 && number <= std::numeric_limits<std::uint32_t>::max());
  for (; number >= 0x80; number >>= 7)
    bytes_.push_back(static_cast<unsigned char>(0x80 | (number & 0x7F)));
  bytes_.push_back(static_cast<unsigned char>(number));
}

void StepCodes::add_transfer(std::int64_t block, std::int64_t blocks) {
  const std::int64_t ahead = block - block_;
  add_number(ahead >= 0 ? 2 * ahead : -2 * ahead - 1);
  block_ = block + blocks;
}

void StepCodes::add_place(std::int64_t place) {
  if (place < 0xE000) {
    bytes_.push_back(static_cast<unsigned char>(place >> 8));
    bytes_.push_back(static_cast<unsigned char>(place & 0xFF));
    return;
  }
  bytes_.push_back(static_cast<unsigned char>(0xE0 | (place & 0x1F)));
  add_number(place >> 5);
}

namespace {

bool is_transfer(const StepWorkKind& work) {
  return work.kind == POET_WORK_READ || work.kind == POET_WORK_WRITE;
}

std::string_view kind_text(std::uint16_t kind) {
  switch (kind) {
    case POET_WORK_READ:
      return "POET_WORK_READ";
    case POET_WORK_WRITE:
      return "POET_WORK_WRITE";
    case POET_WORK_STEP:
      return "POET_WORK_STEP";
    case POET_WORK_WAIT:
      return "POET_WORK_WAIT";
    default:
      return "POET_WORK_CALL";
  }
}

std::string works_text(const std::vector<StepWorkKind>& works) {
  std::string text = "\nstatic const poet_step_work works[] = {\n";
  for (const StepWorkKind& work : works)
    text +=
        fmt::format("    {{{}, {}u, {}, {}}},\n", work.shape.empty() ? "NULL" : "&" + work.shape,
                    work.call, kind_text(static_cast<std::uint16_t>(work.kind)), work.places);
  return text + "};\n";
}

// Constants of flash are only read, as everything that a call takes as const is.
std::string constants_text(const std::vector<std::string>& constants) {
  std::string text = "\nvoid* const poet_constants[] = {";
  for (const std::string& name : constants) text += fmt::format("\n    (void*){},", name);
  return text + (constants.empty() ? "NULL};\n" : "\n};\n");
}

std::int64_t places_of(const CodedArena& arena) {
  return (arena.size_bytes + POET_PLACE_BYTES - 1) / POET_PLACE_BYTES;
}

}  // namespace

std::int64_t StepTables::place_of(MemoryId memory, std::int64_t offset_bytes) const {
  POET_CHECK(offset_bytes % POET_PLACE_BYTES == 0);
  std::int64_t place = offset_bytes / POET_PLACE_BYTES;
  for (std::size_t m = 0; m < static_cast<std::size_t>(memory); ++m) place += places_of(arenas_[m]);
  return place;
}

std::int64_t StepTables::arena_places() const {
  std::int64_t places = 0;
  for (const CodedArena& arena : arenas_) places += places_of(arena);
  return places;
}

std::int64_t StepTables::call_of(const std::string& statement) {
  const auto [place, is_new] =
      call_numbers_.emplace(statement, static_cast<std::int64_t>(statements_.size()));
  if (is_new) statements_.push_back(statement);
  return place->second;
}

void StepTables::begin_form(const std::string& name) {
  forms_.push_back({.name = name, .actions = {}});
}

void StepTables::add(StepAction action) {
  POET_CHECK(static_cast<std::int64_t>(action.places.size()) == action.work.places);
  forms_.back().actions.push_back(std::move(action));
}

std::vector<StepWorkKind> StepTables::works() const {
  std::map<StepWorkKind, std::int64_t> uses;
  for (const Form& form : forms_)
    for (const StepAction& action : form.actions) ++uses[action.work];
  std::vector<StepWorkKind> works;
  for (const auto& [work, count] : uses) works.push_back(work);
  std::stable_sort(
      works.begin(), works.end(),
      [&uses](const StepWorkKind& a, const StepWorkKind& b) { return uses.at(a) > uses.at(b); });
  return works;
}

// Done when they come, or only issued.
constexpr std::string_view kMove =
    "  if (work->kind == POET_WORK_READ)\n"
    "    return poet_storage_read(run->storage, action->offset, at[0], work->call);\n"
    "  if (work->kind == POET_WORK_WRITE)\n"
    "    return poet_storage_write(run->storage, action->offset, at[0], work->call);\n";
constexpr std::string_view kIssue =
    "  if (work->kind == POET_WORK_READ || work->kind == POET_WORK_WRITE) {\n"
    "    const poet_transfer transfer = {at[0], action->offset, work->call,\n"
    "                                    work->kind == POET_WORK_WRITE};\n"
    "    return poet_transfers_issue(run->transfers, &transfer);\n"
    "  }\n"
    "  if (work->kind == POET_WORK_WAIT) return poet_transfers_wait(run->transfers, work->call);\n";

// A switch, and no pointers to functions: the compiler sees each call, and so does who adds up its
// stack.
std::string StepTables::perform_text() const {
  std::string text =
      "\nstatic poet_status perform(poet_run* run, const poet_step_action* action) {\n"
      "  const poet_step_work* const work = action->work;\n"
      "  const void* const shape = work->shape;\n"
      "  void* const* const at = action->at;\n";
  text += overlapped_ ? kIssue : kMove;
  text += "  switch (work->call) {\n";
  for (std::size_t call = 0; call < statements_.size(); ++call)
    text += fmt::format("    case {}u:\n      {}\n{}", call, statements_[call],
                        statements_[call].starts_with("return ") ? "" : "      break;\n");
  return text + "    default:\n      break;\n  }\n  return POET_OK;\n}\n";
}

// A step that paused goes on where it did, and does not ask there again.
constexpr std::string_view kGoOn =
    "  const unsigned char* const paused = run->codes;\n"
    "  if (paused != NULL) {\n"
    "    reader.codes = paused;\n"
    "    reader.block = run->block;\n"
    "    run->codes = NULL;\n"
    "  }\n";
constexpr std::string_view kBefore = "    const poet_step_reader before = reader;\n";
constexpr std::string_view kAsk =
    "      if (before.codes != paused && poet_calls_hook(run->action) != 0 && run->may_pause) {\n"
    "        run->codes = before.codes;\n"
    "        run->block = before.block;\n"
    "        return POET_PAUSED;\n"
    "      }\n";

constexpr std::string_view kLook = "      poet_transfers_look(run->transfers);\n";
constexpr std::string_view kPerform = "    TRY(perform(run, &action));\n";
// What is under way must not go on in memory that others have then.
constexpr std::string_view kPerformOrDrain =
    "    const poet_status status = perform(run, &action);\n"
    "    if (status != POET_OK) {\n"
    "      poet_transfers_drain(run->transfers);\n"
    "      return status;\n"
    "    }\n";

// A memory of which the plan uses nothing has no array.
std::string StepTables::plan_text() const {
  std::string arenas;
  std::int64_t count = 0;
  for (const CodedArena& arena : arenas_) {
    if (places_of(arena) == 0) continue;
    arenas += fmt::format("    {{{}.bytes, {}u}},\n", arena.symbol, places_of(arena));
    ++count;
  }
  return fmt::format(
      "\nstatic const poet_step_arena arenas[] = {{\n{}}};\n"
      "\nconst poet_step_plan poet_steps = {{works, arenas, poet_constants, {}u, "
      "POET_STORAGE_BLOCK_BYTES}};\n",
      arenas, count);
}

std::string StepTables::walk_text(const std::vector<StepWorkKind>& works) const {
  const auto if_hook = [this](std::string_view text) {
    return calls_hook_ ? text : std::string_view();
  };
  std::int64_t most_places = 1;
  for (const StepWorkKind& work : works) most_places = std::max(most_places, work.places);
  return fmt::format(
      "\nstatic poet_status walk(poet_run* run, const unsigned char* codes, const unsigned char* "
      "end) {{\n"
      "  void* at[{0}];\n"
      "  poet_step_reader reader = {{&poet_steps, codes, 0u}};\n"
      "  poet_step_action action = {{NULL, 0u, at}};\n"
      "{1}"
      "  while (reader.codes != end) {{\n"
      "{2}"
      "    poet_step_next(&reader, &action);\n"
      "    if ({4}) {{\n"
      "{3}{6}"
      "      POET_ACTION(run->action);\n"
      "      ++run->action;\n"
      "    }}\n"
      "{5}"
      "  }}\n"
      "  POET_ACTION(POET_ACTIONS);\n"
      "  return POET_OK;\n"
      "}}\n",
      most_places, if_hook(kGoOn), if_hook(kBefore), if_hook(kAsk),
      overlapped_ ? "action.work->kind < POET_WORK_STEP" : "action.work->kind != POET_WORK_STEP",
      overlapped_ ? kPerformOrDrain : kPerform, overlapped_ ? kLook : std::string_view());
}

std::string StepTables::form_text(const Form& form, const Numbers& numbers,
                                  std::int64_t first_action) const {
  const std::int64_t constants_begin = arena_places();
  StepCodes codes;
  std::size_t written = 0;
  std::string text = fmt::format("\nstatic const unsigned char {}_codes[] = {{\n", form.name);
  for (const StepAction& action : form.actions) {
    codes.add_number(numbers.at(action.work));
    if (is_transfer(action.work))
      codes.add_transfer(action.block, (action.work.call + block_bytes_ - 1) / block_bytes_);
    for (const CodedPlace& place : action.places)
      codes.add_place(place.number + (place.is_constant ? constants_begin : 0));
    text += fmt::format("    /* {} */", c_comment(action.comment));
    for (; written < codes.bytes().size(); ++written)
      text += fmt::format(" {},", codes.bytes()[written]);
    text += "\n";
  }
  return text + fmt::format(
                    "}};\n\nstatic poet_status run_{0}(poet_run* run) {{\n"
                    "  {2}run->action = {1}u;\n"
                    "  return walk(run, {0}_codes, {0}_codes + sizeof {0}_codes);\n}}\n",
                    form.name, first_action, calls_hook_ ? "if (run->codes == NULL) " : "");
}

std::string StepTables::text(const std::vector<std::string>& constants) const {
  const std::vector<StepWorkKind> listed = works();
  Numbers numbers;
  for (const StepWorkKind& work : listed)
    numbers.emplace(work, static_cast<std::int64_t>(numbers.size()));
  std::string text = constants_text(constants) + works_text(listed) + perform_text();
  text += plan_text() + walk_text(listed);
  std::int64_t first_action = 0;
  for (const Form& form : forms_) {
    text += form_text(form, numbers, first_action);
    first_action +=
        std::count_if(form.actions.begin(), form.actions.end(),
                      [](const StepAction& action) { return action.work.kind < POET_WORK_STEP; });
  }
  return text;
}

}  // namespace poet
