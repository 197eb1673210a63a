#include <algorithm>
#include <cmath>

#include "tests/reference_moe/layer_state.h"

namespace duet::reference {

namespace {

std::string name_of(std::int64_t e, const char* parameter) { return "expert." + std::to_string(e) + "." + parameter; }

// weight [R, C] times row [C].
Values times(const Values& weight, const Values& row) {
  Values product(weight.size() / row.size());
  for (std::size_t r = 0; r < product.size(); ++r) {
    for (std::size_t c = 0; c < row.size(); ++c) product[r] += weight[r * row.size() + c] * row[c];
  }
  return product;
}

// The way back through `times`: adds the weight's gradient, and gives the row's.
Values times_back(const Values& weight, const Values& row, const Values& grad, Values& grad_weight) {
  Values grad_row(row.size());
  for (std::size_t r = 0; r < grad.size(); ++r) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      grad_weight[r * row.size() + c] += grad[r] * row[c];
      grad_row[c] += grad[r] * weight[r * row.size() + c];
    }
  }
  return grad_row;
}

void add(Values& sum, const Values& more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

// h = max(0, w1 x + b1).
Values relu_hidden(const LayerState& layer, std::int64_t e, const Values& row) {
  auto h = times(layer.value(name_of(e, "w1")), row);
  add(h, layer.value(name_of(e, "b1")));
  for (auto& value : h) value = std::max(0.0, value);
  return h;
}

Values relu_back(const LayerState& layer, std::int64_t e, const Values& row, const Values& grad_y) {
  const auto h = relu_hidden(layer, e, row);
  add(layer.gradient(name_of(e, "b2")), grad_y);
  auto grad_h = times_back(layer.value(name_of(e, "w2")), h, grad_y, layer.gradient(name_of(e, "w2")));
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (h[i] <= 0) grad_h[i] = 0;  // ReLU's gradient at 0 is 0
  }
  add(layer.gradient(name_of(e, "b1")), grad_h);
  return times_back(layer.value(name_of(e, "w1")), row, grad_h, layer.gradient(name_of(e, "w1")));
}

// y = w2 (silu(a) * b), a = w1 x, b = w3 x, silu(a) = a sigmoid(a).
Values swiglu_back(const LayerState& layer, std::int64_t e, const Values& row, const Values& grad_y) {
  const auto& w1 = layer.value(name_of(e, "w1"));
  const auto& w3 = layer.value(name_of(e, "w3"));
  const auto a = times(w1, row), b = times(w3, row);
  auto h = a;
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = a[i] * sigmoid(a[i]) * b[i];
  const auto grad_h = times_back(layer.value(name_of(e, "w2")), h, grad_y, layer.gradient(name_of(e, "w2")));
  auto grad_a = grad_h, grad_b = grad_h;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double s = sigmoid(a[i]);
    grad_b[i] = grad_h[i] * a[i] * s;
    grad_a[i] = grad_h[i] * b[i] * (s + a[i] * s * (1 - s));
  }
  auto grad_row = times_back(w1, row, grad_a, layer.gradient(name_of(e, "w1")));
  add(grad_row, times_back(w3, row, grad_b, layer.gradient(name_of(e, "w3"))));
  return grad_row;
}

}  // namespace

Values expert_output(const LayerState& layer, std::int64_t e, const Values& row) {
  if (layer.rules.swiglu) {
    auto h = times(layer.value(name_of(e, "w1")), row);
    const auto b = times(layer.value(name_of(e, "w3")), row);
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = h[i] * sigmoid(h[i]) * b[i];
    return times(layer.value(name_of(e, "w2")), h);
  }
  auto y = times(layer.value(name_of(e, "w2")), relu_hidden(layer, e, row));
  add(y, layer.value(name_of(e, "b2")));
  return y;
}

Values expert_back(const LayerState& layer, std::int64_t e, const Values& row, const Values& grad_y) {
  return layer.rules.swiglu ? swiglu_back(layer, e, row, grad_y) : relu_back(layer, e, row, grad_y);
}

}  // namespace duet::reference
