#pragma once

#include "poet/problem/problem.h"
#include "poet/report/chart.h"
#include "poet/report/stage_matrix.h"

namespace poet {

// What lies in RAM and in storage in each stage, one cell per stage (down) and tensor (across), and
// what happens in the stage. Cells of one kind are one path, and neighbours in a column one
// rectangle, which keeps pictures of hundreds of operations small. Beyond kMostCells a side,
// several stages and tensors share a cell.
Chart matrix_chart(const Problem& problem, const StageMatrix& matrix, ChartWidth width);

constexpr std::int64_t kMostCells = 600;

}  // namespace poet
