#include "values.h"

#include <algorithm>

namespace duet::lessons {

at::Tensor table(const std::vector<std::vector<double>>& rows) {
  const auto columns = rows.empty() ? 0 : std::ssize(rows.front());
  auto tensor = at::empty({std::ssize(rows), columns}, at::kDouble);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), tensor.data_ptr<double>() + static_cast<std::int64_t>(i) * columns);
  }
  return tensor;
}

at::Tensor number(std::int64_t value) { return at::full({}, value, at::kLong); }

at::Tensor list(const std::vector<std::int64_t>& values) {
  auto tensor = at::empty({static_cast<std::int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), tensor.data_ptr<std::int64_t>());
  return tensor;
}

std::int64_t number_in(const Values& values, const std::string& name) { return values.at(name).item<std::int64_t>(); }

std::vector<std::int64_t> list_in(const Values& values, const std::string& name) {
  const auto tensor = values.at(name).to(at::kLong).contiguous();
  return {tensor.data_ptr<std::int64_t>(), tensor.data_ptr<std::int64_t>() + tensor.numel()};
}

}  // namespace duet::lessons
