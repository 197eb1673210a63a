#include "train/record_tokens.h"

namespace duet {

std::vector<trace::TokenRoute> record_tokens(const LayerOutput& output, std::int64_t first_token,
                                             trace::DropReason reason) {
  const auto logits = output.routing.logits.detach().to(at::kCPU, at::kFloat).contiguous();
  const auto gate = output.routing.gate.detach().to(at::kCPU, at::kFloat).contiguous();
  const auto expert = output.routing.expert.to(at::kCPU, at::kInt).contiguous();
  const auto dropped = output.plan->position.eq(output.plan->rows()).to(at::kCPU, at::kChar).contiguous();
  const auto experts = logits.size(1);
  const auto k = expert.size(1);
  std::vector<trace::TokenRoute> tokens(static_cast<std::size_t>(logits.size(0)));
  for (std::int64_t t = 0; t < logits.size(0); ++t) {
    auto& token = tokens[static_cast<std::size_t>(t)];
    token.token = first_token + t;
    token.logits.assign(logits.data_ptr<float>() + t * experts, logits.data_ptr<float>() + (t + 1) * experts);
    token.expert.assign(expert.data_ptr<int>() + t * k, expert.data_ptr<int>() + (t + 1) * k);
    token.gate.assign(gate.data_ptr<float>() + t * k, gate.data_ptr<float>() + (t + 1) * k);
    for (std::int64_t j = 0; j < k; ++j) {
      const bool is_dropped = dropped.data_ptr<std::int8_t>()[t * k + j] != 0;
      token.reason.push_back(is_dropped ? reason : trace::DropReason::kept);
    }
  }
  return tokens;
}

}  // namespace duet
