// What the RAM cannot keep costs something (docs/model/memories.md §4.2).
#include "poet/overlap/memory_bound.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "poet/problem/deadline.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"

namespace poet {
namespace {

// A tensor that costs nothing more than what is unavoidable only where it has one buffer, in the
// RAM, from `first` to `last`: while those operations run, and all between.
struct Stay {
  std::int64_t size_bytes = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  double otherwise = 0;  // in the unit of the objective; infinity: there is no other way
};

// A linear program of more terms is not solved: it would take all the memory there is.
constexpr std::int64_t kMostTerms = 4'000'000;

// Of all that is added up for a bound: more than the rounding of sums of millions.
constexpr double kRoundingRatio = 1e-11;

class StayFinder {
 public:
  explicit StayFinder(const Problem& problem)
      : problem_(problem), producers_(producers(problem)), readers_(readers(problem)) {
    find_updates();
  }

  std::vector<Stay> all() const {
    std::vector<Stay> stays;
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i)
      if (const std::optional<Stay> stay = stay_of(TensorId{static_cast<std::int32_t>(i)}))
        stays.push_back(*stay);
    return stays;
  }

  // What the RAM has left for stays while an operation runs: its workspace lies there.
  std::int64_t room_bytes(std::size_t v) const {
    return problem_.ram_budget_bytes - problem_.operations[v].workspace_bytes;
  }

  // An output that may take over a buffer begins behind its making, and perhaps behind its end.
  bool takes_room(const Stay& stay, std::int64_t v) const {
    return stay.first <= v && v <= stay.last;
  }

 private:
  const Tensor& tensor(TensorId id) const { return at(problem_.tensors, id); }
  std::int64_t last_operation() const { return std::ssize(problem_.operations) - 1; }

  void find_updates() {
    updates_.resize(problem_.tensors.size());
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i)
      if (const std::optional<TensorId>& old = problem_.tensors[i].updates)
        at(updates_, *old) = TensorId{static_cast<std::int32_t>(i)};
  }

  // In overlapped time seconds may pass beside others: only joules are sure to be paid.
  double price(double energy_j, double time_s) const {
    const bool timed = problem_.time_mode != TimeMode::Overlapped;
    if (problem_.objective == Objective::Time) return timed ? time_s : 0;
    return energy_j + (timed ? problem_.idle_w * time_s : 0);
  }
  double price(const AccessCost& access) const { return price(access.energy_j, access.time_s); }
  double transfer_price(double energy_j, double time_s) const {
    return price(energy_j, problem_.time_mode == TimeMode::Blocking ? time_s : 0);
  }
  double transfer_price(const AccessCost& access) const {
    return transfer_price(access.energy_j, access.time_s);
  }

  // Operations that read a tensor and are no views.
  std::int64_t reads_of(TensorId id) const {
    return std::count_if(at(readers_, id).begin(), at(readers_, id).end(),
                         [this](OperationId v) { return !at(problem_.operations, v).view; });
  }

  // The least over all further memories in which a buffer of the tensor fits.
  template <typename Cost>
  double least_of_memories(TensorId id, const Cost& cost) const {
    double least = kInfinity;
    for (std::int32_t m = 1; m < memory_count(problem_); ++m)
      if (tensor(id).size_bytes <= memory_bytes(problem_, MemoryId{m}))
        least = std::min(least, cost(MemoryId{m}));
    return least;
  }
  double reads_price(TensorId id, MemoryId memory, std::int64_t times) const {
    return static_cast<double>(times) * price(read_cost(problem_, memory, tensor(id).size_bytes));
  }
  double write_price(TensorId id, MemoryId memory) const {
    return price(write_cost(problem_, memory, tensor(id).size_bytes));
  }

  std::optional<Stay> stay_of(TensorId id) const {
    const Tensor& one = tensor(id);
    if (one.view_of || one.home == Home::Rom || one.size_bytes == 0) return std::nullopt;
    if (one.updates) return new_value(id);
    switch (one.home) {
      case Home::Made:
        return made(id);
      case Home::Storage:
        return stored(id);
      default:
        return resident(id);
    }
  }

  std::int64_t last_use(TensorId id, std::int64_t first) const {
    return at(readers_, id).empty() ? first : index_of(at(readers_, id).back());
  }

  // Its producer runs again, or it is read back; a copy was written for that, once.
  double made_again_price(TensorId id, OperationId producer) const {
    const Operation& operation = at(problem_.operations, producer);
    double least = kInfinity;
    if (problem_.rematerialisation_allowed && !operation.once)
      least = price(operation.compute_j, operation.compute_s) /
              static_cast<double>(operation.outputs.size());
    const Tensor& one = tensor(id);
    if (problem_.paging_allowed)
      least = std::min(
          least, transfer_price(one.page_in_j + one.page_out_j, one.page_in_s + one.page_out_s));
    return least;
  }

  // From behind its own making, where that may be in the place of another.
  static std::int64_t begin_of(const Operation& operation, TensorId id, std::int64_t producer) {
    return operation.in_place && operation.in_place->output == id ? producer + 1 : producer;
  }

  std::optional<Stay> made(TensorId id) const {
    const OperationId producer = *at(producers_, id);
    const std::int64_t v = index_of(producer);
    const double elsewhere = least_of_memories(id, [&](MemoryId memory) {
      return write_price(id, memory) + reads_price(id, memory, reads_of(id));
    });
    // What nobody needs after its making does not come again.
    const bool is_used = !at(readers_, id).empty();
    const double again = is_used ? made_again_price(id, producer) : kInfinity;
    return Stay{tensor(id).size_bytes, begin_of(at(problem_.operations, producer), id, v),
                last_use(id, v), std::min(elsewhere, again)};
  }

  // Its write to storage is unavoidable, and reads it where it lies.
  std::optional<Stay> new_value(TensorId id) const {
    const Tensor& old = tensor(*tensor(id).updates);
    if (old.home == Home::Resident || old.may_be_resident) return std::nullopt;
    const OperationId producer = *at(producers_, id);
    const std::int64_t v = index_of(producer);
    const double elsewhere = least_of_memories(id, [&](MemoryId memory) {
      return write_price(id, memory) + reads_price(id, memory, reads_of(id)) +
             transfer_price(read_cost(problem_, memory, tensor(id).size_bytes));
    });
    const Tensor& one = tensor(id);
    const double again =
        at(readers_, id).empty() ? kInfinity : transfer_price(one.page_in_j, one.page_in_s);
    return Stay{one.size_bytes, begin_of(at(problem_.operations, producer), id, v), last_use(id, v),
                std::min(elsewhere, again)};
  }

  // One read from storage is unavoidable, unless it may be resident.
  std::optional<Stay> stored(TensorId id) const {
    if (at(readers_, id).empty()) return std::nullopt;
    const Tensor& one = tensor(id);
    const double elsewhere = least_of_memories(id, [&](MemoryId memory) {
      const double written =
          one.may_be_resident ? 0 : transfer_price(write_cost(problem_, memory, one.size_bytes));
      return written + reads_price(id, memory, reads_of(id));
    });
    const std::int64_t first = index_of(at(readers_, id).front());
    const std::int64_t last = index_of(at(readers_, id).back());
    // A second read from storage serves only what a second operation needs.
    const bool may_return = first < last || one.may_be_resident;
    const double again = may_return ? transfer_price(one.page_in_j, one.page_in_s) : kInfinity;
    return Stay{one.size_bytes, first, last, std::min(elsewhere, again)};
  }

  std::optional<Stay> resident(TensorId id) const {
    const std::optional<TensorId>& update = at(updates_, id);
    const double elsewhere = least_of_memories(id, [&](MemoryId memory) {
      const double written = update ? write_price(*update, memory) : 0;
      return written + reads_price(id, memory, reads_of(id) + (update ? reads_of(*update) : 0));
    });
    return Stay{tensor(id).size_bytes, 0, last_operation(), elsewhere};
  }

  const Problem& problem_;
  const std::vector<std::optional<OperationId>> producers_;
  const std::vector<std::vector<OperationId>> readers_;
  std::vector<std::optional<TensorId>> updates_ = {};  // by tensor: its new value
};

// Columns say what part of a stay the RAM keeps; what is kept saves its price.
LinearModel keep_model(const std::vector<Stay>& stays, const StayFinder& finder,
                       std::size_t operations, double priceless) {
  LinearModel model;
  for (const Stay& stay : stays)
    model.add_column(
        {.cost = -std::min(stay.otherwise, priceless), .kind = ColumnKind::Continuous});
  for (std::size_t v = 0; v < operations; ++v) {
    LinearRow row{.upper = static_cast<double>(std::max<std::int64_t>(0, finder.room_bytes(v)))};
    for (std::size_t k = 0; k < stays.size(); ++k)
      if (finder.takes_room(stays[k], static_cast<std::int64_t>(v)))
        row.terms.push_back(
            {static_cast<std::int32_t>(k), static_cast<double>(stays[k].size_bytes)});
    model.add_row(std::move(row));
  }
  return model;
}

double bound_of(const Problem& problem, const StayFinder& finder, const std::vector<Stay>& stays,
                const std::vector<double>& multipliers) {
  std::vector<double> sums(multipliers.size() + 1, 0);  // of multipliers before each operation
  double room = 0;
  for (std::size_t v = 0; v < multipliers.size(); ++v) {
    const double multiplier = std::max(0.0, multipliers[v]);
    sums[v + 1] = sums[v] + multiplier;
    room += multiplier * static_cast<double>(finder.room_bytes(v));
  }
  double kept = 0;
  for (const Stay& stay : stays) {
    if (stay.first > stay.last) continue;  // its room is never asked for
    const double held =
        sums[static_cast<std::size_t>(stay.last) + 1] - sums[static_cast<std::size_t>(stay.first)];
    kept += std::min(stay.otherwise, held * static_cast<double>(stay.size_bytes));
  }
  const double least = unavoidable_objective(problem);
  const double margin = kRoundingRatio * (least + kept + std::abs(room));
  return std::max(least, least + kept - room - margin);
}

}  // namespace

double memory_bound_of(const Problem& problem, const std::vector<double>& multipliers) {
  const StayFinder finder(problem);
  return bound_of(problem, finder, finder.all(), multipliers);
}

double memory_bound(const Problem& problem, const LinearBackend& backend, const Stop& stop) {
  const StayFinder finder(problem);
  const std::vector<Stay> stays = finder.all();
  std::int64_t terms = 0;
  for (const Stay& stay : stays) terms += std::max<std::int64_t>(0, stay.last - stay.first + 1);
  if (terms > kMostTerms) return unavoidable_objective(problem);
  double priceless = 1;
  for (const Stay& stay : stays)
    if (stay.otherwise < kInfinity) priceless += stay.otherwise;
  const LinearModel model = keep_model(stays, finder, problem.operations.size(), priceless);
  const RelaxationAnswer answer = backend.relax(model)->solve(stop);
  if (answer.status != LinearStatus::Optimal) return unavoidable_objective(problem);
  std::vector<double> multipliers;
  for (const double dual : answer.row_duals) multipliers.push_back(-dual);
  return bound_of(problem, finder, stays, multipliers);
}

double least_time_in_memories(const Problem& problem, const LinearBackend& backend,
                              const Stop& stop) {
  Problem timed = problem;
  timed.objective = Objective::Time;
  return memory_bound(timed, backend, stop);
}

bool is_beyond_deadline(const Problem& problem, double least_time_s) {
  constexpr double kRounding = 1e-9;
  return problem.deadline_s && least_time_s > latest_end_s(*problem.deadline_s) * (1 + kRounding);
}

}  // namespace poet
