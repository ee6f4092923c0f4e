#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace poet {

// A C function of poet/runtime behind one signature for all. What it is passed comes in its own
// order: pointers to const, then the others, the last of which may be a workspace.
struct Kernel {
  std::string_view name = {};    // of the C function: "poet_relu_forward_f32"
  std::int32_t shape_bytes = 0;  // of its shape struct, which is made of words of 4 bytes
  int inputs = 0;
  int outputs = 0;  // and the workspace
  void (*call)(const void* shape, const void* const* inputs, void* const* outputs) = nullptr;

  // A C function is known by its name. Of what calls it, a program and a library that it shares
  // may each have a copy.
  bool operator==(const Kernel& other) const { return name == other.name; }
};

// Makes a kernel of a C function by the law of their signatures
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

  static constexpr Kernel named(std::string_view name) {
    return {.name = name,
            .shape_bytes = sizeof(Shape),
            .inputs = input_count(),
            .outputs = static_cast<int>(sizeof...(Pointers)) - input_count(),
            .call = call};
  }
};

// The kernel of a function of poet/runtime, whose header is included.
#define POET_KERNEL(function) (::poet::Binding<&(function)>::named(#function))

}  // namespace poet
