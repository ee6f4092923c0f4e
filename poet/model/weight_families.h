#pragma once

#include <string>
#include <vector>

#include "poet/model/weight_names.h"
#include "poet/model/zoo/diffusion.h"

namespace poet {

// How weights of networks for pictures are published, by family (weight_names.h).
WeightFamily vit_family();
WeightFamily convnext_family();
WeightFamily mobilevit_family();
WeightFamily efficientnet_family();
WeightFamily diffusion_family(const DiffusionSize& size);

// Rows for query, key and value where these lie in one tensor of theirs.
void add_query_key_value(std::vector<WeightRow>& rows, const std::string& theirs,
                         const std::string& ours, const std::string& end, WeightLayout layout);

}  // namespace poet
