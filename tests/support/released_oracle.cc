#include "released_oracle.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace poet::testing {
namespace {

class ReleasedOracle {
 public:
  explicit ReleasedOracle(const Problem& problem)
      : problem_(problem), T_(static_cast<int>(problem.operations.size())) {
    for (Matrix* matrix : {&r_, &s_ram_, &s_sd_, &m_in_, &m_out_})
      matrix->assign(T_ + 1, std::vector<int>(T_, 0));
    for (int t = 0; t < T_; ++t) r_[t][t] = 1;
    for (const Operation& operation : problem.operations) {
      inputs_.emplace_back();
      for (const TensorId input : operation.inputs) inputs_.back().push_back(index_of(input));
    }
    for (int t = 0; t < T_; ++t) {
      for (int i = 0; i < t; ++i) {
        if (problem.rematerialisation_allowed && !problem.operations[i].once)
          bits_.push_back({t, &r_[t][i]});
        bits_.push_back({t, &s_ram_[t][i]});
        if (!problem.paging_allowed) continue;
        bits_.push_back({t, &s_sd_[t][i]});
        if (t + 1 == T_) continue;  // what is moved in the last stage is moved in vain
        bits_.push_back({t, &m_in_[t][i]});
        bits_.push_back({t, &m_out_[t][i]});
      }
    }
  }

  std::optional<double> least_energy_j() {
    try_from(0);
    return least_;
  }

 private:
  using Matrix = std::vector<std::vector<int>>;
  struct Bit {
    int stage = 0;
    int* cell = nullptr;
  };

  // Rows of stages that are complete are checked before the next stage is tried.
  void try_from(std::size_t bit) {
    const int t = stage_of(bit);
    if (t != stage_of_last(bit) && !stages_hold(t)) return;
    if (bit == bits_.size()) {
      if (memory_holds() && time_holds()) take_energy();
      return;
    }
    for (const int value : {0, 1}) {
      *bits_[bit].cell = value;
      try_from(bit + 1);
    }
    *bits_[bit].cell = 0;
  }

  int stage_of(std::size_t bit) const { return bit == bits_.size() ? T_ : bits_[bit].stage; }
  int stage_of_last(std::size_t bit) const { return bit == 0 ? 0 : stage_of(bit - 1); }

  const std::vector<int>& inputs(int k) const { return inputs_[k]; }
  std::vector<int> readers(int i) const {
    std::vector<int> found;
    for (int k = 0; k < T_; ++k)
      for (const int input : inputs(k))
        if (input == i) found.push_back(k);
    return found;
  }
  std::int64_t m(int i) const { return problem_.tensors[i].size_bytes; }

  // Every row that speaks of stages before `end` alone.
  bool stages_hold(int end) const {
    for (int t = 0; t < end && t < T_; ++t) {
      for (int v = 0; v < T_; ++v)
        for (const int u : inputs(v))
          if (r_[t][v] > r_[t][u] + s_ram_[t][u]) return false;
      for (int i = 0; i < T_; ++i) {
        if (m_in_[t][i] > s_sd_[t][i] || m_out_[t][i] > s_ram_[t][i]) return false;
        if (t + 1 >= end || t + 1 >= T_) continue;
        if (s_ram_[t + 1][i] > s_ram_[t][i] + r_[t][i] + m_in_[t][i]) return false;
        if (s_sd_[t + 1][i] > s_sd_[t][i] + m_out_[t][i]) return false;
      }
      if (t == 0)
        for (int i = 0; i < T_; ++i)
          if (s_ram_[0][i] + s_sd_[0][i] > 0) return false;
    }
    return true;
  }

  int h(int t, int i, int k) const {
    int value = 1 - r_[t][k] + s_ram_[t + 1][i];
    for (const int j : readers(i))
      if (j > k) value += r_[t][j];
    return value;
  }

  bool memory_holds() const {
    for (int t = 0; t < T_; ++t) {
      std::int64_t used = r_[t][0] * m(0);
      for (int i = 0; i < T_; ++i) used += s_ram_[t][i] * m(i);
      if (used > problem_.ram_budget_bytes) return false;
      for (int k = 0; k + 1 < T_ && k < t; ++k) {
        used += r_[t][k + 1] * m(k + 1);
        for (const int i : inputs(k)) used -= h(t, i, k) == 0 ? m(i) : 0;
        if (used > problem_.ram_budget_bytes || used < 0) return false;
      }
    }
    return true;
  }

  bool time_holds() const {
    double time_s = 0;
    for (int t = 0; t < T_; ++t)
      for (int k = 0; k < T_; ++k) time_s += r_[t][k] * problem_.operations[k].compute_s;
    // The rule for time, written out: the library's own (deadline.h) would hide its errors.
    return !problem_.deadline_s || time_s <= *problem_.deadline_s * (1 + 1e-9);
  }

  void take_energy() {
    double energy_j = 0;
    for (int t = 0; t < T_; ++t)
      for (int i = 0; i < T_; ++i)
        energy_j += r_[t][i] * problem_.operations[i].compute_j +
                    m_in_[t][i] * problem_.tensors[i].page_in_j +
                    m_out_[t][i] * problem_.tensors[i].page_out_j;
    if (!least_ || energy_j < *least_) least_ = energy_j;
  }

  const Problem& problem_;
  const int T_;
  Matrix r_, s_ram_, s_sd_, m_in_, m_out_;     // one more stage than there is, all 0
  std::vector<std::vector<int>> inputs_ = {};  // of each operation: who made them
  std::vector<Bit> bits_ = {};                 // stage by stage
  std::optional<double> least_ = {};
};

}  // namespace

std::optional<double> least_released_energy_j(const Problem& problem) {
  return ReleasedOracle(problem).least_energy_j();
}

}  // namespace poet::testing
