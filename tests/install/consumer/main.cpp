// Two ranks, an expert on each; each rank's second token goes to the expert that doubles.
#include <duet/comm/threads/run_ranks.h>
#include <duet/moe/layer.h>

#include <cstdio>

int main() {
  duet::comm::run_ranks(2, {}, [](duet::comm::Communicator& ranks) {
    const auto one = at::one_hot(at::arange(2)).to(at::kFloat);  // the unit matrix
    const auto none = at::zeros({2});
    const duet::ExpertWeights expert{.w1 = one, .b1 = none, .w2 = one * (ranks.rank() + 1), .b2 = none};
    const duet::MoeLayer layer{.router = {.weight = one, .bias = none},
                               .experts = {expert},
                               .placement = duet::place_in_blocks(/*experts=*/2, /*ranks=*/2),
                               .capacity = {},
                               .aux = {}};
    const auto out =
        duet::moe_forward({ranks, ranks}, layer, one * 3, {.shard_tokens = {2}, .rank_tokens = {2, 2}}).out;
    if (ranks.rank() == 0) std::printf("%.4f %.4f\n", out[0][0].item<double>(), out[1][1].item<double>());
  });
}
