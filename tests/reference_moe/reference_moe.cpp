#include "tests/reference_moe/reference_moe.h"

#include <algorithm>
#include <cmath>

namespace duet::reference {

namespace {

using Values = std::vector<double>;

// One batch on its way through the layer and back. Indexes are signed so that they read as on paper.
class Layer {
 public:
  Layer(const Parameters& parameters, const Batch& batch, const Rules& rules)
      : parameters_(parameters), batch_(batch), rules_(rules) {
    for (const auto tokens : batch.shard_tokens) tokens_ += tokens;
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    probs_.resize(size(tokens_ * rules.experts));
    grad_probs_.resize(probs_.size());
    result_.out.resize(size(tokens_ * rules.dim));
    result_.input_gradient.resize(result_.out.size());
    result_.expert.resize(size(tokens_ * rules.top_k));
    result_.gate.resize(result_.expert.size());
    result_.kept.resize(result_.expert.size());
    result_.counts.resize(size(rules.experts));
    for (const auto& [name, values] : parameters) result_.gradients[name].resize(values.size());
  }

  Result run() {
    for (std::int64_t t = 0; t < tokens_; ++t) route(t);
    std::int64_t first = 0;
    for (const auto tokens : batch_.shard_tokens) {
      const auto counts = keep(first, tokens);
      balance(first, tokens, counts);
      first += tokens;
    }
    for (std::int64_t t = 0; t < tokens_; ++t) combine(t);
    for (std::int64_t t = 0; t < tokens_; ++t) back(t);
    return result_;
  }

 private:
  template <typename T>
  static auto& at(T& values, std::int64_t i) {
    return values[static_cast<std::size_t>(i)];
  }
  const Values& value(const std::string& name) const { return parameters_.at(name); }
  Values& gradient(const std::string& name) { return result_.gradients.at(name); }
  static std::string expert_name(std::int64_t e) { return "expert." + std::to_string(e) + "."; }
  double x(std::int64_t t, std::int64_t d) const { return at(batch_.x, t * rules_.dim + d); }
  double& prob(std::int64_t t, std::int64_t e) { return at(probs_, t * rules_.experts + e); }

  void route(std::int64_t t) {
    Values logits;
    for (std::int64_t e = 0; e < rules_.experts; ++e) {
      double logit = at(value("router.bias"), e);
      for (std::int64_t d = 0; d < rules_.dim; ++d) logit += at(value("router.weight"), e * rules_.dim + d) * x(t, d);
      logits.push_back(logit);
    }
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const double logit : logits) sum += std::exp(logit - largest);
    for (std::int64_t e = 0; e < rules_.experts; ++e) prob(t, e) = std::exp(at(logits, e) - largest) / sum;
    choose(t);
  }

  void choose(std::int64_t t) {
    std::vector<bool> taken(static_cast<std::size_t>(rules_.experts));
    const auto best = [&] {
      std::int64_t found = -1;
      for (std::int64_t e = 0; e < rules_.experts; ++e) {
        if (!taken[static_cast<std::size_t>(e)] && (found < 0 || prob(t, e) > prob(t, found)))
          found = e;  // ties: the lowest stays
      }
      return found;
    };
    double chosen = 0;
    for (std::int64_t j = 0; j < rules_.top_k; ++j) {
      const auto e = best();
      taken[static_cast<std::size_t>(e)] = true;
      at(result_.expert, t * rules_.top_k + j) = e;
      at(result_.gate, t * rules_.top_k + j) = prob(t, e);
      chosen += prob(t, e);
    }
    if (const auto next = best(); next >= 0) {
      const auto last = at(result_.expert, t * rules_.top_k + rules_.top_k - 1);
      result_.smallest_margin = std::min(result_.smallest_margin, prob(t, last) - prob(t, next));
    }
    if (!rules_.renormalize) return;
    for (std::int64_t j = 0; j < rules_.top_k; ++j) at(result_.gate, t * rules_.top_k + j) /= chosen;
  }

  std::vector<std::int64_t> keep(std::int64_t first, std::int64_t tokens) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(rules_.experts));
    const auto numerator = rules_.capacity_numerator * rules_.top_k * tokens;
    const auto denominator = rules_.capacity_denominator * rules_.experts;
    const auto limit = (numerator + denominator - 1) / denominator;
    for (std::int64_t pair = first * rules_.top_k; pair < (first + tokens) * rules_.top_k; ++pair) {
      const auto e = at(result_.expert, pair);
      result_.kept[static_cast<std::size_t>(pair)] = rules_.capacity_numerator == 0 || at(counts, e) < limit;
      ++at(counts, e);
      ++at(result_.counts, e);
    }
    return counts;
  }

  // The auxiliary loss of a shard, and its gradient for the shard's probabilities.
  void balance(std::int64_t first, std::int64_t tokens, const std::vector<std::int64_t>& counts) {
    const auto shards = static_cast<double>(batch_.shard_tokens.size());
    const auto experts = static_cast<double>(rules_.experts);
    const double pairs = static_cast<double>(tokens * rules_.top_k);
    Values slope(counts.size());
    double value = 0;
    if (rules_.aux == "switch" && tokens > 0) {
      for (std::int64_t e = 0; e < rules_.experts; ++e) {
        const double share = static_cast<double>(at(counts, e)) / pairs;
        double mean_prob = 0;
        for (std::int64_t t = first; t < first + tokens; ++t) mean_prob += prob(t, e) / static_cast<double>(tokens);
        value += experts * share * mean_prob;
        at(slope, e) = experts * share / static_cast<double>(tokens);
      }
    } else if (rules_.aux != "none" && rules_.aux != "switch" && rules_.experts > 1 && tokens > 0) {
      const double degrees = rules_.aux == "std_population" ? experts : experts - 1;
      const double mean = pairs / experts;
      double squares = 0;
      for (const auto n : counts) squares += (static_cast<double>(n) - mean) * (static_cast<double>(n) - mean);
      const double scale = rules_.aux == "cv" ? mean : 1;
      const double deviation = std::sqrt(squares / degrees);
      value = deviation / scale;
      for (std::int64_t e = 0; e < rules_.experts && deviation > 0; ++e) {
        at(slope, e) = (static_cast<double>(at(counts, e)) - mean) / (degrees * deviation) / scale;
      }
    }
    result_.aux += value / shards;
    for (std::int64_t t = first; t < first + tokens; ++t) {
      for (std::int64_t e = 0; e < rules_.experts; ++e) {
        at(grad_probs_, t * rules_.experts + e) += rules_.aux_weight * at(slope, e) / shards;
      }
    }
  }

  Values hidden(std::int64_t t, std::int64_t e) const {
    Values h;
    for (std::int64_t i = 0; i < rules_.hidden; ++i) {
      double sum = at(value(expert_name(e) + "b1"), i);
      for (std::int64_t d = 0; d < rules_.dim; ++d)
        sum += at(value(expert_name(e) + "w1"), i * rules_.dim + d) * x(t, d);
      h.push_back(std::max(sum, 0.0));
    }
    return h;
  }

  Values output(const Values& h, std::int64_t e) const {
    Values y;
    for (std::int64_t d = 0; d < rules_.dim; ++d) {
      double sum = at(value(expert_name(e) + "b2"), d);
      for (std::int64_t i = 0; i < rules_.hidden; ++i)
        sum += at(value(expert_name(e) + "w2"), d * rules_.hidden + i) * at(h, i);
      y.push_back(sum);
    }
    return y;
  }

  void combine(std::int64_t t) {
    for (std::int64_t j = 0; j < rules_.top_k; ++j) {
      const auto pair = t * rules_.top_k + j;
      if (!result_.kept[static_cast<std::size_t>(pair)]) continue;
      const auto e = at(result_.expert, pair);
      const auto y = output(hidden(t, e), e);
      for (std::int64_t d = 0; d < rules_.dim; ++d)
        at(result_.out, t * rules_.dim + d) += at(result_.gate, pair) * at(y, d);
    }
    for (std::int64_t d = 0; d < rules_.dim; ++d) {
      const double error = at(result_.out, t * rules_.dim + d) - at(batch_.target, t * rules_.dim + d);
      result_.mse += error * error / static_cast<double>(tokens_ * rules_.dim);
    }
  }

  double grad_out(std::int64_t t, std::int64_t d) const {
    const auto i = t * rules_.dim + d;
    return 2 * (at(result_.out, i) - at(batch_.target, i)) / static_cast<double>(tokens_ * rules_.dim);
  }

  void back(std::int64_t t) {
    Values grad_gate(static_cast<std::size_t>(rules_.top_k));
    for (std::int64_t j = 0; j < rules_.top_k; ++j) {
      const auto pair = t * rules_.top_k + j;
      if (result_.kept[static_cast<std::size_t>(pair)])
        at(grad_gate, j) = back_expert(t, at(result_.expert, pair), at(result_.gate, pair));
    }
    back_gate(t, grad_gate);
    back_router(t);
  }

  // The gradients of expert e for token t, and of its input; returns the gate's.
  double back_expert(std::int64_t t, std::int64_t e, double gate) {
    const auto h = hidden(t, e);
    const auto y = output(h, e);
    const auto name = expert_name(e);
    Values grad_h(h.size());
    double grad_gate = 0;
    for (std::int64_t d = 0; d < rules_.dim; ++d) {
      grad_gate += grad_out(t, d) * at(y, d);
      const double grad_y = gate * grad_out(t, d);
      at(gradient(name + "b2"), d) += grad_y;
      for (std::int64_t i = 0; i < rules_.hidden; ++i) {
        at(gradient(name + "w2"), d * rules_.hidden + i) += grad_y * at(h, i);
        at(grad_h, i) += grad_y * at(value(name + "w2"), d * rules_.hidden + i);
      }
    }
    for (std::int64_t i = 0; i < rules_.hidden; ++i) {
      if (at(h, i) <= 0) continue;  // ReLU's gradient at 0 is 0
      at(gradient(name + "b1"), i) += at(grad_h, i);
      for (std::int64_t d = 0; d < rules_.dim; ++d) {
        at(gradient(name + "w1"), i * rules_.dim + d) += at(grad_h, i) * x(t, d);
        at(result_.input_gradient, t * rules_.dim + d) += at(grad_h, i) * at(value(name + "w1"), i * rules_.dim + d);
      }
    }
    return grad_gate;
  }

  // A renormalised gate g_j = p_j / S has d p_j = (d g_j - sum_i d g_i g_i) / S.
  void back_gate(std::int64_t t, const Values& grad_gate) {
    double chosen = 1, weighted = 0;
    if (rules_.renormalize) {
      chosen = 0;
      for (std::int64_t j = 0; j < rules_.top_k; ++j) {
        chosen += prob(t, at(result_.expert, t * rules_.top_k + j));
        weighted += at(grad_gate, j) * at(result_.gate, t * rules_.top_k + j);
      }
    }
    for (std::int64_t j = 0; j < rules_.top_k; ++j) {
      const auto e = at(result_.expert, t * rules_.top_k + j);
      at(grad_probs_, t * rules_.experts + e) += (at(grad_gate, j) - weighted) / chosen;
    }
  }

  void back_router(std::int64_t t) {
    double mean = 0;
    for (std::int64_t e = 0; e < rules_.experts; ++e) mean += at(grad_probs_, t * rules_.experts + e) * prob(t, e);
    for (std::int64_t e = 0; e < rules_.experts; ++e) {
      const double grad_logit = prob(t, e) * (at(grad_probs_, t * rules_.experts + e) - mean);
      at(gradient("router.bias"), e) += grad_logit;
      for (std::int64_t d = 0; d < rules_.dim; ++d) {
        at(gradient("router.weight"), e * rules_.dim + d) += grad_logit * x(t, d);
        at(result_.input_gradient, t * rules_.dim + d) += grad_logit * at(value("router.weight"), e * rules_.dim + d);
      }
    }
  }

  const Parameters& parameters_;
  const Batch& batch_;
  const Rules& rules_;
  std::int64_t tokens_ = 0;
  Values probs_, grad_probs_;  ///< [T, E]
  Result result_;
};

}  // namespace

Result forward_backward(const Parameters& parameters, const Batch& batch, const Rules& rules) {
  return Layer(parameters, batch, rules).run();
}

}  // namespace duet::reference
