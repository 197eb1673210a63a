// A step of expert parallelism against its limit: the matrix products and copies alone, on buffers that are there.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bench/flags.h"
#include "core/clock.h"
#include "core/tensor.h"
#include "trace/breakdown.h"
#include "train/ranks.h"
#include "train/train_run.h"

namespace duet {

namespace {

/// The same products as one rank's step on `tokens` rows: forward, and two of the same size in backward.
class Limit {
 public:
  Limit(const ModelConfig& model, std::int64_t tokens)
      : rows_(at::zeros({tokens, model.dim})),
        hidden_(at::zeros({tokens, model.hidden})),
        logits_(at::zeros({tokens, model.experts})),
        w1_(at::zeros({model.hidden, model.dim})),
        w2_(at::zeros({model.dim, model.hidden})),
        router_(at::zeros({model.experts, model.dim})),
        moved_(at::zeros({tokens, model.dim})) {}

  void run() {
    product(rows_, router_, logits_);
    product(rows_, w1_, hidden_);
    product(hidden_, w2_, rows_);
    for (int exchange = 0; exchange < 4; ++exchange) moved_.copy_(rows_);  // dispatch, combine, and their gradients
  }

 private:
  static void product(const at::Tensor& in, at::Tensor& weight, at::Tensor& out) {
    at::mm_out(out, in, weight.t());
    at::mm_out(weight, out.t(), in);
    auto grad_in = in;
    at::mm_out(grad_in, out, weight);
  }

  at::Tensor rows_, hidden_, logits_, w1_, w2_, router_, moved_;
};

// The slowest rank's fastest round, in microseconds; all ranks run at once, as in the step.
double limit_us(const RunConfig& config) {
  std::vector<double> fastest(static_cast<std::size_t>(config.layout.ranks), std::numeric_limits<double>::infinity());
  run_on_ranks(config, [&](comm::Communicator& world) {
    const at::NoGradGuard no_grad;
    Limit limit(config.model, config.data.tokens.front());
    for (std::int64_t step = 0; step < config.steps; ++step) {
      world.barrier();
      const auto start = now_ns();
      limit.run();
      auto& best = fastest[static_cast<std::size_t>(world.rank())];
      best = std::min(best, static_cast<double>(now_ns() - start) / 1000);
    }
  });
  return *std::max_element(fastest.begin(), fastest.end());
}

int run(int argc, char** argv) {
  auto config = bench::read_flags(argc, argv, "a step of expert parallelism, and the products and copies alone");
  config.model.experts = config.layout.ranks;
  std::vector<std::vector<trace::PhaseTime>> times;
  run_train(config, Mode::ep, {.on_step = [&](const trace::StepRecord& step) {
              if (step.step >= bench::warm_up) times.push_back(trace::divide(step));
            }});
  const auto step = trace::break_down(times).step_us;
  const double limit = limit_us(config);
  fmt::print(R"({{"tokens": {}, "step_us": {{"min": {:.1f}, "median": {:.1f}, "p10": {:.1f}, "p90": {:.1f}}}, )"
             R"("limit_us": {:.1f}, "step_over_limit": {:.2f}}})"
             "\n",
             config.data.tokens.front(), step.min, step.median, step.p10, step.p90, limit, step.min / limit);
  return 0;
}

}  // namespace

}  // namespace duet

int main(int argc, char** argv) { return duet::run(argc, argv); }
