/// Checkpoints by global expert id: what one layout wrote, every other goes on from.
#include "train/checkpoint.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/trace/traces.h"
#include "train/checkpoint_folder.h"
#include "train/difference.h"
#include "train/train_run.h"

namespace duet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using trace::Folder;
using trace::text_of;
using trace::write_text;

/// Every kind of state: several layers, moments, a choice bias, decay, shards of unequal size.
RunConfig config_of(int ranks) {
  RunConfig config;
  config.model.dim = 8;
  config.model.hidden = 12;
  config.model.experts = 4;
  config.model.layers = 2;
  config.model.top_k = 2;
  config.model.bias_rate = 0.01;
  config.model.router_noise = 0.1;
  config.model.capacity_factor = "1.25";
  config.model.drop = DropPolicy::random;
  config.data.tokens = {16, 9, 5};
  config.data.shards = 3;
  config.optimizer.weight_decay = 0.01;
  config.optimizer.clip_norm = 1;
  config.layout.ranks = ranks;
  config.float64 = true;
  config.steps = 20;
  config.checkpoint_every = 0;
  return config;
}

/// A state of its own, that no later step changes.
TrainState kept(const TrainState& state) {
  auto copy = state;
  for (auto& tensor : copy.tensors) tensor.tensor = tensor.tensor.clone();
  return copy;
}

/// The state after `config.steps` steps.
TrainState train(const RunConfig& config, Mode mode, const TrainState* from = nullptr) {
  TrainState last;
  run_train(config, mode, {.on_step = {}, .on_checkpoint = [&](const TrainState& state) { last = kept(state); }}, from);
  return last;
}

TrainState train_to(std::int64_t steps, RunConfig config, Mode mode, const TrainState* from = nullptr) {
  config.steps = steps;
  return train(config, mode, from);
}

std::vector<NamedTensor> sorted(const TrainState& state) { return join_by_name({state.tensors}); }

void expect_same_bits(const TrainState& a, const TrainState& b) {
  const auto left = sorted(a), right = sorted(b);
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].name, right[i].name);
    EXPECT_TRUE(left[i].tensor.equal(right[i].tensor)) << left[i].name;
  }
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.adam_steps, b.adam_steps);
  EXPECT_EQ(a.loss, b.loss);
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Checkpoint, HoldsEveryTensorOnceByGlobalName) {
  const auto state = train_to(1, config_of(2), Mode::ep);
  std::vector<std::string> names;
  for (const auto& tensor : sorted(state)) names.push_back(tensor.name);
  std::vector<std::string> expected;
  for (int layer = 0; layer < 2; ++layer) {
    expected.push_back(fmt::format("layer.{}.router.choice_bias", layer));
    std::vector<std::string> parameters{"router.weight", "router.bias"};
    for (int expert = 0; expert < 4; ++expert) {
      for (const auto* part : {"w1", "b1", "w2", "b2"}) parameters.push_back(fmt::format("expert.{}.{}", expert, part));
    }
    for (const auto& parameter : parameters) {
      for (const auto* prefix : {"", "adam.mean.", "adam.variance."}) {
        expected.push_back(fmt::format("{}layer.{}.{}", prefix, layer, parameter));
      }
    }
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(names, expected);
  EXPECT_EQ(state.tensors.size(), names.size()) << "one stands there twice";
}

TEST(Checkpoint, GoesOnWithTheSameBitsAtTheSameLayout) {
  for (const auto mode : {Mode::ep, Mode::dp, Mode::single}) {
    for (const int ranks : {1, 2, 4}) {
      SCOPED_TRACE(fmt::format("{} on {} ranks", name(mode), ranks));
      for (const bool float64 : {false, true}) {
        auto config = config_of(ranks);
        config.float64 = float64;
        const auto half = train_to(7, config, mode);
        expect_same_bits(train(config, mode, &half), train(config, mode));
      }
    }
  }
}

// DeepSpeed issue #6589: experts saved by a rank's own count came back as others after a change of layout.
TEST(Checkpoint, GoesOnAtAnyOtherLayout) {
  const auto never_stopped = train(config_of(2), Mode::ep);
  auto state = train_to(5, config_of(2), Mode::ep);
  state = train_to(10, config_of(2), Mode::dp, &state);
  state = train_to(15, config_of(1), Mode::single, &state);
  auto hybrid = config_of(4);
  hybrid.layout.dp = hybrid.layout.ep = 2;
  state = train_to(18, hybrid, Mode::ep, &state);
  state = train_to(20, config_of(4), Mode::ep, &state);  // an expert a rank
  EXPECT_LE(relative_difference(sorted(state), sorted(never_stopped)), 1e-12);
  EXPECT_EQ(state.adam_steps, 20);
  EXPECT_EQ(state.step, 20);
}

TEST(Checkpoint, IsWrittenEverySoManyStepsAndAtTheEnd) {
  auto config = config_of(2);
  config.checkpoint_every = 8;
  std::vector<std::int64_t> steps;
  const TrainListener listener{.on_step = {},
                               .on_checkpoint = [&](const TrainState& state) { steps.push_back(state.step); }};
  run_train(config, Mode::ep, listener);
  EXPECT_THAT(steps, ElementsAre(8, 16, 20));
  steps.clear();
  const auto at_16 = train_to(16, config_of(2), Mode::ep);
  config.steps = 24;
  run_train(config, Mode::ep, listener, &at_16);
  EXPECT_THAT(steps, ElementsAre(24)) << "once at the end, and not again at the beginning";
  steps.clear();
  config.steps = 16;
  EXPECT_EQ(run_train(config, Mode::ep, listener, &at_16).steps, 16);
  EXPECT_THAT(steps, IsEmpty()) << "no step was done";
}

TEST(Checkpoint, IsWrittenWhenToldToStop) {
  std::atomic<bool> stop{false};
  std::int64_t step = 0;
  auto config = config_of(2);
  config.steps = 0;
  run_train(config, Mode::ep,
            {.on_step = [&](const trace::StepRecord& record) { stop = record.step == 4; },
             .stop = &stop,
             .on_checkpoint = [&](const TrainState& state) { step = state.step; }});
  EXPECT_EQ(step, 5);
}

TEST(Checkpoint, OfAnotherModelIsRefusedByTheTensorsName) {
  const auto state = train_to(1, config_of(2), Mode::ep);
  const auto refused = [&](auto change) {
    auto config = config_of(2);
    change(config);
    return refusal([&] { train(config, Mode::ep, &state); });
  };
  EXPECT_THAT(refused([](RunConfig& c) { c.model.hidden = 16; }), HasSubstr("layer.0.expert."));
  EXPECT_THAT(refused([](RunConfig& c) { c.model.layers = 3; }), HasSubstr("has no layer.2.router.weight"));
  EXPECT_THAT(refused([](RunConfig& c) { c.model.layers = 1; }), HasSubstr("tensors, and this model"));
  EXPECT_THAT(refused([](RunConfig& c) { c.model.bias_rate = 0; }), HasSubstr("--bias-rate"));
  EXPECT_THAT(refused([](RunConfig& c) { c.float64 = false; }), HasSubstr("Double in the checkpoint, and Float"));
  auto without = state;
  std::erase_if(without.tensors, [](const NamedTensor& t) { return t.name == "adam.mean.layer.0.expert.3.w1"; });
  EXPECT_THAT(refusal([&] { train(config_of(2), Mode::ep, &without); }), HasSubstr("no adam.mean.layer.0.expert.3.w1"));
}

TEST(CheckpointContent, ComesBackFromTheFile) {
  const Folder folder;
  const auto config = config_of(2);
  const auto state = train(config, Mode::ep);
  auto info = checkpoint_info(config, Mode::ep);
  info.config = "steps = 20\n";
  write_checkpoint(folder / "a", state, info);
  const auto read = read_checkpoint(folder / "a");
  expect_same_bits(read.state, state);
  EXPECT_EQ(read.info.mode, Mode::ep);
  EXPECT_EQ(read.info.mesh.ep, 2);
  EXPECT_EQ(read.info.shard_tokens, config.data.tokens);
  EXPECT_EQ(read.info.seed, config.data.seed);
  EXPECT_EQ(read.info.config, info.config);
}

/// A small checkpoint, quick to write.
TrainState small_state(std::int64_t step) {
  TrainState state;
  state.step = state.adam_steps = step;
  state.tensors = {{"layer.0.router.weight", at::full({4, 8}, static_cast<double>(step))}};
  return state;
}

std::vector<std::string> files_in(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void save(const Folder& folder, std::int64_t step, std::int64_t keep = 10) {
  save_checkpoint(folder.path(), small_state(step), checkpoint_info(config_of(2), Mode::ep), keep);
}

TEST(CheckpointFolder, KeepsTheLastOnes) {
  const Folder folder;
  for (std::int64_t step = 1; step <= 5; ++step) save(folder, step, 3);
  EXPECT_THAT(files_in(folder),
              ElementsAre("step-000003.safetensors", "step-000004.safetensors", "step-000005.safetensors"));
  save(folder, 4, 1);
  EXPECT_THAT(files_in(folder), ElementsAre("step-000004.safetensors", "step-000005.safetensors"))
      << "a later one is not this run's to delete";
}

TEST(CheckpointFolder, FindsTheNewestByNumberAndLeavesOtherFilesAlone) {
  const Folder folder;
  EXPECT_FALSE(newest_checkpoint(folder.path()).checkpoint);
  EXPECT_FALSE(newest_checkpoint(folder / "not there").checkpoint);
  for (const auto* name : {"step-000009.safetensors.partial", "step-.safetensors", "step-1x.safetensors", "notes"}) {
    write_text(folder / name, "x");
  }
  save(folder, 999'999);
  save(folder, 1'000'000);
  const auto newest = newest_checkpoint(folder.path());
  ASSERT_TRUE(newest.checkpoint);
  EXPECT_EQ(newest.checkpoint->state.step, 1'000'000);
  EXPECT_THAT(newest.refused, IsEmpty());
}

TEST(CheckpointFolder, FindsThePreviousOneWhereTheNewestIsCutAnywhere) {
  const Folder folder;
  save(folder, 1);
  save(folder, 2);
  const auto path = checkpoint_path(folder.path(), 2);
  const auto whole = text_of(path);
  for (std::size_t length = 0; length < whole.size(); length += 64) {
    write_text(path, whole.substr(0, length));
    const auto newest = newest_checkpoint(folder.path());
    ASSERT_TRUE(newest.checkpoint) << length;
    EXPECT_EQ(newest.checkpoint->state.step, 1) << length;
    ASSERT_EQ(newest.refused.size(), 1U) << length;
    EXPECT_THAT(newest.refused.front(), HasSubstr("cut off")) << length;
  }
}

TEST(CheckpointFolder, SaysWhyItPassesOverAFile) {
  const Folder folder;
  save(folder, 1);
  save(folder, 2);
  const auto second = text_of(checkpoint_path(folder.path(), 2));
  write_text(checkpoint_path(folder.path(), 3), second);
  write_text(checkpoint_path(folder.path(), 4), "another program's file");
  auto newer = second;
  newer.replace(newer.find(R"("version":"1")"), 13, R"("version":"2")");
  write_text(checkpoint_path(folder.path(), 5), newer);
  const auto newest = newest_checkpoint(folder.path());
  ASSERT_TRUE(newest.checkpoint);
  EXPECT_EQ(newest.checkpoint->state.step, 2);
  EXPECT_THAT(newest.refused, ElementsAre(HasSubstr("version 2"), HasSubstr("no checkpoint of Duet"),
                                          HasSubstr("the file was renamed")));
}

}  // namespace
}  // namespace duet
