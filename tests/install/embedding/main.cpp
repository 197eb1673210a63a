// A program of one's own on LibTorch: its own modules around one MoE layer of Duet, its own optimizer and loop.
// docs/embedding.md goes through it. `embedding 1` and `embedding 2` train the same model on the same batches, with all
// experts on one rank or half of them on each of two, and print the same losses.
#include <duet/comm/tensors.h>
#include <duet/comm/threads/run_ranks.h>
#include <duet/moe/layer.h>
#include <duet/parallel/gradient_sync.h>
#include <torch/torch.h>

#include <cstdio>
#include <cstdlib>

namespace {

using duet::comm::Communicator;

constexpr int dim = 16, hidden = 32, experts = 4, batch = 64;

// Rank threads share torch's default generator, so every draw has one of its own.
torch::Tensor drawn(std::uint64_t seed, torch::IntArrayRef sizes) {
  return torch::randn(sizes, torch::make_generator<at::CPUGeneratorImpl>(seed));
}

torch::Tensor parameter(std::uint64_t seed, torch::IntArrayRef sizes) {
  return (drawn(seed, sizes) * 0.2).set_requires_grad(true);
}

// An expert's numbers are drawn by its number in the whole layer: the same model however experts are placed.
duet::ExpertWeights make_expert(std::uint64_t e) {
  const auto seed = 1000 + 10 * e;
  return {.w1 = parameter(seed, {hidden, dim}),
          .b1 = parameter(seed + 1, {hidden}),
          .w2 = parameter(seed + 2, {dim, hidden}),
          .b2 = parameter(seed + 3, {dim})};
}

struct Model {
  torch::nn::Linear head{dim, 1};              // yours
  duet::MoeLayer moe;                          // ours
  std::vector<torch::Tensor> replicated, own;  // what every rank holds, and this rank's experts
};

Model make_model(const Communicator& ranks) {
  Model model;
  const auto placement = duet::place_in_blocks(experts, ranks.size());
  model.moe.router = {.weight = parameter(1, {experts, dim}), .bias = parameter(2, {experts}), .top_k = 2};
  model.moe.placement = placement;
  for (std::int64_t e = 0; e < placement.per_rank(); ++e) {
    const auto expert = make_expert(static_cast<std::uint64_t>(placement.first_on(ranks.rank()) + e));
    model.moe.experts.emplace_back(expert);
    for (const auto& tensor : {expert.w1, expert.b1, expert.w2, expert.b2}) model.own.push_back(tensor);
  }
  const torch::NoGradGuard no_grad;
  model.head->weight.copy_(drawn(3, {1, dim}) * 0.2);
  model.head->bias.zero_();
  model.replicated = {model.moe.router.weight, model.moe.router.bias, model.head->weight, model.head->bias};
  return model;
}

torch::Tensor flat_gradients(const std::vector<torch::Tensor>& parameters) {
  std::vector<torch::Tensor> flat;
  for (const auto& parameter : parameters) flat.push_back(parameter.grad().flatten());
  return torch::cat(flat);
}

void set_gradients(const std::vector<torch::Tensor>& parameters, const torch::Tensor& flat) {
  std::int64_t first = 0;
  for (const auto& parameter : parameters) {
    parameter.grad().copy_(flat.narrow(0, first, parameter.numel()).view_as(parameter));
    first += parameter.numel();
  }
}

// After it, every rank has the gradient of the whole batch's mean loss. No two ranks hold the same expert here, so the
// group that shares experts is this rank alone.
void average_gradients(Communicator& world, Communicator& alone, const Model& model) {
  const auto replicated = flat_gradients(model.replicated), own = flat_gradients(model.own);
  duet::sync_gradients(world, alone, replicated, own);
  set_gradients(model.replicated, replicated);
  set_gradients(model.own, own);
}

// The sum over ranks of a rank's mean, divided by the ranks: equal parts of the batch.
double mean_over_ranks(Communicator& world, const torch::Tensor& loss) {
  const auto sum = loss.detach().clone().reshape({1});
  duet::comm::all_reduce(world, sum);
  return sum.item<double>() / world.size();
}

void train(Communicator& world) {
  at::set_num_threads(1);  // of this rank's thread: the ranks are what runs side by side
  const auto alone = world.split(/*color=*/world.rank(), /*key=*/0);
  auto model = make_model(world);
  auto parameters = model.replicated;
  parameters.insert(parameters.end(), model.own.begin(), model.own.end());
  torch::optim::Adam optimizer(parameters, torch::optim::AdamOptions(3e-3));
  const std::int64_t tokens = batch / world.size();
  const std::vector<std::int64_t> all_tokens(static_cast<std::size_t>(world.size()), tokens);

  for (std::uint64_t step = 0; step < 50; ++step) {
    const auto x = drawn(100000 + step, {batch, dim}).narrow(0, world.rank() * tokens, tokens);
    const auto target = x.abs().sum(1, /*keepdim=*/true);
    optimizer.zero_grad();
    const auto layer = duet::moe_forward({world, world}, model.moe, x,
                                         {.shard_tokens = {tokens},
                                          .first_token = world.rank() * tokens,
                                          .global_shards = world.size(),
                                          .rank_tokens = all_tokens});
    const auto loss = torch::mse_loss(model.head(x + layer.out), target);
    loss.backward();
    average_gradients(world, *alone, model);
    optimizer.step();
    const auto mean = mean_over_ranks(world, loss);
    if (world.rank() == 0 && (step == 0 || step == 49)) std::printf("%.6f\n", mean);
  }
}

}  // namespace

int main(int count, char** arguments) { duet::comm::run_ranks(count > 1 ? std::atoi(arguments[1]) : 2, {}, train); }
