#include "poet/ask/option_table.h"

#include <algorithm>
#include <utility>

#include "poet/ask/option_rows.h"
#include "poet/base/names_in.h"
#include "poet/device/boards.h"
#include "poet/model/real_networks.h"
#include "poet/model/released_networks.h"

namespace poet {

const std::vector<QuestionOption>& question_options() {
  static const std::vector<QuestionOption> options = [] {
    std::vector<QuestionOption> all;
    for (auto* const part : {step_options, search_options})
      for (QuestionOption& option : part()) all.push_back(std::move(option));
    return all;
  }();
  return options;
}

std::vector<OptionRow> rows_for(QuestionAsker asker, PlanRequest& request) {
  std::vector<OptionRow> rows;
  for (const QuestionOption& option : question_options()) {
    if (std::find(option.askers.begin(), option.askers.end(), asker) == option.askers.end())
      continue;
    rows.push_back(option.row);
    rows.back().read = [&option, &request](const std::string& text) {
      return option.read(request, text);
    };
  }
  return rows;
}

std::vector<std::string> names_of(const OptionRow& row) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= row.names.size()) {
    const std::size_t end = std::min(row.names.find(',', begin), row.names.size());
    names.push_back(row.names.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

std::string json_name(const OptionRow& row) {
  std::string name = names_of(row).front().substr(2);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names = names_in(real_network_table());
  for (const std::string& name : names_in(released_network_table()))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

std::vector<std::string> platform_names() {
  return names_in(builtin_device_table());
}

}  // namespace poet
