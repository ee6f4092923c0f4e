#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "poet/kernels/kernel.h"

namespace poet {

// Makes a row of the kernel table of a C function by the law of their signatures
// (docs/decisions/0011-reference-kernels.md): the shape, inputs as pointers to const, outputs and
// workspace as pointers to what may be written.
template <auto function>
struct Binding;

template <typename Shape, typename... Pointers, void (*function)(const Shape*, Pointers...)>
struct Binding<function> {
  static_assert((std::is_pointer_v<Pointers> && ...));
  static_assert(sizeof(Shape) % sizeof(std::uint32_t) == 0 && alignof(Shape) == 4);

  template <typename Pointer>
  static constexpr bool is_input = std::is_const_v<std::remove_pointer_t<Pointer>>;

  static constexpr int input_count() { return (0 + ... + (is_input<Pointers> ? 1 : 0)); }

  static constexpr bool inputs_come_first() {
    int position = 0;
    bool in_order = true;
    ((in_order = in_order && is_input<Pointers> == (position++ < input_count())), ...);
    return in_order;
  }
  static_assert(inputs_come_first());

  template <typename Pointer>
  static Pointer pointer(std::size_t position, const void* const* inputs, void* const* outputs) {
    if constexpr (is_input<Pointer>)
      return static_cast<Pointer>(inputs[position]);
    else
      return static_cast<Pointer>(outputs[position - input_count()]);
  }

  template <std::size_t... positions>
  static void call_with(const void* shape, const void* const* inputs, void* const* outputs,
                        std::index_sequence<positions...>) {
    function(static_cast<const Shape*>(shape), pointer<Pointers>(positions, inputs, outputs)...);
  }

  static void call(const void* shape, const void* const* inputs, void* const* outputs) {
    call_with(shape, inputs, outputs, std::index_sequence_for<Pointers...>());
  }

  static constexpr Kernel row(std::string_view name) {
    return {.name = name,
            .shape_bytes = sizeof(Shape),
            .inputs = input_count(),
            .outputs = static_cast<int>(sizeof...(Pointers)) - input_count(),
            .call = call};
  }
};

}  // namespace poet
