#pragma once
/// Golden numbers from well-known MoE code (tests/goldens/README.md), read as tensors.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/tensor.h"

namespace duet::test {

struct GoldenFile {
  std::string name;
  std::string family;
  nlohmann::json content;
};

/// The folder that DUET_GOLDENS names, or tests/goldens.
std::filesystem::path golden_folder();

/// Every .json file of the folder; throws std::runtime_error naming the file for one that is not of schema 1.
std::vector<GoldenFile> read_goldens(const std::filesystem::path& folder);

/// A whole tensor, in the dtype that it says.
at::Tensor tensor_of(const nlohmann::json& tensor);

/// Whole numbers of one dimension, as a golden lists them.
nlohmann::json json_of(const at::Tensor& counts);

/// A number, which may be the text "nan", "inf" or "-inf".
double number_of(const nlohmann::json& value);

/// Fails unless `ours` has the shape and values of `golden` (whole, or sampled with its sums), to `tolerance` of the
/// largest value.
void expect_golden(const at::Tensor& ours, const nlohmann::json& golden, double tolerance, const std::string& what);
void expect_golden(double ours, double golden, double tolerance, const std::string& what);

/// The families. Each checks every case of its file, fails on a difference, and returns how many cases it checked.
int check_pet_project(const nlohmann::json& file);
int check_std_aux(const nlohmann::json& file);
int check_deepspeed_top1(const nlohmann::json& file);
int check_deepspeed_top2(const nlohmann::json& file);
int check_deepspeed_topk(const nlohmann::json& file);
int check_megatron_routing(const nlohmann::json& file);
int check_megatron_aux_loss(const nlohmann::json& file);
int check_megatron_z_loss(const nlohmann::json& file);
int check_megatron_capacity(const nlohmann::json& file);
int check_megatron_drop(const nlohmann::json& file);
int check_megatron_expert_bias(const nlohmann::json& file);
int check_megatron_permute(const nlohmann::json& file);
int check_mixtral_block(const nlohmann::json& file);
int check_mixtral_lb_loss(const nlohmann::json& file);

}  // namespace duet::test
