// Every golden file of the folder that DUET_GOLDENS names (tests/goldens by default).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/golden/golden_file.h"

namespace duet::test {
namespace {

/// A family: its check, and how many cases of tests/goldens it compares, so that none vanishes unseen.
struct Family {
  int (*check)(const nlohmann::json&);
  int cases;
};

const std::map<std::string, Family> families{{"pet_moe_float64", {check_pet_project, 10}},
                                             {"std_aux_float64", {check_std_aux, 95}},
                                             {"deepspeed_top1gating", {check_deepspeed_top1, 21}},
                                             {"deepspeed_top2gating", {check_deepspeed_top2, 13}},
                                             {"deepspeed_topkgating", {check_deepspeed_topk, 20}},
                                             {"megatron_get_capacity", {check_megatron_capacity, 2}},
                                             {"megatron_permute_unpermute", {check_megatron_permute, 4}},
                                             {"megatron_switch_load_balancing_loss", {check_megatron_aux_loss, 7}},
                                             {"megatron_token_dropping", {check_megatron_drop, 14}},
                                             {"megatron_topk_routing", {check_megatron_routing, 10}},
                                             {"megatron_updated_expert_bias", {check_megatron_expert_bias, 3}},
                                             {"megatron_z_loss", {check_megatron_z_loss, 5}},
                                             {"mixtral_sparse_moe_block", {check_mixtral_block, 8}},
                                             {"mixtral_load_balancing_loss", {check_mixtral_lb_loss, 12}}};

// Families of rules that Duet does not have. They are named in the output, and count as nothing.
const std::set<std::string> left_out{"megatron_sinkhorn"};

bool is_own_folder() { return golden_folder() == std::filesystem::path(DUET_DEFAULT_GOLDENS); }

TEST(Goldens, OfEveryFamilyThatWeHaveAreOurs) {
  int checked = 0;
  std::set<std::string> seen;
  for (const auto& file : read_goldens(golden_folder())) {
    SCOPED_TRACE(file.name);
    const auto name = file.family == "std_aux" ? "std_aux_float64" : file.family;
    if (const auto family = families.find(name); family != families.end()) {
      const int cases = family->second.check(file.content);
      fmt::print("{}: {} of {} cases compared\n", file.name, cases, file.content.at("cases").size());
      EXPECT_GT(cases, 0);
      if (is_own_folder()) {
        EXPECT_EQ(cases, family->second.cases) << "cases compared";
      }
      seen.insert(name);
      checked += cases;
    } else {
      EXPECT_TRUE(left_out.contains(name)) << "unknown family " << name;
      fmt::print("{}: left out: Duet has no such rule\n", file.name);
    }
  }
  EXPECT_GT(checked, 0) << "no golden in " << golden_folder();
  if (is_own_folder()) {
    EXPECT_EQ(seen.size(), families.size()) << "a family's file is missing";
  }
}

}  // namespace
}  // namespace duet::test
