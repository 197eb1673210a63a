// Every rule against the oracle on every layout, and random combinations of rules.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <random>

#include "tests/oracle/agreement.h"

namespace duet::test {
namespace {

/// (dp, ep); one rank holds several shards.
using Mesh = std::pair<int, int>;
const std::vector<Mesh> meshes{{1, 1}, {1, 2}, {2, 1}, {1, 3}, {3, 1}, {1, 4}, {2, 2}, {4, 1}};

std::int64_t experts_on(const Mesh& mesh) { return mesh.second == 3 ? 3 : 4; }

// Uneven shards, a tight capacity, two choices: where rules differ most.
RunConfig config_on(const Mesh& mesh) {
  RunConfig config;
  config.model.dim = 5;
  config.model.hidden = 4;
  config.model.experts = experts_on(mesh);
  config.model.top_k = 2;
  config.model.capacity_factor = "0.75";
  config.model.aux = {{AuxKind::std, 0.01}};
  const int ranks = mesh.first * mesh.second;
  config.layout = {.ranks = ranks, .dp = mesh.first, .ep = mesh.second};
  config.data.shards = ranks == 1 ? 4 : ranks;
  config.data.tokens.clear();
  for (int shard = 0; shard < config.data.shards; ++shard) config.data.tokens.push_back(9 - (3 * shard) % 7);
  config.data.seed = 3;
  config.steps = 4;
  config.float64 = true;
  return config;
}

// More shards, so that each rank can cut its own into `parts`.
void accumulate(RunConfig& config, std::int64_t parts) {
  config.accumulate = parts;
  config.data.shards = static_cast<int>(config.layout.ranks * parts) + 1;
  config.data.tokens.clear();
  for (int shard = 0; shard < config.data.shards; ++shard) config.data.tokens.push_back((5 * shard) % 7);
}

struct Rule {
  const char* name = "";
  std::function<void(RunConfig&)> set;
};

std::vector<Rule> capacity_rules() {
  return {
      {"GlobalCapacity", [](RunConfig& c) { c.model.capacity_scope = Scope::global; }},
      {"DropByProbability", [](RunConfig& c) { c.model.drop = DropPolicy::probability; }},
      {"DropByProbabilityGlobal",
       [](RunConfig& c) {
         c.model.drop = DropPolicy::probability;
         c.model.capacity_scope = Scope::global;
       }},
      {"DropAtRandom", [](RunConfig& c) { c.model.drop = DropPolicy::random; }},
      {"DropAtRandomGlobal",
       [](RunConfig& c) {
         c.model.drop = DropPolicy::random;
         c.model.capacity_scope = Scope::global;
       }},
      {"SlotsByChoice", [](RunConfig& c) { c.model.slot_order = SlotOrder::choice; }},
      {"SlotsByChoiceGlobal",
       [](RunConfig& c) {
         c.model.slot_order = SlotOrder::choice;
         c.model.capacity_scope = Scope::global;
       }},
      {"MinCapacity",
       [](RunConfig& c) {
         c.model.capacity_factor = "0.1";
         c.model.min_capacity = 3;
       }},
      {"NoCapacityAtAll", [](RunConfig& c) { c.model.capacity_factor = "0.0"; }},
      {"NoLimit", [](RunConfig& c) { c.model.capacity_factor = "none"; }},
      {"Residual", [](RunConfig& c) { c.model.residual = true; }},
      {"ResidualGlobal",
       [](RunConfig& c) {
         c.model.residual = true;
         c.model.capacity_scope = Scope::global;
       }},
  };
}

std::vector<Rule> router_rules() {
  return {
      {"Renormalised", [](RunConfig& c) { c.model.renormalize = true; }},
      {"ConstantGate",
       [](RunConfig& c) {
         c.model.top_k = 1;
         c.model.renormalize = c.model.constant_gate = true;
       }},
      {"Jitter", [](RunConfig& c) { c.model.router_jitter = 0.2; }},
      {"Noise", [](RunConfig& c) { c.model.router_noise = 0.5; }},
      {"EveryExpert", [](RunConfig& c) { c.model.top_k = c.model.experts; }},
      {"EveryExpertRenormalised",
       [](RunConfig& c) {
         c.model.top_k = c.model.experts;
         c.model.renormalize = true;
       }},
      {"WithoutRouterBias", [](RunConfig& c) { c.model.router_bias = false; }},
      {"ChoiceBias",
       [](RunConfig& c) {
         c.model.bias_rate = 0.05;
         c.model.aux.clear();
       }},
  };
}

std::vector<Rule> balance_rules() {
  std::vector<Rule> rules;
  for (const auto scope : {Scope::local, Scope::global}) {
    const bool global = scope == Scope::global;
    const auto add = [&](const char* local_name, const char* global_name, const std::vector<AuxTerm>& aux,
                         Estimator estimator = Estimator::unbiased) {
      rules.push_back({global ? global_name : local_name, [=](RunConfig& c) {
                         c.model.aux = aux;
                         c.model.aux_scope = scope;
                         c.model.estimator = estimator;
                       }});
    };
    add("Std", "StdGlobal", {{AuxKind::std, 0.1}});
    add("StdPopulation", "StdPopulationGlobal", {{AuxKind::std, 0.1}}, Estimator::population);
    add("Cv", "CvGlobal", {{AuxKind::cv, 0.1}});
    add("CvPopulation", "CvPopulationGlobal", {{AuxKind::cv, 0.1}}, Estimator::population);
    add("CvSquared", "CvSquaredGlobal", {{AuxKind::cv2, 0.1}});
    add("Switch", "SwitchGlobal", {{AuxKind::switch_, 0.1}});
    add("Z", "ZGlobal", {{AuxKind::z, 0.1}});
    add("SeveralLosses", "SeveralLossesGlobal",
        {{AuxKind::z, 0.05}, {AuxKind::switch_, 0.1}, {AuxKind::cv2, 0.2}, {AuxKind::std, 0.03}, {AuxKind::cv, 0.02}});
  }
  return rules;
}

std::vector<Rule> model_and_step_rules() {
  return {
      {"Swiglu", [](RunConfig& c) { c.model.expert = ExpertKind::swiglu; }},
      {"ThreeLayers", [](RunConfig& c) { c.model.layers = 3; }},
      {"TwoLayersGlobalAux",
       [](RunConfig& c) {
         c.model.layers = 2;
         c.model.aux = {{AuxKind::switch_, 0.1}, {AuxKind::std, 0.1}};
         c.model.aux_scope = Scope::global;
       }},
      {"TwoLayersChoiceBias",
       [](RunConfig& c) {
         c.model.layers = 2;
         c.model.bias_rate = 0.05;
       }},
      {"AccumulateTwo", [](RunConfig& c) { accumulate(c, 2); }},
      {"AccumulateThree", [](RunConfig& c) { accumulate(c, 3); }},
      {"AccumulateGlobal",
       [](RunConfig& c) {
         accumulate(c, 2);
         c.model.aux = {{AuxKind::switch_, 0.1}, {AuxKind::cv2, 0.1}};
         c.model.aux_scope = c.model.capacity_scope = Scope::global;
       }},
      {"Clip", [](RunConfig& c) { c.optimizer.clip_norm = 0.5; }},
      {"ClipTwoLayers",
       [](RunConfig& c) {
         c.model.layers = 2;
         c.optimizer.clip_norm = 0.5;
       }},
      {"WeightDecay", [](RunConfig& c) { c.optimizer.weight_decay = 0.1; }},
  };
}

std::vector<Rule> rules() {
  std::vector<Rule> all;
  for (const auto& group : {capacity_rules(), router_rules(), balance_rules(), model_and_step_rules()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }

class EveryLayout : public testing::TestWithParam<Rule> {};
INSTANTIATE_TEST_SUITE_P(Rules, EveryLayout, testing::ValuesIn(rules()),
                         [](const auto& rule) { return std::string(rule.param.name); });

TEST_P(EveryLayout, AgreesWithTheOracle) {
  for (const auto& mesh : meshes) {
    auto config = config_on(mesh);
    GetParam().set(config);
    expect_agreement(config);
    if (HasFailure()) return;
  }
}

/// Draws configurations from a seed.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  std::int64_t number(std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(to - from + 1));
  }
  bool one_in(std::int64_t n) { return number(1, n) == 1; }
  template <typename T>
  T one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(number(0, std::ssize(all) - 1))];
  }

  RunConfig config() {
    auto config = config_on(one_of(meshes));
    config.data.seed = static_cast<std::uint64_t>(number(1, 1'000'000));
    config.steps = 2;
    config.model.dim = number(1, 6);
    config.model.hidden = number(1, 5);
    config.model.layers = one_in(3) ? 2 : 1;
    config.accumulate = one_in(3) ? number(2, 3) : 1;
    config.optimizer.clip_norm = one_in(3) ? 0.3 : 0;
    config.optimizer.weight_decay = one_in(3) ? 0.1 : 0;
    set_shards(config);
    set_router(config.model, config.layout.ep);
    set_capacity(config.model);
    set_balance(config.model);
    return config;
  }

 private:
  void set_shards(RunConfig& config) {
    config.data.shards = static_cast<int>(number(1, 2 * config.layout.ranks * config.accumulate));
    config.data.tokens.clear();
    for (int shard = 0; shard < config.data.shards; ++shard) config.data.tokens.push_back(number(0, 9));
  }

  void set_router(ModelConfig& model, int ep) {
    model.experts = ep * number(1, ep > 2 ? 2 : 4);
    model.top_k = number(1, model.experts);
    model.expert = one_in(3) ? ExpertKind::swiglu : ExpertKind::relu;
    model.router_bias = !one_in(3);
    model.renormalize = one_in(3);
    model.constant_gate = model.top_k == 1;
    model.router_jitter = one_in(4) ? 0.1 : 0;
    model.router_noise = one_in(4) ? 0.3 : 0;
    model.bias_rate = one_in(4) ? 0.02 : 0;
  }

  void set_capacity(ModelConfig& model) {
    model.capacity_factor = one_of<std::string>({"none", "0.3", "0.75", "1", "1.25", "2"});
    model.min_capacity = one_in(3) ? number(1, 4) : 0;
    model.capacity_scope = one_in(3) ? Scope::global : Scope::local;
    model.drop = one_of<DropPolicy>({DropPolicy::position, DropPolicy::probability, DropPolicy::random});
    model.slot_order = one_in(2) ? SlotOrder::choice : SlotOrder::token;
    model.residual = one_in(3);
  }

  void set_balance(ModelConfig& model) {
    model.aux.clear();
    for (const auto kind : {AuxKind::std, AuxKind::cv, AuxKind::cv2, AuxKind::switch_, AuxKind::z}) {
      if (one_in(3)) model.aux.push_back({kind, 0.01 * static_cast<double>(number(1, 20))});
    }
    model.aux_scope = one_in(2) ? Scope::global : Scope::local;
    model.estimator = one_in(2) ? Estimator::population : Estimator::unbiased;
  }

  std::mt19937_64 engine_;
};

// Another seed every time; DUET_TEST_SEED repeats one.
std::uint64_t test_seed() {
  const char* const given = std::getenv("DUET_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

TEST(AnyCombination, OfRulesAgreesWithTheOracle) {
  constexpr int cases = 400;
  const auto seed = test_seed();
  fmt::print("DUET_TEST_SEED={}\n", seed);
  SCOPED_TRACE(fmt::format("DUET_TEST_SEED={}", seed));
  Dice dice(seed);
  int compared = 0;
  for (int i = 0; i < cases && !HasFailure(); ++i) {
    compared += expect_agreement(dice.config(), drawn_case) ? 1 : 0;
  }
  EXPECT_TRUE(HasFailure() || compared > cases / 2) << "most cases were near-ties";
}

}  // namespace
}  // namespace duet::test
