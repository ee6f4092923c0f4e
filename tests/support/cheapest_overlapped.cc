#include "cheapest_overlapped.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "poet/base/check.h"

namespace poet::testing {
namespace {

using Ticks = std::int64_t;

Ticks ticks(double seconds) {
  const double count = seconds * 64;
  POET_CHECK(count == std::floor(count));
  return static_cast<Ticks>(count);
}

double seconds(Ticks count) {
  return static_cast<double>(count) / 64;
}

// Of each tensor. States are copied for every action: one that asks for no memory is copied at
// once.
constexpr std::size_t kMostTensors = 16;
template <typename Value>
using OfTensors = std::array<Value, kMostTensors>;

// Everything that decides what can happen from here on; times count from the processor's now.
struct OverlappedState {
  std::size_t stage = 0;  // first executions that are done
  std::size_t again = 0;  // the next operation that may be executed again in this stage
  OfTensors<char> in_ram = {};
  OfTensors<char> stored = {};
  OfTensors<char> fresh = {};  // touched by the last action: may be dropped
  OfTensors<Ticks> readable = {};
  OfTensors<Ticks> quiet = {};
  std::vector<std::pair<Ticks, std::int64_t>> lingering = {};  // until when, bytes; sorted
  Ticks channel_free = 0;

  // The same for equal states, and for no others of the same problem.
  std::string key() const {
    std::string text;
    text.reserve(sizeof(OverlappedState) + lingering.size() * sizeof lingering[0]);
    const auto add = [&text](std::int64_t number) {
      text.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    add(static_cast<std::int64_t>(stage));
    add(static_cast<std::int64_t>(again));
    add(channel_free);
    text.append(in_ram.begin(), in_ram.end());
    text.append(stored.begin(), stored.end());
    text.append(fresh.begin(), fresh.end());
    for (const Ticks at : readable) add(at);
    for (const Ticks at : quiet) add(at);
    for (const auto& [until, bytes] : lingering) {
      add(until);
      add(bytes);
    }
    return text;
  }
};

struct Spent {
  double energy_j = 0;
  Ticks now = 0;
};

class OverlappedSearch {
 public:
  OverlappedSearch(const Problem& problem, std::int64_t most_states)
      : problem_(problem), most_states_(most_states) {
    for (const Tensor& tensor : problem.tensors) {
      POET_CHECK(!tensor.view_of && !tensor.may_be_resident);
      if (tensor.home == Home::Resident && !tensor.updates) resident_bytes_ += tensor.size_bytes;
      if (tensor.home == Home::Storage) home_bytes_ += tensor.size_bytes;
    }
  }

  OverlappedAnswer run() {
    OverlappedState first;
    const std::size_t count = problem_.tensors.size();
    POET_CHECK(count <= kMostTensors);
    for (std::size_t i = 0; i < count; ++i)
      first.stored[i] = problem_.tensors[i].home == Home::Storage ? 1 : 0;
    if (!storage_holds(first)) return {true, {}};
    reach(first, {});
    while (!open_.empty()) {
      if (std::ssize(seen_) > most_states_) return {};
      const auto [state, spent] = open_.back();
      open_.pop_back();
      go_on(state, spent);
    }
    return {true, best_};
  }

 private:
  bool moves(std::size_t i) const {
    const Tensor& tensor = problem_.tensors[i];
    return tensor.home == Home::Made || tensor.home == Home::Storage;
  }

  // The rule for time, written out: the library's own (deadline.h) would hide its errors.
  bool in_time(double time_s) const {
    return !problem_.deadline_s || time_s <= *problem_.deadline_s * (1 + 1e-9);
  }

  void reach(OverlappedState state, const Spent& spent) {
    if (!in_time(seconds(spent.now))) return;
    std::vector<Spent>& ways = seen_[state.key()];
    for (const Spent& way : ways)
      if (way.energy_j <= spent.energy_j && way.now <= spent.now) return;
    ways.push_back(spent);
    open_.emplace_back(std::move(state), spent);
  }

  void go_on(const OverlappedState& state, const Spent& spent) {
    if (state.stage == problem_.operations.size()) end(state, spent);
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
      if (!moves(i)) continue;
      if (state.in_ram[i] && state.fresh[i]) drop(state, spent, i);
      if (!state.in_ram[i] && state.stored[i]) page_in(state, spent, i);
      if (state.in_ram[i] && !state.stored[i]) page_out(state, spent, i);
    }
    for (std::size_t k = state.again; k < state.stage; ++k)
      if (may_repeat(state, k) && makes_something_useful(state, k)) compute(state, spent, k);
    if (state.stage < problem_.operations.size()) compute(state, spent, state.stage);
  }

  // The new values must be stored.
  void end(const OverlappedState& state, const Spent& spent) {
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i)
      if (problem_.tensors[i].updates && moves(i) && !state.stored[i]) return;
    const double time_s = seconds(spent.now + std::max<Ticks>(0, state.channel_free));
    if (!in_time(time_s)) return;
    const double cost =
        problem_.objective == Objective::Time ? time_s : spent.energy_j + problem_.idle_w * time_s;
    if (!best_ || cost < *best_) best_ = cost;
  }

  bool is_old(const OverlappedState& state, std::size_t i) const {
    for (std::size_t v = 0; v < state.stage; ++v)
      for (const TensorId output : problem_.operations[v].outputs)
        if (problem_.tensors[static_cast<std::size_t>(index_of(output))].updates ==
            TensorId{static_cast<std::int32_t>(i)})
          return true;
    return false;
  }

  bool may_repeat(const OverlappedState& state, std::size_t k) const {
    return problem_.rematerialisation_allowed && !problem_.operations[k].once &&
           std::none_of(problem_.operations[k].inputs.begin(), problem_.operations[k].inputs.end(),
                        [&](TensorId input) {
                          return is_old(state, static_cast<std::size_t>(index_of(input)));
                        });
  }

  // Whether anything that may still run reads the tensor.
  bool is_useful(const OverlappedState& state, std::size_t i) const {
    for (std::size_t v = 0; v < problem_.operations.size(); ++v) {
      const Operation& operation = problem_.operations[v];
      const TensorId id{static_cast<std::int32_t>(i)};
      if (std::find(operation.inputs.begin(), operation.inputs.end(), id) == operation.inputs.end())
        continue;
      if (v >= state.stage) return true;
      if (!may_repeat(state, v)) continue;
      for (const TensorId output : operation.outputs)
        if (is_useful(state, static_cast<std::size_t>(index_of(output)))) return true;
    }
    return false;
  }

  bool makes_something_useful(const OverlappedState& state, std::size_t k) const {
    for (const TensorId output : problem_.operations[k].outputs)
      if (is_useful(state, static_cast<std::size_t>(index_of(output)))) return true;
    return false;
  }

  std::int64_t bytes_in_ram(const OverlappedState& state) const {
    std::int64_t bytes = resident_bytes_;
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i)
      if (state.in_ram[i]) bytes += problem_.tensors[i].size_bytes;
    for (const auto& [until, size_bytes] : state.lingering) bytes += size_bytes;
    return bytes;
  }

  static void pass(OverlappedState& state, Spent& spent, Ticks by) {
    spent.now += by;
    state.channel_free = std::max<Ticks>(0, state.channel_free - by);
    for (Ticks& at : state.readable) at = std::max<Ticks>(0, at - by);
    for (Ticks& at : state.quiet) at = std::max<Ticks>(0, at - by);
    for (auto& [until, size_bytes] : state.lingering) until -= by;
    std::erase_if(state.lingering, [](const auto& it) { return it.first <= 0; });
  }

  // Whether waiting for writes and reads in flight makes room.
  bool make_room(OverlappedState& state, Spent& spent, std::int64_t bytes) const {
    while (bytes_in_ram(state) + bytes > problem_.ram_budget_bytes) {
      if (state.lingering.empty()) return false;
      pass(state, spent, state.lingering.front().first);
    }
    return true;
  }

  void drop(OverlappedState state, const Spent& spent, std::size_t i) {
    state.in_ram[i] = 0;
    const std::int64_t bytes = problem_.tensors[i].size_bytes;
    if (state.quiet[i] > 0 && bytes > 0) {
      state.lingering.emplace_back(state.quiet[i], bytes);
      std::sort(state.lingering.begin(), state.lingering.end());
    }
    state.quiet[i] = state.readable[i] = 0;
    reach(std::move(state), spent);
  }

  static void send(OverlappedState& state, std::size_t i, Ticks duration) {
    state.channel_free += duration;
    state.quiet[i] = state.channel_free;
    std::fill(state.fresh.begin(), state.fresh.end(), 0);
    state.fresh[i] = 1;
  }

  void page_in(OverlappedState state, Spent spent, std::size_t i) {
    const Tensor& tensor = problem_.tensors[i];
    if (!is_useful(state, i) || is_old(state, i) || !make_room(state, spent, tensor.size_bytes))
      return;
    send(state, i, ticks(tensor.page_in_s));
    state.in_ram[i] = 1;
    state.readable[i] = state.channel_free;
    spent.energy_j += tensor.page_in_j;
    reach(std::move(state), spent);
  }

  void page_out(OverlappedState state, Spent spent, std::size_t i) {
    const Tensor& tensor = problem_.tensors[i];
    if (!tensor.updates && (!problem_.paging_allowed || !is_useful(state, i))) return;
    state.stored[i] = 1;
    if (!storage_holds(state)) return;
    send(state, i, ticks(tensor.page_out_s));
    spent.energy_j += tensor.page_out_j;
    reach(std::move(state), spent);
  }

  bool storage_holds(const OverlappedState& state) const {
    std::int64_t written = 0, kept = home_bytes_;
    for (const Operation& operation : problem_.operations) written += operation.written_bytes;
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
      const Tensor& tensor = problem_.tensors[i];
      if (!state.stored[i] || tensor.home == Home::Storage) continue;
      written += tensor.size_bytes;
      if (!tensor.updates) kept += tensor.size_bytes;
    }
    return written <= problem_.write_budget_bytes.value_or(written) &&
           kept <= problem_.storage_capacity_bytes.value_or(kept);
  }

  void compute(OverlappedState state, Spent spent, std::size_t v) {
    const Operation& operation = problem_.operations[v];
    std::fill(state.fresh.begin(), state.fresh.end(), 0);
    Ticks wait = 0;
    for (const TensorId input : operation.inputs) {
      const auto i = static_cast<std::size_t>(index_of(input));
      if (!moves(i)) continue;
      if (!state.in_ram[i]) return;
      wait = std::max(wait, state.readable[i]);
      state.fresh[i] = 1;
    }
    std::int64_t bytes = operation.workspace_bytes;
    for (const TensorId output : operation.outputs) {
      const auto i = static_cast<std::size_t>(index_of(output));
      if (!moves(i)) continue;
      if (state.in_ram[i]) return;  // to make again what is there is of no use
      bytes += problem_.tensors[i].size_bytes;
    }
    pass(state, spent, wait);
    if (!make_room(state, spent, bytes)) return;
    for (const TensorId output : operation.outputs) {
      const auto i = static_cast<std::size_t>(index_of(output));
      if (!moves(i)) continue;
      state.in_ram[i] = state.fresh[i] = 1;
    }
    pass(state, spent, ticks(operation.compute_s));
    spent.energy_j += operation.compute_j;
    if (v == state.stage) {
      ++state.stage;
      state.again = 0;
    } else {
      state.again = v + 1;
    }
    reach(std::move(state), spent);
  }

  const Problem& problem_;
  std::int64_t most_states_;
  std::int64_t resident_bytes_ = 0;
  std::int64_t home_bytes_ = 0;
  std::unordered_map<std::string, std::vector<Spent>> seen_ = {};
  std::vector<std::pair<OverlappedState, Spent>> open_ = {};
  std::optional<double> best_ = {};
};

}  // namespace

OverlappedAnswer cheapest_overlapped(const Problem& problem, std::int64_t most_states) {
  POET_CHECK(problem.time_mode == TimeMode::Overlapped);
  return OverlappedSearch(problem, most_states).run();
}

}  // namespace poet::testing
