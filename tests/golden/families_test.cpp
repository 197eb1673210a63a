// Every golden file of the folder that DUET_GOLDENS names (tests/goldens by default).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/golden/golden_file.h"

namespace duet::test {
namespace {

using Check = int (*)(const nlohmann::json&);

const std::map<std::string, Check> checks{{"pet_moe_float64", check_pet_project},
                                          {"std_aux_float64", check_std_aux},
                                          {"std_aux", check_std_aux},
                                          {"deepspeed_top1gating", check_deepspeed_top1},
                                          {"mixtral_load_balancing_loss", check_mixtral_lb_loss}};

// Families of rules that this version does not have. They are named in the output, and count as nothing.
const std::set<std::string> later{"deepspeed_top2gating",
                                  "deepspeed_topkgating",
                                  "megatron_get_capacity",
                                  "megatron_permute_unpermute",
                                  "megatron_sinkhorn",
                                  "megatron_switch_load_balancing_loss",
                                  "megatron_token_dropping",
                                  "megatron_topk_routing",
                                  "megatron_updated_expert_bias",
                                  "megatron_z_loss",
                                  "mixtral_sparse_moe_block"};

TEST(Goldens, OfEveryFamilyThatWeHaveAreOurs) {
  int checked = 0;
  for (const auto& file : read_goldens(golden_folder())) {
    SCOPED_TRACE(file.name);
    if (const auto check = checks.find(file.family); check != checks.end()) {
      const int cases = check->second(file.content);
      fmt::print("{}: {} of {} cases compared\n", file.name, cases, file.content.at("cases").size());
      EXPECT_GT(cases, 0);
      checked += cases;
    } else {
      EXPECT_TRUE(later.contains(file.family)) << "unknown family " << file.family;
      fmt::print("{}: not compared, its rules are not in this version\n", file.name);
    }
  }
  EXPECT_GT(checked, 0) << "no golden in " << golden_folder();
}

}  // namespace
}  // namespace duet::test
