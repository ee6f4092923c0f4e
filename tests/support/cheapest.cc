#include "cheapest.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "poet/base/check.h"

namespace poet::testing {
namespace {

using Mask = std::uint32_t;  // a set of movable tensors, or such a set for RAM and one for storage
                             // side by side

// A root tensor that is not always at hand: made, or at home in storage, and not resident.
struct Movable {
  TensorId id{};
  std::int64_t size_bytes = 0;
  bool at_home_in_storage = false;
  bool new_value = false;  // must be in storage at the end, in its old value's place
  bool read = false;       // by any operation; no point in transfers otherwise, but for a new value
  std::optional<std::size_t> replaced_by;  // the operation that updates it
};

// What it takes to execute an operation, in sets of movable tensors.
struct Execution {
  Mask inputs = 0;
  Mask outputs = 0;
  Mask in_place = 0;                // the input that may hand its buffer over
  std::int64_t in_place_bytes = 0;  // of the output that takes it
  bool repeatable = false;
  std::optional<std::size_t>
      last_stage;  // from the update of an input on, there is nothing left to read
};

// The problem once it is settled which tensors are resident.
struct Setting {
  const Problem& problem;
  std::vector<Movable> movables = {};
  std::vector<Execution> executions = {};
  std::int64_t resident_bytes = 0;
  std::int64_t home_bytes = 0;               // in storage
  std::vector<std::int64_t> set_bytes = {};  // of each set of movable tensors
  std::size_t states = 0;
  Mask wanted_in_storage = 0;  // at the end
};

// One way to reach a state. Of several ways, those are kept that nothing beats in all figures that
// matter.
struct Label {
  double objective = 0;
  double time_s = 0;
  // Where figures are uncertain and there is a deadline: what was paid for each cost by its figure;
  // operations first, then reads, then writes. Labels are copied more often than they pay.
  std::shared_ptr<const std::vector<double>> paid_s = {};
  std::size_t last_step = 0;  // in Search::steps; 0 is the beginning
};

struct Step {
  std::size_t before = 0;
  Action action;
};

struct Reached {
  Mask state = 0;  // RAM in the low bits, copies in storage above them
  Label label;
};

// A label in the list of its state.
struct Node {
  Label label;
  std::uint32_t next = 0;  // in Search::nodes; 0: it is the last
};

struct Search {
  const Setting& setting;
  bool remember = false;
  // Labels of all states lie side by side: there are many states, and few labels of each.
  std::vector<Node> nodes = {};
  std::vector<std::uint32_t> first = {};  // of each state, in nodes; 0: it has none
  std::vector<Mask> occupied = {};        // states that have any, each once
  std::vector<Reached> open = {};  // labels from which no transfer or drop has been tried yet
  std::vector<Step> steps = {};
};

TensorId root(const Problem& problem, TensorId tensor) {
  return at(problem.tensors, tensor).view_of.value_or(tensor);
}

bool chosen(const std::vector<TensorId>& resident, TensorId tensor) {
  return std::find(resident.begin(), resident.end(), tensor) != resident.end();
}

bool is_movable(const Problem& problem, const std::vector<TensorId>& resident, TensorId id) {
  const Tensor& tensor = at(problem.tensors, id);
  if (tensor.view_of || tensor.home == Home::Rom || tensor.home == Home::Resident) return false;
  return !chosen(resident, id) && !(tensor.updates && chosen(resident, *tensor.updates));
}

Mask mask_of(const Setting& setting, TensorId tensor) {
  const TensorId bytes = root(setting.problem, tensor);
  for (std::size_t i = 0; i < setting.movables.size(); ++i) {
    if (setting.movables[i].id == bytes) return Mask{1} << i;
  }
  return 0;
}

bool anybody_reads(const Problem& problem, TensorId tensor) {
  for (const Operation& operation : problem.operations) {
    for (const TensorId input : operation.inputs) {
      if (root(problem, input) == tensor) return true;
    }
  }
  return false;
}

// The operation whose execution makes the value of `tensor` a thing of the past.
std::optional<std::size_t> updater(const Problem& problem, TensorId tensor) {
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    for (const TensorId output : problem.operations[v].outputs) {
      if (at(problem.tensors, output).updates == tensor) return v;
    }
  }
  return std::nullopt;
}

void find_movables(Setting& setting, const std::vector<TensorId>& resident) {
  const Problem& problem = setting.problem;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const TensorId id{static_cast<std::int32_t>(i)};
    const Tensor& tensor = at(problem.tensors, id);
    if (tensor.view_of) continue;
    if (tensor.home == Home::Storage) setting.home_bytes += tensor.size_bytes;
    if (is_movable(problem, resident, id)) {
      setting.movables.push_back({.id = id,
                                  .size_bytes = tensor.size_bytes,
                                  .at_home_in_storage = tensor.home == Home::Storage,
                                  .new_value = tensor.updates.has_value(),
                                  .read = anybody_reads(problem, id),
                                  .replaced_by = updater(problem, id)});
    } else if (chosen(resident, id) || (tensor.home == Home::Resident && !tensor.updates)) {
      setting.resident_bytes += tensor.size_bytes;
    }
  }
}

Execution execution_of(const Setting& setting, const Operation& operation) {
  const Problem& problem = setting.problem;
  Execution execution;
  execution.repeatable = problem.rematerialisation_allowed && !operation.once && !operation.view;
  for (const TensorId input : operation.inputs) {
    execution.inputs |= mask_of(setting, input);
    const std::optional<std::size_t> last = updater(problem, root(problem, input));
    if (last) execution.last_stage = std::min(*last, execution.last_stage.value_or(*last));
  }
  if (operation.view) return execution;  // its output is its input's bytes
  for (const TensorId output : operation.outputs) execution.outputs |= mask_of(setting, output);
  if (!operation.in_place) return execution;
  const Mask output = mask_of(setting, operation.in_place->output);
  if (output != 0) {
    execution.in_place = mask_of(setting, operation.in_place->input);
    execution.in_place_bytes = at(problem.tensors, operation.in_place->output).size_bytes;
  }
  return execution;
}

// Those that may be written come first, so that the copies need as few bits as possible; returns
// how many they are.
std::size_t put_storables_first(Setting& setting) {
  const bool paging = setting.problem.paging_allowed;
  const auto storable = [&](const Movable& movable) {
    return movable.new_value || (paging && movable.read && !movable.at_home_in_storage);
  };
  const auto rest =
      std::stable_partition(setting.movables.begin(), setting.movables.end(), storable);
  return static_cast<std::size_t>(rest - setting.movables.begin());
}

Setting settle(const Problem& problem, const std::vector<TensorId>& resident) {
  Setting setting{.problem = problem};
  find_movables(setting, resident);
  const std::size_t storables = put_storables_first(setting);
  setting.states = std::size_t{1} << (setting.movables.size() + storables);
  POET_CHECK(setting.states <= std::size_t{1} << 22);
  for (const Operation& operation : problem.operations)
    setting.executions.push_back(execution_of(setting, operation));
  const Mask sets = Mask{1} << setting.movables.size();
  setting.set_bytes.assign(sets, 0);
  for (Mask set = 0; set < sets; ++set) {
    for (std::size_t i = 0; i < setting.movables.size(); ++i) {
      if ((set >> i & 1) != 0) setting.set_bytes[set] += setting.movables[i].size_bytes;
    }
  }
  for (std::size_t i = 0; i < setting.movables.size(); ++i) {
    if (setting.movables[i].new_value) setting.wanted_in_storage |= Mask{1} << i;
  }
  return setting;
}

Mask ram_of(const Setting& setting, Mask state) {
  return state & ((Mask{1} << setting.movables.size()) - 1);
}
Mask copies_of(const Setting& setting, Mask state) {
  return state >> setting.movables.size();
}

// --- labels
// ------------------------------------------------------------------------------------------------------

bool pays_no_more(const Label& a, const Label& b) {
  if (!a.paid_s) return true;
  for (std::size_t c = 0; c < a.paid_s->size(); ++c)
    if ((*a.paid_s)[c] > (*b.paid_s)[c]) return false;
  return true;
}

bool beats(const Setting& setting, const Label& a, const Label& b) {
  return a.objective <= b.objective && (!setting.problem.deadline_s || a.time_s <= b.time_s) &&
         pays_no_more(a, b);
}

// The longest delay when at most `most` of the costs from `first` on are above their figures: each
// set of them is tried.
double longest_delay_s(const std::vector<double>& paid_s, double ratio, std::size_t first,
                       std::int64_t most) {
  while (first < paid_s.size() && paid_s[first] == 0) ++first;
  if (first == paid_s.size() || most == 0) return 0;
  const double without_s = longest_delay_s(paid_s, ratio, first + 1, most);
  const double with_s = ratio * paid_s[first] + longest_delay_s(paid_s, ratio, first + 1, most - 1);
  return std::max(without_s, with_s);
}

bool worst_is_in_time(const Setting& setting, const Label& label) {
  const Uncertainty& uncertainty = *setting.problem.uncertainty;
  const std::int64_t most = uncertainty.deviations.value_or(std::ssize(*label.paid_s));
  const double delay_s = longest_delay_s(*label.paid_s, uncertainty.ratio, 0, most);
  return label.time_s + delay_s <= *uncertainty.deadline_s * (1 + 1e-9);
}

// The rule for time, written out: the library's own (deadline.h) would hide its errors.
bool in_time(const Setting& setting, const Label& label) {
  const std::optional<double>& deadline_s = setting.problem.deadline_s;
  if (deadline_s && setting.problem.uncertainty) return worst_is_in_time(setting, label);
  return !deadline_s || label.time_s <= *deadline_s * (1 + 1e-9);
}

// `cost`: its place in Label::paid_s.
Label charged(const Setting& setting, Label label, std::size_t cost, double energy_j,
              double time_s) {
  label.time_s += time_s;
  if (label.paid_s && time_s != 0) {
    std::vector<double> paid_s = *label.paid_s;
    paid_s[cost] += time_s;
    label.paid_s = std::make_shared<const std::vector<double>>(std::move(paid_s));
  }
  if (setting.problem.objective == Objective::Time) {
    label.objective += time_s;
  } else {
    label.objective += energy_j + setting.problem.idle_w * time_s;
  }
  return label;
}

std::size_t read_of(const Setting& setting, TensorId tensor) {
  return setting.problem.operations.size() + index_of(tensor);
}
std::size_t write_of(const Setting& setting, TensorId tensor) {
  return read_of(setting, tensor) + setting.problem.tensors.size();
}

Label beginning(const Setting& setting) {
  Label label;
  const Problem& problem = setting.problem;
  if (problem.uncertainty && problem.deadline_s)
    label.paid_s = std::make_shared<const std::vector<double>>(problem.operations.size() +
                                                               2 * problem.tensors.size());
  return label;
}

Label after(Search& search, Label label, Action action) {
  if (!search.remember) return label;
  search.steps.push_back({.before = label.last_step, .action = action});
  label.last_step = search.steps.size() - 1;
  return label;
}

// Whether a label as good is there already, or would be if this one were too late.
bool pointless(const Search& search, Mask state, const Label& label) {
  if (!in_time(search.setting, label)) return true;
  for (std::uint32_t n = search.first[state]; n != 0; n = search.nodes[n].next) {
    if (beats(search.setting, search.nodes[n].label, label)) return true;
  }
  return false;
}

// One that is not pointless, behind those of its state that it does not beat.
void add_new(Search& search, Mask state, const Label& label) {
  std::uint32_t* place = &search.first[state];
  if (*place == 0) search.occupied.push_back(state);
  while (*place != 0) {
    Node& other = search.nodes[*place];
    if (beats(search.setting, label, other.label))
      *place = other.next;
    else
      place = &other.next;
  }
  *place = static_cast<std::uint32_t>(search.nodes.size());
  search.nodes.push_back({.label = label});
  search.open.push_back({.state = state, .label = label});
}

void add(Search& search, Mask state, const Label& label) {
  if (!pointless(search, state, label)) add_new(search, state, label);
}

bool paid_the_same(const Label& a, const Label& b) {
  return a.paid_s == b.paid_s || (a.paid_s && b.paid_s && *a.paid_s == *b.paid_s);
}

bool still_stands(const Search& search, const Reached& reached) {
  for (std::uint32_t n = search.first[reached.state]; n != 0; n = search.nodes[n].next) {
    const Label& label = search.nodes[n].label;
    if (label.objective == reached.label.objective && label.time_s == reached.label.time_s &&
        paid_the_same(label, reached.label))
      return true;
  }
  return false;
}

void forget_all(Search& search) {
  for (const Mask state : search.occupied) search.first[state] = 0;
  search.occupied.clear();
  search.nodes.resize(1);
}

// --- what can be done between two executions
// ---------------------------------------------------------------------

void try_drop(Search& search, const Reached& from, std::size_t i) {
  const Mask in_ram = Mask{1} << i;
  if ((from.state & in_ram) == 0 || pointless(search, from.state & ~in_ram, from.label)) return;
  const TensorId id = search.setting.movables[i].id;
  add_new(search, from.state & ~in_ram, after(search, from.label, Drop{id}));
}

void try_page_in(Search& search, const Reached& from, std::size_t i, std::size_t stage) {
  const Setting& setting = search.setting;
  const Movable& movable = setting.movables[i];
  const Mask in_ram = Mask{1} << i;
  const Mask ram = ram_of(setting, from.state);
  const bool old = movable.replaced_by && stage > *movable.replaced_by;
  const bool copy = movable.at_home_in_storage ? !old : (copies_of(setting, from.state) & in_ram);
  if ((ram & in_ram) != 0 || !copy || !movable.read) return;
  if (setting.resident_bytes + setting.set_bytes[ram | in_ram] > setting.problem.ram_budget_bytes)
    return;
  const Tensor& tensor = at(setting.problem.tensors, movable.id);
  const bool timed = setting.problem.time_mode == TimeMode::Blocking;
  const Label label = charged(setting, from.label, read_of(setting, movable.id), tensor.page_in_j,
                              timed ? tensor.page_in_s : 0.0);
  if (pointless(search, from.state | in_ram, label)) return;
  add_new(search, from.state | in_ram, after(search, label, PageIn{movable.id}));
}

// Copies in storage: each was written once. A new value lies in the place of its old one.
bool storage_holds(const Setting& setting, Mask copies) {
  std::int64_t written = 0;
  for (const Operation& operation : setting.problem.operations) written += operation.written_bytes;
  std::int64_t in_use = setting.home_bytes;
  for (std::size_t i = 0; i < setting.movables.size(); ++i) {
    if ((copies >> i & 1) == 0) continue;
    written += setting.movables[i].size_bytes;
    if (!setting.movables[i].new_value) in_use += setting.movables[i].size_bytes;
  }
  const Problem& problem = setting.problem;
  return written <= problem.write_budget_bytes.value_or(written) &&
         in_use <= problem.storage_capacity_bytes.value_or(in_use);
}

void try_page_out(Search& search, const Reached& from, std::size_t i) {
  const Setting& setting = search.setting;
  const Movable& movable = setting.movables[i];
  const Mask in_ram = Mask{1} << i;
  const Mask stored = in_ram << setting.movables.size();
  if ((from.state & in_ram) == 0 || (from.state & stored) != 0 || movable.at_home_in_storage)
    return;
  if (!movable.new_value && !(setting.problem.paging_allowed && movable.read)) return;
  const Mask state = from.state | stored;
  if (!storage_holds(setting, copies_of(setting, state))) return;
  const Tensor& tensor = at(setting.problem.tensors, movable.id);
  const bool timed = setting.problem.time_mode == TimeMode::Blocking;
  const Label label = charged(setting, from.label, write_of(setting, movable.id), tensor.page_out_j,
                              timed ? tensor.page_out_s : 0.0);
  if (pointless(search, state, label)) return;
  add_new(search, state, after(search, label, PageOut{movable.id}));
}

// Transfers and drops in any number and order, until nothing new comes of it. `stage` first
// executions are done.
void move_freely(Search& search, std::size_t stage) {
  for (std::size_t next = 0; next < search.open.size(); ++next) {
    const Reached from = search.open[next];
    if (!still_stands(search, from)) continue;
    for (std::size_t i = 0; i < search.setting.movables.size(); ++i) {
      try_drop(search, from, i);
      try_page_in(search, from, i, stage);
      try_page_out(search, from, i);
    }
  }
  search.open.clear();
}

// --- executions
// --------------------------------------------------------------------------------------------------

// Every way to execute operation `k` from the states that are reached now.
std::vector<Reached> execute(Search& search, std::size_t k) {
  const Setting& setting = search.setting;
  const Operation& operation = setting.problem.operations[k];
  const Execution& execution = setting.executions[k];
  const std::int64_t room = setting.problem.ram_budget_bytes - setting.resident_bytes;
  const OperationId id{static_cast<std::int32_t>(k)};
  std::vector<Reached> results;
  for (const Mask state : search.occupied) {
    const Mask ram = ram_of(setting, state);
    if ((ram & execution.inputs) != execution.inputs || (ram & execution.outputs) != 0) continue;
    const std::int64_t bytes =
        setting.set_bytes[ram | execution.outputs] + operation.workspace_bytes;
    for (std::uint32_t n = search.first[state]; n != 0; n = search.nodes[n].next) {
      const Label& before = search.nodes[n].label;
      const Label label = charged(setting, before, k, operation.compute_j, operation.compute_s);
      if (!in_time(setting, label)) continue;
      const Mask done = state | execution.outputs;
      if (bytes <= room) results.push_back({done, after(search, label, Compute{id})});
      if (execution.in_place == 0 || bytes - execution.in_place_bytes > room) continue;
      const Label shared = after(search, label, Compute{id});
      const auto dying = static_cast<std::size_t>(std::countr_zero(execution.in_place));
      results.push_back(
          {done & ~execution.in_place, after(search, shared, Drop{setting.movables[dying].id})});
    }
  }
  return results;
}

void repeat_if_it_pays(Search& search, std::size_t stage, std::size_t k) {
  const Execution& execution = search.setting.executions[k];
  if (!execution.repeatable || stage > execution.last_stage.value_or(stage)) return;
  for (const Reached& result : execute(search, k)) add(search, result.state, result.label);
  move_freely(search, stage);
}

void execute_first(Search& search, std::size_t v) {
  const std::vector<Reached> results = execute(search, v);
  forget_all(search);
  for (const Reached& result : results) add(search, result.state, result.label);
  move_freely(search, v + 1);
}

// Nothing when no schedule is valid.
std::optional<Label> run(Search& search) {
  const Setting& setting = search.setting;
  search.nodes.resize(1);
  search.first.resize(setting.states);
  search.steps.resize(1);
  if (!storage_holds(setting, 0)) return std::nullopt;  // not even the homes
  add(search, 0, beginning(setting));
  move_freely(search, 0);
  for (std::size_t stage = 0; stage < setting.executions.size(); ++stage) {
    for (std::size_t k = 0; k < stage; ++k) repeat_if_it_pays(search, stage, k);
    execute_first(search, stage);
  }
  std::optional<Label> best;
  for (const Mask state : search.occupied) {
    if ((setting.wanted_in_storage & ~copies_of(setting, state)) != 0) continue;
    for (std::uint32_t n = search.first[state]; n != 0; n = search.nodes[n].next) {
      const Label& label = search.nodes[n].label;
      if (!best || label.objective < best->objective) best = label;
    }
  }
  return best;
}

std::vector<Action> actions_until(const Search& search, std::size_t step) {
  std::vector<Action> actions;
  for (; step != 0; step = search.steps[step].before) actions.push_back(search.steps[step].action);
  std::reverse(actions.begin(), actions.end());
  return actions;
}

// --- residents
// ---------------------------------------------------------------------------------------------------

struct Answer {
  double objective = 0;
  Schedule schedule;
};

// Every choice of residents.
std::vector<std::vector<TensorId>> resident_choices(const Problem& problem) {
  std::vector<std::vector<TensorId>> choices(1);
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    if (!problem.tensors[i].may_be_resident || problem.tensors[i].view_of) continue;
    const std::size_t without = choices.size();
    for (std::size_t c = 0; c < without; ++c) {
      choices.push_back(choices[c]);
      choices.back().push_back(TensorId{static_cast<std::int32_t>(i)});
    }
  }
  return choices;
}

enum class Memory { Objective, WholeSchedule };

std::optional<Answer> cheapest(const Problem& problem, Memory memory) {
  POET_CHECK(problem.time_mode != TimeMode::Overlapped);
  std::optional<Answer> best;
  for (const std::vector<TensorId>& resident : resident_choices(problem)) {
    const Setting setting = settle(problem, resident);
    Search search{.setting = setting, .remember = memory == Memory::WholeSchedule};
    const std::optional<Label> found = run(search);
    if (!found || (best && best->objective <= found->objective)) continue;
    best = Answer{found->objective, {actions_until(search, found->last_step), resident}};
  }
  return best;
}

std::int64_t bytes_of_everything(const Problem& problem) {
  std::int64_t bytes = 0;
  for (const Tensor& tensor : problem.tensors) bytes += tensor.size_bytes;
  for (const Operation& operation : problem.operations) bytes += operation.workspace_bytes;
  return bytes;
}

}  // namespace

std::optional<double> cheapest_objective(const Problem& problem) {
  const std::optional<Answer> answer = cheapest(problem, Memory::Objective);
  if (!answer) return std::nullopt;
  return answer->objective;
}

std::optional<Schedule> cheapest_schedule(const Problem& problem) {
  std::optional<Answer> answer = cheapest(problem, Memory::WholeSchedule);
  if (!answer) return std::nullopt;
  return std::move(answer->schedule);
}

std::optional<std::int64_t> least_ram_budget(const Problem& problem) {
  Problem trial = problem;
  trial.ram_budget_bytes = bytes_of_everything(problem);
  if (!cheapest_objective(trial)) return std::nullopt;
  std::int64_t too_small = -1;
  std::int64_t enough = trial.ram_budget_bytes;
  while (enough - too_small > 1) {  // more RAM never hurts
    trial.ram_budget_bytes = too_small + (enough - too_small) / 2;
    (cheapest_objective(trial) ? enough : too_small) = trial.ram_budget_bytes;
  }
  return enough;
}

}  // namespace poet::testing
