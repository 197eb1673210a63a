#include "comm/tensor_rows.h"

#include <fmt/format.h>

#include "core/error.h"

namespace duet::comm {

namespace {

[[noreturn]] void refuse(std::string_view operation, std::string what, std::string fix) {
  throw InputError({.what = std::move(what), .where = std::string(operation), .usually = {}, .fix = std::move(fix)});
}

DType dtype_of(const at::Tensor& tensor, std::string_view operation) {
  switch (tensor.scalar_type()) {
    case at::kByte:
      return DType::u8;
    case at::kLong:
      return DType::i64;
    case at::kFloat:
      return DType::f32;
    case at::kDouble:
      return DType::f64;
    default:
      refuse(operation, fmt::format("{} tensors cannot change ranks", c10::toString(tensor.scalar_type())),
             "convert to uint8, int64, float32 or float64 first, with .to(at::kLong) for one");
  }
}

}  // namespace

Rows writable_rows_of(const at::Tensor& tensor, std::string_view operation) {
  if (!tensor.defined()) refuse(operation, "the tensor is undefined", "make it before it is sent or received into");
  const auto dtype = dtype_of(tensor, operation);
  if (!tensor.is_cpu() && !tensor.is_cuda()) {
    refuse(operation, fmt::format("the tensor is on {}, where no transport reads", tensor.device().str()),
           "move it with .to(at::kCPU)");
  }
  if (!tensor.is_contiguous()) {
    refuse(operation, "the tensor is not contiguous: its rows do not lie one after the other in memory",
           "call .contiguous() on what is sent; receive into a tensor of at::empty");
  }
  std::int64_t row_elements = 1;
  for (std::int64_t dim = 1; dim < tensor.dim(); ++dim) row_elements *= tensor.size(dim);
  return {{static_cast<std::byte*>(tensor.data_ptr()), tensor.nbytes()}, dtype, row_elements};
}

ConstRows rows_of(const at::Tensor& tensor, std::string_view operation) { return writable_rows_of(tensor, operation); }

}  // namespace duet::comm
