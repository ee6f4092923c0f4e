#include <cmath>

#include "poet/model/pattern_view.h"
#include "poet/model/recognise.h"

// D. Hendrycks and K. Gimpel, "Gaussian error linear units" (2016): x / 2 (1 + erf(x / sqrt 2)), or
// with tanh(sqrt(2 / pi) (x + 0.044715 x^3)) in place of erf(...). Exporters write the factors in
// any order.

namespace poet {
namespace {

constexpr double kRootOfTwo = 1.4142135623730951;
constexpr double kRootOfTwoOverPi = 0.7978845608028654;
constexpr double kCubic = 0.044715;

// Takes one constant out of the list that is that number.
bool take_number(const PatternView& view, std::vector<TensorId>& list, double number) {
  for (const TensorId tensor : list)
    if (view.is_number(tensor, number)) return take_out(list, tensor);
  return false;
}

// The u of 1 + f(u), f being erf or tanh; nothing where it is something else.
std::optional<TensorId> argument(const PatternView& view, TensorId sum, Operator kind) {
  const GraphOperation* const add = view.private_maker(sum, Operator::Add);
  if (add == nullptr) return std::nullopt;
  for (const TensorId term : add->inputs) {
    const GraphOperation* const function = view.private_maker(term, kind);
    const std::optional<TensorId> one = other_input(*add, term);
    if (function != nullptr && one && view.is_number(*one, 1)) return function->inputs[0];
  }
  return std::nullopt;
}

// u = x / sqrt 2
bool is_scaled(const PatternView& view, TensorId u, TensorId x) {
  if (!view.is_read_once(u)) return false;
  if (const GraphOperation* const div = view.maker(u, Operator::Div))
    return div->inputs[0] == x && view.is_number(div->inputs[1], kRootOfTwo);
  std::vector<TensorId> factors = view.factors(u);
  return take_out(factors, x) && take_number(view, factors, 1 / kRootOfTwo) && factors.empty();
}

// x^exponent as a product of x, or a power, times the numbers that are left in the list.
bool take_power(const PatternView& view, std::vector<TensorId>& factors, TensorId x, int exponent) {
  for (const TensorId factor : factors) {
    const GraphOperation* const pow = view.private_maker(factor, Operator::Pow);
    if (pow != nullptr && pow->inputs[0] == x && view.is_number(pow->inputs[1], exponent))
      return take_out(factors, factor);
  }
  for (int i = 0; i < exponent; ++i)
    if (!take_out(factors, x)) return false;
  return true;
}

bool is_cubic_term(const PatternView& view, TensorId term, TensorId x, int exponent) {
  if (!view.is_read_once(term)) return false;
  std::vector<TensorId> factors = view.factors(term);
  return take_number(view, factors, kCubic) && take_power(view, factors, x, exponent) &&
         factors.empty();
}

// u = sqrt(2 / pi) (x + 0.044715 x^3), or sqrt(2 / pi) x (1 + 0.044715 x^2)
bool is_cubic(const PatternView& view, TensorId u, TensorId x) {
  if (!view.is_read_once(u)) return false;
  std::vector<TensorId> factors = view.factors(u);
  if (!take_number(view, factors, kRootOfTwoOverPi)) return false;
  const bool x_outside = factors.size() == 2 && take_out(factors, x);
  if (factors.size() != 1) return false;
  const GraphOperation* const add = view.private_maker(factors[0], Operator::Add);
  if (add == nullptr) return false;
  for (const TensorId term : add->inputs) {
    const std::optional<TensorId> other = other_input(*add, term);
    const bool first_fits = other && (x_outside ? view.is_number(*other, 1) : *other == x);
    if (first_fits && is_cubic_term(view, term, x, x_outside ? 2 : 3)) return true;
  }
  return false;
}

// The x and kind of the GELU that the product is.
struct Gelu {
  Operator kind;
  TensorId x;
};

std::optional<Gelu> gelu_of(const PatternView& view, TensorId product) {
  std::vector<TensorId> factors = view.factors(product);
  if (factors.size() != 3 || !take_number(view, factors, 0.5)) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    const TensorId x = factors[1 - i];
    const std::optional<TensorId> of_erf = argument(view, factors[i], Operator::Erf);
    if (of_erf && is_scaled(view, *of_erf, x)) return Gelu{Operator::GeluErf, x};
    const std::optional<TensorId> of_tanh = argument(view, factors[i], Operator::Tanh);
    if (of_tanh && is_cubic(view, *of_tanh, x)) return Gelu{Operator::GeluTanh, x};
  }
  return std::nullopt;
}

}  // namespace

bool recognise_gelu(Model& model) {
  const PatternView view(model);
  std::vector<std::pair<std::size_t, Gelu>> found;
  for (std::size_t i = 0; i < model.graph.operations.size(); ++i) {
    const GraphOperation& operation = model.graph.operations[i];
    if (operation.kind != Operator::Mul) continue;
    const std::optional<Gelu> gelu = gelu_of(view, operation.outputs[0]);
    // A constant may have more dimensions than x.
    if (gelu && view.shape(gelu->x) == view.shape(operation.outputs[0]))
      found.emplace_back(i, *gelu);
  }
  for (const auto& [place, gelu] : found) {
    GraphOperation& operation = model.graph.operations[place];
    operation.kind = gelu.kind;
    operation.inputs = {gelu.x};
  }
  return !found.empty();
}

}  // namespace poet
