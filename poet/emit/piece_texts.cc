#include "poet/emit/piece_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "poet/base/check.h"

namespace poet {
namespace {

bool is_cut(const std::vector<HomePiece>& pieces, const Shape& whole, std::size_t dimension) {
  return std::any_of(pieces.begin(), pieces.end(), [&](const HomePiece& piece) {
    return piece.values[dimension].extent() != whole[dimension];
  });
}

// The same with as few axes as the cuts need: what nobody cuts becomes part of a value, or of the
// axis before it.
struct MergedAxes {
  std::int64_t value_bytes = 1;
  Shape whole = {};
  std::vector<HomePiece> pieces = {};
};

MergedAxes merged(const TensorType& whole, const std::vector<HomePiece>& pieces) {
  MergedAxes result{.value_bytes = byte_size(whole.element), .whole = {}, .pieces = pieces};
  std::size_t end = whole.shape.size();
  for (; end > 0 && !is_cut(pieces, whole.shape, end - 1); --end)
    result.value_bytes *= whole.shape[end - 1];
  for (HomePiece& piece : result.pieces) piece.values.clear();
  for (std::size_t d = 0; d < end; ++d) {
    const bool joins = d > 0 && !is_cut(pieces, whole.shape, d);
    if (joins)
      result.whole.back() *= whole.shape[d];
    else
      result.whole.push_back(whole.shape[d]);
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      std::vector<Range>& values = result.pieces[k].values;
      if (!joins) {
        values.push_back(pieces[k].values[d]);
        continue;
      }
      values.back().begin *= whole.shape[d];
      values.back().end *= whole.shape[d];
    }
  }
  return result;
}

// As who reads it will.
std::int64_t bytes_of_walk(const StepCodes& codes, std::size_t begin) {
  poet_whole_walk walk;
  poet_whole_run run;
  std::int64_t bytes = 0;
  poet_whole_begin(&walk, codes.bytes().data() + begin);
  while (poet_whole_next(&walk, &run) != 0) bytes += run.bytes;
  return bytes;
}

}  // namespace

std::string piece_fields(const TensorPiece& piece) {
  const Shape& whole = piece.type.shape;
  const std::int64_t size = byte_size(piece.type.element);
  std::vector<RunOfValues> runs;
  for_each_run(whole, piece.values, [&runs](const RunOfValues& run) { runs.push_back(run); });
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> steps;
  std::int64_t in_a_run = runs.front().count;
  std::int64_t step = size;
  for (std::size_t d = whole.size(); d > 0; --d) {
    const std::int64_t extent = piece.values[d - 1].extent();
    if (in_a_run > 1)
      in_a_run /= extent;
    else if (extent > 1) {
      counts.insert(counts.begin(), extent);
      steps.insert(steps.begin(), step);
    }
    step *= whole[d - 1];
  }
  std::string loops;
  if (!counts.empty())
    loops = fmt::format(", .counts = {{{}u}}, .steps = {{{}u}}", fmt::join(counts, "u, "),
                        fmt::join(steps, "u, "));
  return fmt::format(".first = {}u, .run_bytes = {}u, .runs = {}u, .axes = {}u{}",
                     runs.front().in_whole * size, runs.front().count * size, runs.size(),
                     counts.size(), loops);
}

void add_whole(const TensorType& whole, const std::vector<HomePiece>& pieces, StepCodes& codes) {
  const std::size_t begin = codes.bytes().size();
  const MergedAxes axes = merged(whole, pieces);
  codes.add_number(static_cast<std::int64_t>(axes.whole.size()));
  codes.add_number(axes.value_bytes);
  for (const std::int64_t extent : axes.whole) codes.add_number(extent);
  codes.add_number(static_cast<std::int64_t>(axes.pieces.size()));
  for (const HomePiece& piece : axes.pieces) {
    for (const Range& range : piece.values) codes.add_number(range.begin);
    for (const Range& range : piece.values) codes.add_number(range.extent());
    codes.add_number(4 * piece.place + piece.space);
  }
  POET_CHECK(bytes_of_walk(codes, begin) == size_bytes(whole));
}

}  // namespace poet
