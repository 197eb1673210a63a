#include "tests/oracle/product_parts.h"

#include <nlohmann/json.hpp>

namespace duet::test {

// Found by nlohmann's library by argument-dependent lookup.
void to_json(nlohmann::json& to, const ProductStep& step) {
  to = {step.losses, step.auxes, step.out, step.input_gradient, step.expert, step.kept, step.gradients};
}
void from_json(const nlohmann::json& from, ProductStep& step) {
  from.at(0).get_to(step.losses);
  from.at(1).get_to(step.auxes);
  from.at(2).get_to(step.out);
  from.at(3).get_to(step.input_gradient);
  from.at(4).get_to(step.expert);
  from.at(5).get_to(step.kept);
  from.at(6).get_to(step.gradients);
}

namespace {

template <typename T>
void add(std::vector<T>& sum, const std::vector<T>& part) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = sum[i] + part[i];
}
template <typename T>
void add(std::vector<std::vector<T>>& sum, const std::vector<std::vector<T>>& part) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (sum[i].empty())
      sum[i] = part[i];  // [ranks][losses]: this rank's
    else if (!part[i].empty())
      add(sum[i], part[i]);
  }
}

// What several ranks hold must be the same bits on each.
void join(reference::Parameters& all, const reference::Parameters& part, std::string& differs) {
  for (const auto& [name, values] : part) {
    const auto [there, first] = all.try_emplace(name, values);
    if (!first && there->second != values) differs = name;
  }
}

}  // namespace

ProductRun merged(const std::vector<ProductRun>& parts) {
  auto all = parts.front();
  for (std::size_t rank = 1; rank < parts.size(); ++rank) {
    const auto& part = parts[rank];
    for (std::size_t i = 0; i < all.steps.size(); ++i) {
      auto& step = all.steps[i];
      add(step.losses, part.steps[i].losses);
      add(step.auxes, part.steps[i].auxes);
      add(step.out, part.steps[i].out);
      add(step.input_gradient, part.steps[i].input_gradient);
      add(step.expert, part.steps[i].expert);
      add(step.kept, part.steps[i].kept);
      join(step.gradients, part.steps[i].gradients, all.differs);
    }
    join(all.parameters, part.parameters, all.differs);
  }
  return all;
}

std::string to_bytes(const ProductRun& part) {
  std::string bytes;
  nlohmann::json::to_cbor(nlohmann::json{part.steps, part.parameters}, bytes);
  return bytes;
}

ProductRun part_from(const std::string& bytes) {
  const auto json = nlohmann::json::from_cbor(bytes);
  return {.steps = json.at(0).get<std::vector<ProductStep>>(),
          .parameters = json.at(1).get<reference::Parameters>(),
          .differs = {}};
}

}  // namespace duet::test
