#pragma once

#include <ClpSimplex.hpp>
#include <CoinMessageHandler.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "poet/solve/linear_backend.h"

namespace poet {

// Clp and Cbc raise their own log level when a last check fails, so a level of 0 alone is not
// silence.
class Silence final : public CoinMessageHandler {
 public:
  Silence() { setLogLevel(0); }
  int print() override { return 0; }
  CoinMessageHandler* clone() const override { return new Silence(*this); }
};

// Puts columns behind those that a simplex has; `entries` as in Relaxation::add_columns.
void add_columns_to(ClpSimplex& simplex, const std::vector<LinearColumn>& columns,
                    const std::vector<std::vector<Relaxation::RowEntry>>& entries);

// A relaxation kept in Clp, from one solve to the next with its basis.
class ClpRelaxation final : public Relaxation {
 public:
  explicit ClpRelaxation(const LinearModel& model);

  void add_columns(const std::vector<LinearColumn>& columns,
                   const std::vector<std::vector<RowEntry>>& entries) override;
  void add_rows(const std::vector<LinearRow>& rows) override;
  void set_column_bounds(std::int32_t column, double lower, double upper) override;
  RelaxationAnswer solve(const Stop& stop) override;
  Basis basis() const override;
  void set_basis(const Basis& basis) override;

  const ClpSimplex& simplex() const { return *simplex_; }

 private:
  bool is_settled() const;
  bool is_proved_infeasible() const;
  RelaxationAnswer answer_without_columns() const;
  void run(const Stop& stop);
  void run_warm();
  void run_first();
  void tidy();
  void run_from_scratch(const Stop& stop);
  RelaxationAnswer read_answer() const;

  Silence silence_ = {};
  // Not deleted once Clp has aborted in it.
  std::unique_ptr<ClpSimplex> simplex_ = std::make_unique<ClpSimplex>();
  bool warm_ = false;
  bool settled_ = false;  // what the last run says can be believed
  std::int64_t iterations_ = 0;
};

}  // namespace poet
