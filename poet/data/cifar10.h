#pragma once

#include <memory>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/data/dataset.h"
#include "poet/data/pixel_scale.h"

namespace poet {

// CIFAR-10 in its binary form (A. Krizhevsky, "Learning multiple layers of features from tiny
// images", 2009; www.cs.toronto.edu/~kriz/cifar.html): records of a label and 3 x 32 x 32 pixels,
// red, green, blue, each a byte. Parts: "image" float32 (3, 32, 32), "label" int64 ().
//
// Refuses files that are not whole records, and scales for another number of channels.
Result<std::unique_ptr<Dataset>> open_cifar10(const std::vector<std::string>& paths,
                                              const PixelScale& scale);

}  // namespace poet
