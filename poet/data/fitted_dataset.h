#pragma once

#include <memory>
#include <vector>

#include "poet/base/result.h"
#include "poet/data/dataset.h"

namespace poet {

// The same examples with the parts that a network wants, in that order: of the same name, or, where
// names say nothing, in the same place of the order. Token types that the data do not have are 0,
// attention masks 1. Values are checked against the limit of the part that is wanted when they are
// read.
//
// Refuses data that lack a part or have another number of values or another kind of them in it;
// extents of 1 make no difference.
Result<std::unique_ptr<Dataset>> fitted_dataset(std::unique_ptr<Dataset> data,
                                                const std::vector<ExamplePart>& wanted);

// Examples [begin, end) of a dataset that stays where it is.
std::unique_ptr<Dataset> dataset_range(std::shared_ptr<const Dataset> data, std::int64_t begin,
                                       std::int64_t end);

}  // namespace poet
