#include "advice.h"

#include <array>
#include <utility>

namespace duet::lessons {

namespace {

// What the error holds, and the advice. The first that fits is given.
constexpr std::array<std::pair<const char*, const char*>, 15> advices{{
    {"expected scalar type",
     "data_ptr<T>() and accessor<T, n>() want the tensor's own type: the numbers here are double in most cases (float "
     "in "
     "some), indices are std::int64_t. A tensor's type is x.scalar_type(); at::empty_like(x) takes it over."},
    {"got None", "A tensor was never assigned, or one that may be absent is: ask x.defined() before you use it."},
    {"undefined", "A tensor was never assigned, or one that may be absent is: ask x.defined() before you use it."},
    {"Can only index with tensors that are scalars",
     "x[i] takes a number. For a tensor of indices: x.index_select(0, index), or x.gather(1, index)."},
    {"bincount only supports 1-d", "bincount counts a flat list: give it x.view({-1}), or x.reshape({-1})."},
    {"Expected reduction dim", "There is nothing to take a maximum of: in this case the tensor is empty."},
    {"shapes cannot be multiplied",
     "A weight is [out, in], so rows are multiplied by its transpose: rows.mm(w.t()), or at::linear(rows, w, b)."},
    {"exceeds dimension size",
     "narrow(dim, start, length) takes a start and a length, not a start and an end as a slice in Python does."},
    {"Index tensor must have the same number of dimensions",
     "gather wants an index with as many dimensions as the tensor: argmax(1, /*keepdim=*/true) keeps [T, 1]."},
    {"out of range for tensor", "A loop goes one too far (<= for <), or the index belongs to another dimension."},
    {"non-empty TensorList",
     "There is nothing to join in this case: give an empty tensor of the right shape back instead."},
    {"a Tensor with 1 element", "item<T>() takes the number out of a tensor with one element; this one has others."},
    {"must match the size of tensor",
     "Two tensors of different shapes meet. Print both .sizes(); unsqueeze, or keepdim = true, gives a lost dimension "
     "back."},
    {"waits in send",
     "A send returns only when the other rank receives. Where two ranks both send first, both wait for ever: of each "
     "pair, one must receive first."},
    {"waits in receive",
     "A receive returns only when the other rank sends. Where two ranks both receive first, both wait for ever: of "
     "each "
     "pair, one must send first."},
}};

}  // namespace

std::string advice_for(const std::string& error) {
  for (const auto& [part, advice] : advices) {
    if (error.find(part) != std::string::npos) return advice;
  }
  return "";
}

}  // namespace duet::lessons
