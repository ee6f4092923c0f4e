// The stretches in which a chain is kept or not (docs/model/intervals.md §1).
#include "poet/solve/keep_intervals.h"

#include <algorithm>
#include <limits>

namespace poet {
namespace {

// The part of its operation's cost that making the chain again bears. The parts of all outputs that
// are read add up to one, so that an execution that makes several is never counted twice.
double share_of(const Step& step, const StepOperation& operation, std::int32_t c) {
  double bytes = 0;
  std::int32_t outputs = 0;
  for (const std::int32_t output : operation.outputs) {
    if (step.chains[output].readers.empty()) continue;
    bytes += static_cast<double>(step.chains[output].size_bytes);
    ++outputs;
  }
  return bytes > 0 ? static_cast<double>(step.chains[c].size_bytes) / bytes : 1.0 / outputs;
}

// Where the output's room is counted: a new value needs none while its old value may be resident.
std::int64_t bytes_without_sharing(const Step& step, const StepOperation& operation,
                                   std::int32_t c) {
  if (!operation.in_place || operation.inputs[operation.in_place->input] != c) return 0;
  const Chain& output = step.chains[operation.outputs[operation.in_place->output]];
  const bool counted = !(output.old_value && step.chains[*output.old_value].may_be_resident);
  return counted ? output.size_bytes : 0;
}

// What it takes at least to make a chain again for one interval, of which the chains that nobody
// reads any more are the point: each of them is held since its last use, or read, or made in turn.
class DeadInputs {
 public:
  // Either so many bytes all the time, or this cost.
  struct Need {
    double held_bytes = 0;
    double cost = 0;
  };

  explicit DeadInputs(const Step& step) : step_(step) {
    for (const Chain& chain : step.chains) {
      std::int32_t again = 0;
      for (const std::int32_t reader : chain.readers)
        again += step.operations[reader].last_stage > reader ? 1 : 0;
      remakers_.push_back(again);
    }
  }

  // Of the operation, which runs again after stage `from` for an output of `bytes` that bears this
  // `part` of it.
  Need of(const StepOperation& operation, std::int32_t from, double part, double bytes) const {
    int looks = kMostLooks;
    return look(operation, from, part, bytes, looks);
  }

 private:
  static constexpr int kMostLooks = 200;

  // One execution needs all of its inputs, so the dearest of them is a bound.
  Need look(const StepOperation& operation, std::int32_t from, double part, double bytes,
            int& looks) const {
    Need most;
    for (const std::int32_t c : operation.inputs) {
      const Chain& input = step_.chains[c];
      const bool is_read_later = !input.readers.empty() && input.readers.back() > from;
      if (is_read_later || may_be_resident(input) || looks-- <= 0) continue;
      const Need need = of_input(input, c, from, part, bytes, looks);
      if (need.cost > most.cost) most = need;
    }
    return most;
  }

  // A coming of the input may serve every operation that reads it, once each. Its copy in storage
  // may be there anyway.
  Need of_input(const Chain& input, std::int32_t c, std::int32_t from, double part, double bytes,
                int& looks) const {
    part /= std::max(1, remakers_[c]);
    Need need;
    need.held_bytes = std::min(bytes, part * static_cast<double>(input.size_bytes));
    need.cost =
        input.may_be_read ? part * input.read_cost : std::numeric_limits<double>::infinity();
    if (!input.producer || step_.operations[*input.producer].last_stage <= from) return need;
    const StepOperation& producer = step_.operations[*input.producer];
    const double own_part = part * share_of(step_, producer, c);
    const double made = own_part * producer.cost;
    if (made >= need.cost) return need;
    const Need before = look(producer, from, own_part, need.held_bytes, looks);
    need.cost = std::min(need.cost, made + before.cost);
    if (before.cost > 0) need.held_bytes = std::min(need.held_bytes, before.held_bytes);
    return need;
  }

  bool may_be_resident(const Chain& chain) const {
    return chain.may_be_resident ||
           (chain.old_value && step_.chains[*chain.old_value].may_be_resident);
  }

  const Step& step_;
  std::vector<std::int32_t> remakers_;  // per chain: readers that may run again
};

KeepInterval interval(const Step& step, const DeadInputs& dead, std::int32_t c, std::int32_t from,
                      std::int32_t to) {
  const Chain& chain = step.chains[c];
  KeepInterval between{.chain = c, .from = from, .to = to};
  between.from_bytes = bytes_without_sharing(step, step.operations[from], c);
  between.make_cost = std::numeric_limits<double>::infinity();
  if (!chain.producer || step.operations[*chain.producer].last_stage <= from) return between;
  const StepOperation& producer = step.operations[*chain.producer];
  const double share = share_of(step, producer, c);
  between.make_cost = share * producer.cost;
  between.make_s = share * producer.time_s;
  if (to == from + 1) return between;
  const DeadInputs::Need need =
      dead.of(producer, from, share, static_cast<double>(chain.size_bytes));
  between.held_bytes = need.held_bytes;
  between.inputs_cost = need.cost;
  return between;
}

}  // namespace

KeepIntervals keep_intervals(const Step& step) {
  const DeadInputs dead(step);
  KeepIntervals all;
  for (std::size_t n = 0; n < step.chains.size(); ++n) {
    const Chain& chain = step.chains[n];
    all.begins.push_back(all.list.size());
    std::int32_t last = chain.producer.value_or(-1);
    for (const std::int32_t reader : chain.readers) {
      if (last >= 0)
        all.list.push_back(interval(step, dead, static_cast<std::int32_t>(n), last, reader));
      last = reader;
    }
  }
  all.begins.push_back(all.list.size());
  return all;
}

}  // namespace poet
