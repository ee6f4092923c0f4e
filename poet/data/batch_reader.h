#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "poet/base/result.h"
#include "poet/data/augmentation.h"
#include "poet/data/dataset.h"
#include "poet/data/part_place.h"

namespace poet {

// The order in which the examples of an epoch come: a permutation of [0, size) for every seed and
// epoch that takes no memory. It is a Feistel network of six rounds on the smallest even number of
// bits that hold size, walked again where it leaves the range (J. Black and P. Rogaway, "Ciphers
// with arbitrary finite domains", CT-RSA 2002); what mixes is Philox 4x32.
class ExampleOrder {
 public:
  ExampleOrder(std::int64_t size, std::uint64_t seed, std::int64_t epoch);

  // Which example comes at a position; both are in [0, size).
  std::int64_t at(std::int64_t position) const;

 private:
  std::uint64_t mixed(std::uint64_t value) const;

  std::uint64_t size_;
  std::uint64_t seed_;
  std::uint64_t epoch_;
  int half_bits_ = 1;
};

// In which order examples come.
enum class ExampleSequence {
  Shuffled,  // every epoch in an order of its own, by seed and epoch
  InOrder,   // as they lie in the data, again and again
};

struct BatchOptions {
  std::int64_t batch_size = 1;
  ExampleSequence sequence = ExampleSequence::Shuffled;
  std::uint64_t seed = 1;
  // Of the first part, pictures; each time they come otherwise.
  Augmentation augmentation = {};
};

// Examples as an endless row, of which every step takes the next ones: epochs follow each other
// without a gap, so that a batch may have the last examples of one and the first of the next. Where
// it stands is one number, and it keeps nothing of the data.
class BatchReader {
 public:
  BatchReader(std::shared_ptr<const Dataset> data, const BatchOptions& options)
      : data_(std::move(data)), options_(options) {}

  const Dataset& data() const { return *data_; }
  const BatchOptions& options() const { return options_; }

  // Which example comes at a position of the endless row.
  std::int64_t example_at(std::int64_t position) const;

  // Writes one part of batch_size examples from a position on, one after the other.
  Failure read(std::int64_t position, std::size_t part, std::span<std::byte> into) const;

  // The same of what goes to one place: a piece of the part, or all of it.
  Failure read(std::int64_t position, const PartPlace& place, std::span<std::byte> into) const;

 private:
  Failure read_example(std::int64_t position, std::size_t part, std::span<std::byte> into) const;

  std::shared_ptr<const Dataset> data_;
  BatchOptions options_;
};

}  // namespace poet
