#include "poet/graph/attributes.h"

#include <utility>

namespace poet {

Attributes::Attributes() = default;
Attributes::Attributes(const Attributes& other) = default;
Attributes::Attributes(Attributes&& other) noexcept = default;
Attributes& Attributes::operator=(const Attributes& other) = default;
Attributes& Attributes::operator=(Attributes&& other) noexcept = default;
Attributes::~Attributes() = default;

bool Attributes::operator==(const Attributes& other) const {
  return static_cast<const AnyAttributes&>(*this) == static_cast<const AnyAttributes&>(other);
}

template <typename T>
requires kIsAlternative<T, AnyAttributes> Attributes::Attributes(T given)
    : AnyAttributes(std::move(given)) {}

template Attributes::Attributes(std::monostate);
template Attributes::Attributes(ScalarAttributes);
template Attributes::Attributes(MatMulAttributes);
template Attributes::Attributes(WindowAttributes);
template Attributes::Attributes(NormAttributes);
template Attributes::Attributes(RunningAttributes);
template Attributes::Attributes(AxisAttributes);
template Attributes::Attributes(ReduceAttributes);
template Attributes::Attributes(ShapeAttributes);
template Attributes::Attributes(TransposeAttributes);
template Attributes::Attributes(SliceAttributes);
template Attributes::Attributes(PadAttributes);
template Attributes::Attributes(CastAttributes);
template Attributes::Attributes(DropoutAttributes);
template Attributes::Attributes(LossAttributes);
template Attributes::Attributes(UpdateAttributes);
template Attributes::Attributes(WeightUpdateAttributes);
template Attributes::Attributes(RowPartAttributes);
template Attributes::Attributes(ReducePartAttributes);
template Attributes::Attributes(GatherPartAttributes);
template Attributes::Attributes(DropoutPartAttributes);
template Attributes::Attributes(ClassPartAttributes);
template Attributes::Attributes(DecodeAttributes);
template Attributes::Attributes(TopKAttributes);
template Attributes::Attributes(ArgAttributes);
template Attributes::Attributes(GatherNdAttributes);
template Attributes::Attributes(ScatterAttributes);

}  // namespace poet
