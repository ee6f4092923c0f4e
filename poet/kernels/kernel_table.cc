#include <algorithm>

#include "poet/kernels/binding.h"
#include "poet/kernels/kernel.h"
#include "poet/runtime/batch_norm.h"
#include "poet/runtime/broadcast.h"
#include "poet/runtime/broadcast_sum.h"
#include "poet/runtime/cast.h"
#include "poet/runtime/class_loss.h"
#include "poet/runtime/compare.h"
#include "poet/runtime/concat.h"
#include "poet/runtime/conv.h"
#include "poet/runtime/dropout.h"
#include "poet/runtime/gather.h"
#include "poet/runtime/gradient_norm.h"
#include "poet/runtime/group_norm.h"
#include "poet/runtime/layer_norm.h"
#include "poet/runtime/matmul.h"
#include "poet/runtime/pad.h"
#include "poet/runtime/pointwise_loss.h"
#include "poet/runtime/pool.h"
#include "poet/runtime/reduce.h"
#include "poet/runtime/softmax.h"
#include "poet/runtime/strided_copy.h"
#include "poet/runtime/unary.h"
#include "poet/runtime/update.h"
#include "poet/runtime/weight_update.h"
#include "poet/runtime/where.h"

#define POET_KERNEL(function) (Binding<&(function)>::row(#function))

namespace poet {
namespace {

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> rows{
      // batch_norm.h
      POET_KERNEL(poet_batch_norm_forward_f32),
      POET_KERNEL(poet_batch_norm_gradient_f32),
      POET_KERNEL(poet_batch_norm_inference_forward_f32),
      POET_KERNEL(poet_batch_norm_inference_gradient_f32),
      POET_KERNEL(poet_batch_norm_statistics_update_f32),
      // broadcast.h
      POET_KERNEL(poet_add_forward_f32),
      POET_KERNEL(poet_sub_forward_f32),
      POET_KERNEL(poet_mul_forward_f32),
      POET_KERNEL(poet_div_forward_f32),
      POET_KERNEL(poet_pow_forward_f32),
      POET_KERNEL(poet_max_forward_f32),
      POET_KERNEL(poet_min_forward_f32),
      POET_KERNEL(poet_add_gradient_f32),
      POET_KERNEL(poet_sub_b_gradient_f32),
      POET_KERNEL(poet_mul_gradient_f32),
      POET_KERNEL(poet_div_a_gradient_f32),
      POET_KERNEL(poet_div_b_gradient_f32),
      POET_KERNEL(poet_pow_a_gradient_f32),
      POET_KERNEL(poet_pow_b_gradient_f32),
      POET_KERNEL(poet_max_gradient_f32),
      POET_KERNEL(poet_min_gradient_f32),
      // broadcast_sum.h
      POET_KERNEL(poet_broadcast_sum_forward_f32),
      // cast.h
      POET_KERNEL(poet_cast_forward_f32_to_i32),
      POET_KERNEL(poet_cast_forward_f32_to_i64),
      POET_KERNEL(poet_cast_forward_f32_to_u8),
      POET_KERNEL(poet_cast_forward_f32_to_bool),
      POET_KERNEL(poet_cast_forward_i32_to_f32),
      POET_KERNEL(poet_cast_forward_i64_to_f32),
      POET_KERNEL(poet_cast_forward_u8_to_f32),
      POET_KERNEL(poet_cast_forward_i32_to_i64),
      POET_KERNEL(poet_cast_forward_i64_to_i32),
      // class_loss.h
      POET_KERNEL(poet_softmax_cross_entropy_forward_f32_i32),
      POET_KERNEL(poet_softmax_cross_entropy_forward_f32_i64),
      POET_KERNEL(poet_softmax_cross_entropy_gradient_f32_i32),
      POET_KERNEL(poet_softmax_cross_entropy_gradient_f32_i64),
      POET_KERNEL(poet_negative_log_likelihood_forward_f32_i32),
      POET_KERNEL(poet_negative_log_likelihood_forward_f32_i64),
      POET_KERNEL(poet_negative_log_likelihood_gradient_f32_i32),
      POET_KERNEL(poet_negative_log_likelihood_gradient_f32_i64),
      // compare.h
      POET_KERNEL(poet_equal_forward_f32),
      POET_KERNEL(poet_equal_forward_i64),
      POET_KERNEL(poet_less_forward_f32),
      POET_KERNEL(poet_less_forward_i64),
      POET_KERNEL(poet_less_or_equal_forward_f32),
      POET_KERNEL(poet_less_or_equal_forward_i64),
      POET_KERNEL(poet_greater_forward_f32),
      POET_KERNEL(poet_greater_forward_i64),
      POET_KERNEL(poet_greater_or_equal_forward_f32),
      POET_KERNEL(poet_greater_or_equal_forward_i64),
      POET_KERNEL(poet_and_forward_u8),
      POET_KERNEL(poet_or_forward_u8),
      POET_KERNEL(poet_not_forward_u8),
      // concat.h
      POET_KERNEL(poet_concat2_forward),
      POET_KERNEL(poet_concat8_forward),
      // conv.h
      POET_KERNEL(poet_conv_forward_f32),
      POET_KERNEL(poet_conv_input_gradient_f32),
      POET_KERNEL(poet_conv_weight_gradient_f32),
      POET_KERNEL(poet_conv_bias_gradient_f32),
      // dropout.h
      POET_KERNEL(poet_dropout_forward_f32),
      POET_KERNEL(poet_dropout_gradient_f32),
      // gather.h
      POET_KERNEL(poet_gather_forward_i32),
      POET_KERNEL(poet_gather_forward_i64),
      POET_KERNEL(poet_gather_gradient_f32_i32),
      POET_KERNEL(poet_gather_gradient_f32_i64),
      // gradient_norm.h
      POET_KERNEL(poet_accumulate_forward_f32),
      POET_KERNEL(poet_square_norm_forward_f32),
      POET_KERNEL(poet_partials_forward_f32),
      POET_KERNEL(poet_clip_scale_forward_f32),
      // group_norm.h
      POET_KERNEL(poet_group_norm_forward_f32),
      POET_KERNEL(poet_group_norm_gradient_f32),
      // layer_norm.h
      POET_KERNEL(poet_layer_norm_forward_f32),
      POET_KERNEL(poet_layer_norm_gradient_f32),
      // matmul.h
      POET_KERNEL(poet_matmul_forward_f32),
      // pad.h
      POET_KERNEL(poet_pad_forward_f32),
      POET_KERNEL(poet_pad_gradient_f32),
      // pointwise_loss.h
      POET_KERNEL(poet_squared_error_forward_f32),
      POET_KERNEL(poet_squared_error_gradient_f32),
      POET_KERNEL(poet_binary_cross_entropy_forward_f32),
      POET_KERNEL(poet_binary_cross_entropy_gradient_f32),
      // pool.h
      POET_KERNEL(poet_max_pool_forward_f32),
      POET_KERNEL(poet_max_pool_gradient_f32),
      POET_KERNEL(poet_average_pool_forward_f32),
      POET_KERNEL(poet_average_pool_gradient_f32),
      // reduce.h
      POET_KERNEL(poet_reduce_sum_forward_f32),
      POET_KERNEL(poet_reduce_sum_gradient_f32),
      POET_KERNEL(poet_reduce_mean_forward_f32),
      POET_KERNEL(poet_reduce_mean_gradient_f32),
      POET_KERNEL(poet_reduce_max_forward_f32),
      POET_KERNEL(poet_reduce_max_gradient_f32),
      POET_KERNEL(poet_reduce_min_forward_f32),
      POET_KERNEL(poet_reduce_min_gradient_f32),
      POET_KERNEL(poet_reduce_product_forward_f32),
      POET_KERNEL(poet_reduce_product_gradient_f32),
      POET_KERNEL(poet_reduce_sum_of_squares_forward_f32),
      POET_KERNEL(poet_reduce_sum_of_squares_gradient_f32),
      POET_KERNEL(poet_reduce_l2_forward_f32),
      POET_KERNEL(poet_reduce_l2_gradient_f32),
      POET_KERNEL(poet_reduce_log_sum_exp_forward_f32),
      POET_KERNEL(poet_reduce_log_sum_exp_gradient_f32),
      // softmax.h
      POET_KERNEL(poet_softmax_forward_f32),
      POET_KERNEL(poet_softmax_gradient_f32),
      POET_KERNEL(poet_log_softmax_forward_f32),
      POET_KERNEL(poet_log_softmax_gradient_f32),
      // strided_copy.h
      POET_KERNEL(poet_strided_copy_forward),
      POET_KERNEL(poet_strided_copy_gradient),
      // unary.h
      POET_KERNEL(poet_relu_forward_f32),
      POET_KERNEL(poet_relu_gradient_f32),
      POET_KERNEL(poet_leaky_relu_forward_f32),
      POET_KERNEL(poet_leaky_relu_gradient_f32),
      POET_KERNEL(poet_clip_forward_f32),
      POET_KERNEL(poet_clip_gradient_f32),
      POET_KERNEL(poet_elu_forward_f32),
      POET_KERNEL(poet_elu_gradient_f32),
      POET_KERNEL(poet_abs_forward_f32),
      POET_KERNEL(poet_abs_gradient_f32),
      POET_KERNEL(poet_neg_forward_f32),
      POET_KERNEL(poet_neg_gradient_f32),
      POET_KERNEL(poet_sigmoid_forward_f32),
      POET_KERNEL(poet_sigmoid_gradient_f32),
      POET_KERNEL(poet_tanh_forward_f32),
      POET_KERNEL(poet_tanh_gradient_f32),
      POET_KERNEL(poet_softplus_forward_f32),
      POET_KERNEL(poet_softplus_gradient_f32),
      POET_KERNEL(poet_silu_forward_f32),
      POET_KERNEL(poet_silu_gradient_f32),
      POET_KERNEL(poet_hard_sigmoid_forward_f32),
      POET_KERNEL(poet_hard_sigmoid_gradient_f32),
      POET_KERNEL(poet_hard_swish_forward_f32),
      POET_KERNEL(poet_hard_swish_gradient_f32),
      POET_KERNEL(poet_gelu_erf_forward_f32),
      POET_KERNEL(poet_gelu_erf_gradient_f32),
      POET_KERNEL(poet_gelu_tanh_forward_f32),
      POET_KERNEL(poet_gelu_tanh_gradient_f32),
      POET_KERNEL(poet_erf_forward_f32),
      POET_KERNEL(poet_erf_gradient_f32),
      POET_KERNEL(poet_exp_forward_f32),
      POET_KERNEL(poet_exp_gradient_f32),
      POET_KERNEL(poet_log_forward_f32),
      POET_KERNEL(poet_log_gradient_f32),
      POET_KERNEL(poet_sqrt_forward_f32),
      POET_KERNEL(poet_sqrt_gradient_f32),
      POET_KERNEL(poet_reciprocal_forward_f32),
      POET_KERNEL(poet_reciprocal_gradient_f32),
      POET_KERNEL(poet_sin_forward_f32),
      POET_KERNEL(poet_sin_gradient_f32),
      POET_KERNEL(poet_cos_forward_f32),
      POET_KERNEL(poet_cos_gradient_f32),
      // update.h
      POET_KERNEL(poet_sgd_update_f32),
      POET_KERNEL(poet_velocity_update_f32),
      POET_KERNEL(poet_nesterov_update_f32),
      POET_KERNEL(poet_first_moment_update_f32),
      POET_KERNEL(poet_second_moment_update_f32),
      POET_KERNEL(poet_adam_update_f32),
      // weight_update.h
      POET_KERNEL(poet_conv_weight_update_f32),
      POET_KERNEL(poet_matmul_weight_update_f32),
      // where.h
      POET_KERNEL(poet_where_forward_f32),
      POET_KERNEL(poet_where_a_gradient_f32),
      POET_KERNEL(poet_where_b_gradient_f32),
  };
  std::sort(rows.begin(), rows.end(),
            [](const Kernel& a, const Kernel& b) { return a.name < b.name; });
  return rows;
}

}  // namespace

const std::vector<Kernel>& kernel_table() {
  static const std::vector<Kernel> table = all_kernels();
  return table;
}

const Kernel* find_kernel(std::string_view name) {
  const std::vector<Kernel>& table = kernel_table();
  const auto row = std::lower_bound(
      table.begin(), table.end(), name,
      [](const Kernel& kernel, std::string_view wanted) { return kernel.name < wanted; });
  return row != table.end() && row->name == name ? &*row : nullptr;
}

}  // namespace poet
