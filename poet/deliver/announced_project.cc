#include "poet/deliver/announced_project.h"

#include <fmt/core.h>

#include <filesystem>

#include "poet/base/json_reader.h"
#include "poet/base/text_file.h"
#include "poet/emit/project_json.h"

namespace poet {
namespace {

constexpr std::int64_t kMostActions = 1'000'000;
constexpr std::int64_t kProjectVersion = 2;

struct FormAction {
  std::string form = {};
  AnnouncedAction action = {};
};

// What else an action has is not looked at, and may be more in a later version.
FormAction read_announced_action(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "an action", reader);
  FormAction read{.form = object.text("form"),
                  .action = {.what = object.text("what"), .name = object.text("name")}};
  AnnouncedAction& action = read.action;
  if (object.has("bytes")) action.bytes = object.whole("bytes", kSizeRange);
  if (object.has("again")) action.again = object.flag("again");
  if (action.what != "compute") return read;
  if (!object.has("key")) {
    reader.refuse(value,
                  "the action has no 'key': the project was written before operations had one, "
                  "and is to be exported again");
    return read;
  }
  action.key = object.text("key");
  action.flop = object.whole("flop", kSizeRange);
  return read;
}

// The actions of a form, and its end.
void add_form(const std::vector<FormAction>& actions, const std::string& form,
              std::vector<AnnouncedAction>& step) {
  const std::size_t before = step.size();
  for (const FormAction& one : actions)
    if (one.form == form) step.push_back(one.action);
  if (step.size() > before) step.push_back({});
}

std::vector<AnnouncedAction> step_of(const std::vector<FormAction>& actions,
                                     std::int64_t micro_batches) {
  std::vector<AnnouncedAction> step;
  if (micro_batches == 1) {
    add_form(actions, "whole", step);
    return step;
  }
  add_form(actions, "first", step);
  for (std::int64_t k = 2; k < micro_batches; ++k) add_form(actions, "middle", step);
  add_form(actions, "last", step);
  return step;
}

}  // namespace

Result<AnnouncedProject> read_announced_project(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / kProjectFile).string();
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return text.error();
  const Result<JsonValue> json = parse_json(*text, path);
  if (!json.ok()) return json.error();
  JsonReader reader(path);
  JsonObject object(*json, "a project", reader);
  object.format(kProjectFormat, kProjectVersion);
  if (reader.failure()) return *reader.failure();
  AnnouncedProject project{.model = object.text("model"), .device = object.text("device")};
  if (object.has("transfers"))
    return bad_input(
        "the project's transfers go on beside its actions, so that no action's time is its own: "
        "export it with --io blocking",
        {path});
  const std::int64_t micro_batches = object.whole("micro_batches", {1, kMostActions});
  std::vector<FormAction> actions;
  for (const JsonValue& value : object.list("actions"))
    actions.push_back(read_announced_action(value, reader));
  if (reader.failure()) return *reader.failure();
  if (std::ssize(actions) > kMostActions / micro_batches)
    return bad_input(fmt::format("a step of more than {} actions is not measured", kMostActions),
                     {path});
  project.step = step_of(actions, micro_batches);
  if (project.step.empty()) return bad_input("the project has no action of a step", {path});
  return project;
}

}  // namespace poet
