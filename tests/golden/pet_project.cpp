// pet_project: the toolkit's own model in plain torch float64. Converted:
// - its aux_loss is our `switch`; its names expertN.fc1.weight are our expert.N.w1, and so on;
// - `ranks: 2` is two shards, run on one device and on two ranks, with experts apart and repeated;
// - z_loss is not in this version.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "moe/aux_loss.h"
#include "tests/golden/golden_file.h"
#include "train/ranks.h"
#include "train/step.h"

namespace duet::test {

namespace {

constexpr double tolerance = 1e-10;
constexpr std::int64_t steps = 5;

std::string golden_name(const std::string& ours) {
  if (ours.rfind("router.", 0) == 0) return ours;
  const auto part = ours.substr(ours.rfind('.') + 1);
  const auto expert = ours.substr(7, ours.rfind('.') - 7);
  return fmt::format("expert{}.fc{}.{}", expert, part[1], part[0] == 'w' ? "weight" : "bias");
}

RunConfig config_of(const nlohmann::json& parameters, std::int64_t tokens) {
  RunConfig config;
  const auto shards = parameters.at("ranks").get<int>();
  const auto& factor = parameters.at("capacity_factor");
  const auto weight = parameters.at("aux_coef").get<double>();
  config.model.dim = parameters.at("hidden");
  config.model.hidden = parameters.at("ffn");
  config.model.experts = parameters.at("experts");
  config.model.capacity_factor = factor.is_null() ? "none" : factor.dump();
  config.model.aux = weight == 0 ? AuxTerm{} : AuxTerm{AuxKind::switch_, weight};
  config.optimizer.lr = parameters.at("lr");
  config.data.shards = shards;
  config.data.tokens = {tokens / shards};
  config.layout.ranks = shards;
  return config;
}

void set_parameters(RankModel& model, const nlohmann::json& values, const nlohmann::json& overrides) {
  const at::NoGradGuard no_grad;
  for (auto& parameter : model.parameters) {
    const auto name = golden_name(parameter.name);
    parameter.tensor.copy_(tensor_of(overrides.contains(name) ? overrides.at(name) : values.at(name)));
  }
}

/// One rank of a case in one layout. On one rank alone everything is compared, on several what this rank has.
class Replay {
 public:
  Replay(comm::Communicator& world, const RunConfig& config, const Layout& layout, const nlohmann::json& one,
         const nlohmann::json& values)
      : config_(config),
        one_(one),
        output_(one.at("output")),
        groups_(split_mesh(world, layout.mesh, nullptr)),
        shards_(shards_of(world.rank(), world.size(), shard_sizes(config.data, config.layout.ranks))),
        model_(make_model(config.model, 1, layout, world.rank(), at::kDouble)),
        adam_(model_.values, config.optimizer) {
    set_parameters(model_, values, one.at("input").value("override", nlohmann::json::object()));
    batch_ = {rows_of(tensor_of(one.at("input").at("x"))), rows_of(tensor_of(one.at("input").at("y"))), {}, shards_};
  }

  void run() {
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto result = train_step(groups_, model_, adam_, batch_, {.aux_weight = config_.model.aux.weight});
      if (step == 0) check_first(result);
      check_trajectory(result, output_.at("trajectory").at(static_cast<std::size_t>(step)));
      if (step == 0) check_parameters("params_after_1");
    }
    check_parameters("params_after_5");
  }

 private:
  at::Tensor rows_of(const at::Tensor& all) const { return all.narrow(0, shards_.first_token, shards_.local_tokens()); }
  bool alone() const { return groups_.world->size() == 1; }

  void check_first(const StepResult& result) const {
    for (const auto& parameter : model_.parameters) {
      expect_golden(parameter.tensor.grad(), output_.at("grad").at(golden_name(parameter.name)), tolerance,
                    "gradient of " + parameter.name);
    }
    if (alone()) check_forward(result.output);
  }

  void check_forward(const LayerOutput& ours) const {
    expect_golden(ours.routing.logits, output_.at("logits"), tolerance, "logits");
    expect_golden(ours.routing.probs, output_.at("probs"), tolerance, "probabilities");
    expect_golden(ours.routing.expert.view(-1), output_.at("expert_index"), 0, "chosen experts");
    expect_golden(ours.routing.gate.view(-1), output_.at("gate"), tolerance, "gates");
    expect_golden(ours.plan->position.lt(ours.plan->rows()).view(-1), output_.at("kept"), 0, "kept");
    expect_golden(ours.out, output_.at("output"), tolerance, "output");
    auto counts = at::zeros({config_.model.experts}, at::kLong);
    for (const auto& shard : ours.kept) counts.add_(shard.counts);
    expect_golden(counts, output_.at("counts"), 0, "counts before dropping");
    const auto kept_rows = ours.plan->rows_of_experts();
    EXPECT_EQ(nlohmann::json(kept_rows), output_.at("counts_kept").at("data")) << "counts after dropping";
    check_aux(ours.routing, counts);
  }

  void check_aux(const Routing& routing, const at::Tensor& counts) const {
    const auto probs = routing.probs.detach();
    expect_golden(std_loss(probs, counts).item<double>(), output_.at("counts_std_unbiased"), tolerance, "std, n - 1");
    expect_golden(std_loss(probs, counts, Estimator::population).item<double>(), output_.at("counts_std_population"),
                  tolerance, "std, n");
    // The gradient of the auxiliary loss alone, at the parameters that the step has already left: from its own forward.
    const auto logits = tensor_of(output_.at("logits")).requires_grad_(true);
    const auto aux = switch_loss(at::softmax(logits, 1), counts);
    expect_golden(aux.item<double>(), output_.at("aux_loss"), tolerance, "aux_loss");
    aux.backward();
    const auto& golden = output_.at("grad_aux_only");
    expect_golden(at::mm(logits.grad().t(), batch_.x), golden.at("router.weight"), tolerance, "aux gradient, weight");
    expect_golden(logits.grad().sum(0), golden.at("router.bias"), tolerance, "aux gradient, bias");
  }

  void check_trajectory(const StepResult& result, const nlohmann::json& golden) const {
    auto counts = at::zeros({config_.model.experts}, at::kLong);
    for (const auto& shard : result.output.kept) counts.add_(shard.counts);
    if (!alone()) return;
    expect_golden(result.loss, golden.at("mse"), tolerance, "mse on the way");
    EXPECT_EQ(nlohmann::json(std::vector<std::int64_t>(counts.data_ptr<std::int64_t>(),
                                                       counts.data_ptr<std::int64_t>() + counts.numel())),
              golden.at("counts"));
    EXPECT_EQ(result.output.plan->rows(), golden.at("kept").get<std::int64_t>());
    const double total = result.loss + config_.model.aux.weight * result.aux;
    if (config_.layout.ranks == 1) expect_golden(total, golden.at("loss"), tolerance, "total loss on the way");
  }

  void check_parameters(const std::string& when) const {
    for (const auto& parameter : model_.parameters) {
      expect_golden(parameter.tensor, output_.at(when).at(golden_name(parameter.name)), tolerance,
                    when + " " + parameter.name);
    }
  }

  const RunConfig& config_;
  const nlohmann::json& one_;
  const nlohmann::json& output_;
  MeshGroups groups_;
  ShardRange shards_;
  RankModel model_;
  Adam adam_;
  Batch batch_;
};

void replay(const nlohmann::json& one, const nlohmann::json& values, Mode mode) {
  SCOPED_TRACE(name(mode));
  const auto tokens = one.at("input").at("x").at("shape").at(0).get<std::int64_t>();
  auto config = config_of(one.at("made_by").at("parameters"), tokens);
  if (mode == Mode::single) config.layout.ranks = 1;
  const auto layout = layout_of(config, mode);
  run_on_ranks(config, [&](comm::Communicator& world) { Replay(world, config, layout, one, values).run(); });
}

}  // namespace

int check_pet_project(const nlohmann::json& file) {
  int checked = 0;
  for (const auto& one : file.at("cases")) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    const auto& values = file.at("param_sets").at(one.at("input").at("param_set").get<std::string>());
    replay(one, values, Mode::single);
    if (one.at("made_by").at("parameters").at("ranks") == 2) {
      replay(one, values, Mode::ep);
      replay(one, values, Mode::dp);
    }
    ++checked;
  }
  return checked;
}

}  // namespace duet::test
