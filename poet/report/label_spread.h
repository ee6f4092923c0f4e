#pragma once

#include <vector>

namespace poet {

// Where labels `distance` apart may stand so that none covers another, each as near to `wanted`
// (ascending) as that allows within [least, most]: the sum of the squares of the distances moved is
// the smallest. More labels than fit stand closer.
std::vector<double> spread_labels(const std::vector<double>& wanted, double distance, double least,
                                  double most);

}  // namespace poet
