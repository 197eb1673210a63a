// pet_project: the toolkit's own model in plain torch float64. Converted:
// - its aux_loss is our `switch`; its names expertN.fc1.weight are our expert.N.w1, and so on;
// - `ranks: 2` is two shards, run on one device and on two ranks, with experts apart and repeated;
// - z_loss is compared, though no term of the total loss.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "moe/aux_loss.h"
#include "tests/golden/golden_file.h"
#include "train/ranks.h"
#include "train/step.h"

namespace duet::test {

namespace {

constexpr double tolerance = 1e-10;
constexpr std::int64_t last_step = 5;  // one further step shows what the last parameters give

std::string golden_name(const std::string& ours) {
  const auto name = ours.substr(std::string("layer.0.").size());
  if (name.rfind("router.", 0) == 0) return name;
  const auto part = name.substr(name.rfind('.') + 1);
  const auto expert = name.substr(7, name.rfind('.') - 7);
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
  config.model.aux = weight == 0 ? std::vector<AuxTerm>{} : std::vector{AuxTerm{AuxKind::switch_, weight}};
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
        shards_(shards_of(world.rank(), world.size(), shard_sizes(config))),
        model_(make_model(config.model, 1, layout, world.rank(), at::kDouble)),
        adam_(model_.values, config.optimizer) {
    set_parameters(model_, values, one.at("input").value("override", nlohmann::json::object()));
    batch_ = {rows_of(tensor_of(one.at("input").at("x"))), rows_of(tensor_of(one.at("input").at("y"))), {}, shards_};
  }

  void run() {
    for (std::int64_t step = 0; step <= last_step; ++step) {
      if (step == 1) check_parameters("params_after_1");
      if (step == last_step) check_parameters("params_after_5");
      const auto result = train_step(groups_, model_, adam_, {{batch_, {}}}, step_rules(config_));
      if (step == 0) check_first(result);
      if (alone()) check_trajectory(result, output_.at("trajectory").at(static_cast<std::size_t>(step)));
    }
  }

 private:
  at::Tensor rows_of(const at::Tensor& all) const { return all.narrow(0, shards_.first_token, shards_.local_tokens()); }
  bool alone() const { return groups_.world->size() == 1; }

  void check_first(const StepResult& result) const {
    for (const auto& parameter : model_.parameters) {
      expect_golden(parameter.tensor.grad(), output_.at("grad").at(golden_name(parameter.name)), tolerance,
                    "gradient of " + parameter.name);
    }
    if (output_.contains("per_rank")) check_shards(output_of(result));
    if (alone()) check_forward(output_of(result));
    if (alone()) expect_golden(result.loss, output_.at("mse"), tolerance, "mse");
    if (alone()) expect_golden(total_loss(result), output_.at("total_loss"), tolerance, "total_loss");
  }

  // `per_rank` has an entry a shard, with that shard's own means.
  void check_shards(const LayerOutput& ours) const {
    const auto here = static_cast<std::int64_t>(shards_.tokens.size());
    std::int64_t first = 0;
    double aux_sum = 0;
    for (std::int64_t i = 0; i < here; ++i) {
      const auto tokens = shards_.tokens[static_cast<std::size_t>(i)];
      const auto& kept = ours.kept[static_cast<std::size_t>(i)];
      const auto& golden = output_.at("per_rank").at(static_cast<std::size_t>(groups_.world->rank() * here + i));
      const auto rows = [&](const at::Tensor& all) { return all.detach().narrow(0, first, tokens); };
      const auto stayed = at::bincount(rows(ours.routing.expert).masked_select(kept.mask), {}, config_.model.experts);
      const double aux = switch_loss(rows(ours.routing.probs), kept.counts).item<double>();
      const double mse = at::mse_loss(rows(ours.out), rows(batch_.target)).item<double>();
      EXPECT_EQ(json_of(kept.counts), golden.at("counts")) << "counts of a shard";
      EXPECT_EQ(json_of(stayed), golden.at("counts_kept")) << "counts of a shard after dropping";
      expect_golden(aux, golden.at("aux_loss"), tolerance, "aux_loss of a shard");
      expect_golden(mse, golden.at("mse"), tolerance, "mse of a shard");
      first += tokens;
      aux_sum += aux;
    }
    const auto shards = static_cast<double>(here);
    if (alone()) expect_golden(aux_sum / shards, output_.at("aux_loss_mean_of_ranks"), tolerance, "mean of aux");
  }

  void check_forward(const LayerOutput& ours) const {
    expect_golden(ours.routing.logits, output_.at("logits"), tolerance, "logits");
    expect_golden(ours.routing.probs, output_.at("probs"), tolerance, "probabilities");
    expect_golden(ours.routing.expert.view(-1), output_.at("expert_index"), 0, "chosen experts");
    expect_golden(ours.routing.gate.view(-1), output_.at("gate"), tolerance, "gates");
    expect_golden(ours.plan->position.lt(ours.plan->rows()).view(-1), output_.at("kept"), 0, "kept");
    expect_golden(ours.out, output_.at("output"), tolerance, "output");
    const auto counts = counts_of(ours);
    expect_golden(counts, output_.at("counts"), 0, "counts before dropping");
    const auto limit =
        model_.layers.front().capacity.limit(shards_.tokens.front(), config_.model.experts, config_.model.top_k);
    EXPECT_EQ(limit ? nlohmann::json(*limit) : nlohmann::json(), output_.at("capacity")) << "capacity of a shard";
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
    expect_golden(z_loss(routing.logits.detach()).item<double>(), output_.at("z_loss"), tolerance, "z_loss");
    aux.backward();
    const auto& golden = output_.at("grad_aux_only");
    expect_golden(at::mm(logits.grad().t(), batch_.x), golden.at("router.weight"), tolerance, "aux gradient, weight");
    expect_golden(logits.grad().sum(0), golden.at("router.bias"), tolerance, "aux gradient, bias");
  }

  void check_trajectory(const StepResult& result, const nlohmann::json& golden) const {
    const auto& ours = output_of(result);
    const auto counts = counts_of(ours);
    const auto probs = ours.routing.probs.detach();
    const double margin = (probs.select(1, 0) - probs.select(1, 1)).abs().min().item<double>();
    expect_golden(result.loss, golden.at("mse"), tolerance, "mse on the way");
    expect_golden(switch_loss(probs, counts).item<double>(), golden.at("aux"), tolerance, "aux on the way");
    expect_golden(total_loss(result), golden.at("loss"), tolerance, "total loss on the way");
    expect_golden(margin, golden.at("min_prob_margin"), tolerance, "smallest margin on the way");
    EXPECT_EQ(json_of(counts), golden.at("counts")) << "counts on the way";
    EXPECT_EQ(ours.plan->rows(), golden.at("kept").get<std::int64_t>()) << "kept on the way";
  }

  static const LayerOutput& output_of(const StepResult& result) { return result.outputs.front().front(); }

  double total_loss(const StepResult& result) const {
    return config_.model.aux.empty() ? result.loss : result.loss + config_.model.aux[0].weight * result.aux[0];
  }

  at::Tensor counts_of(const LayerOutput& ours) const {
    auto counts = at::zeros({config_.model.experts}, at::kLong);
    for (const auto& shard : ours.kept) counts.add_(shard.counts);
    return counts;
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
