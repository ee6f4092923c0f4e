#include "poet/model/onnx/node_order.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "poet/base/message_text.h"

namespace poet {
namespace {

// A place in the file's list of nodes; none for what is there from the beginning.
using Maker = std::optional<std::size_t>;

Result<std::map<std::string, Maker>> makers_of(const OnnxModel& file) {
  std::map<std::string, Maker> makers;
  for (const OnnxTensor& tensor : file.initializers)
    if (!makers.emplace(tensor.name, std::nullopt).second)
      return bad_input(fmt::format("two initializers are called {}", in_quotes(tensor.name)));
  std::set<std::string> inputs;
  for (const OnnxInput& input : file.inputs) {
    if (!inputs.insert(input.name).second)
      return bad_input(fmt::format("two inputs are called {}", in_quotes(input.name)));
    makers.emplace(input.name, std::nullopt);
  }
  for (std::size_t i = 0; i < file.nodes.size(); ++i)
    for (const std::string& output : file.nodes[i].outputs)
      if (!output.empty() && !makers.emplace(output, i).second)
        return bad_input(fmt::format("{}: its output {} is there already", title_of(file.nodes[i]),
                                     in_quotes(output)));
  return makers;
}

class Search {
 public:
  Search(const OnnxModel& file, const std::map<std::string, Maker>& makers)
      : file_(file), makers_(makers), needed_(file.nodes.size()) {}

  Failure mark() {
    for (const std::string& output : file_.outputs)
      if (!need(output))
        return bad_input(fmt::format("no node makes the output {}", in_quotes(output)));
    while (!waiting_.empty()) {
      const OnnxNode& node = file_.nodes[waiting_.back()];
      waiting_.pop_back();
      for (const std::string& input : node.inputs)
        if (!input.empty() && !need(input))
          return bad_input(
              fmt::format("{}: no node makes its input {}", title_of(node), in_quotes(input)));
    }
    return std::nullopt;
  }

  // Takes the first node of the file that reads only what is there, again and again.
  Result<NeededPart> ordered() {
    std::map<std::size_t, std::size_t> missing;
    std::map<std::size_t, std::vector<std::size_t>> readers;
    std::set<std::size_t> ready;
    for (std::size_t i = 0; i < file_.nodes.size(); ++i) {
      if (!needed_[i]) continue;
      for (const std::size_t maker : makers_for(file_.nodes[i])) {
        ++missing[i];
        readers[maker].push_back(i);
      }
      if (missing[i] == 0) ready.insert(i);
    }
    NeededPart part{.values = values_};
    while (!ready.empty()) {
      const std::size_t next = *ready.begin();
      ready.erase(ready.begin());
      missing.erase(next);
      part.nodes.push_back(&file_.nodes[next]);
      for (const std::size_t reader : readers[next])
        if (--missing[reader] == 0) ready.insert(reader);
    }
    if (missing.empty()) return part;
    return bad_input(fmt::format("{}: what it reads needs its own output, directly or not",
                                 title_of(file_.nodes[missing.begin()->first])));
  }

 private:
  bool need(const std::string& value) {
    const auto maker = makers_.find(value);
    if (maker == makers_.end()) return false;
    values_.insert(value);
    if (maker->second && !needed_[*maker->second]) {
      needed_[*maker->second] = true;
      waiting_.push_back(*maker->second);
    }
    return true;
  }

  std::set<std::size_t> makers_for(const OnnxNode& node) const {
    std::set<std::size_t> nodes;
    for (const std::string& input : node.inputs) {
      if (input.empty()) continue;
      const Maker& maker = makers_.at(input);
      if (maker) nodes.insert(*maker);
    }
    return nodes;
  }

  const OnnxModel& file_;
  const std::map<std::string, Maker>& makers_;
  std::vector<bool> needed_;
  std::vector<std::size_t> waiting_ = {};
  std::set<std::string> values_ = {};
};

}  // namespace

Result<NeededPart> needed_part(const OnnxModel& file) {
  if (file.outputs.empty()) return bad_input("the graph has no output");
  const Result<std::map<std::string, Maker>> makers = makers_of(file);
  if (!makers.ok()) return makers.error();
  Search search(file, *makers);
  if (Failure failure = search.mark()) return *failure;
  return search.ordered();
}

}  // namespace poet
