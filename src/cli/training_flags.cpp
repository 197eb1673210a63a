#include <fmt/format.h>

#include <array>

#include "cli/flag_groups.h"
#include "cli/parse_value.h"

namespace duet::cli {

namespace {

constexpr std::int64_t most = 1'000'000'000;

}  // namespace

std::vector<RunFlag> training_flags() {
  return {
      {"steps", "training steps; for train, 0 goes on until Ctrl-C", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.steps); },
       [](RunConfig& c, const std::string& v) { c.steps = parse_integer("steps", v, 0, most); }},
      {"lr", "Adam's learning rate", FlagKind::value,
       [](const RunConfig& c) { return fmt::format("{}", c.optimizer.lr); },
       [](RunConfig& c, const std::string& v) { c.optimizer.lr = parse_real("lr", v, 0, 1e38); }},
      {"weight-decay", "AdamW's decoupled decay of all parameters", FlagKind::value,
       [](const RunConfig& c) { return fmt::format("{}", c.optimizer.weight_decay); },
       [](RunConfig& c, const std::string& v) { c.optimizer.weight_decay = parse_real("weight-decay", v, 0, 1e38); }},
      {"clip-norm", "scale gradients down to this norm of all of them together; 0: never", FlagKind::value,
       [](const RunConfig& c) { return fmt::format("{}", c.optimizer.clip_norm); },
       [](RunConfig& c, const std::string& v) { c.optimizer.clip_norm = parse_real("clip-norm", v, 0, 1e38); }},
      {"accumulate", "micro-batches that a step's batch is cut into; the result is that of the whole batch",
       FlagKind::value, [](const RunConfig& c) { return fmt::to_string(c.accumulate); },
       [](RunConfig& c, const std::string& v) { c.accumulate = parse_integer("accumulate", v, 1, 4096); }},
      {"float64", "train in double precision", FlagKind::on_off,
       [](const RunConfig& c) { return std::string(c.float64 ? "on" : "off"); },
       [](RunConfig& c, const std::string& v) { c.float64 = parse_on_off("float64", v); }},
      {"input-grad", "the layer's input needs a gradient, as above an embedding; off saves one exchange",
       FlagKind::value, [](const RunConfig& c) { return std::string(c.input_grad ? "on" : "off"); },
       [](RunConfig& c, const std::string& v) { c.input_grad = parse_on_off("input-grad", v); }},
      {"record-tokens", "keep every token's routing in the trace", FlagKind::on_off,
       [](const RunConfig& c) { return std::string(c.record_tokens ? "on" : "off"); },
       [](RunConfig& c, const std::string& v) { c.record_tokens = parse_on_off("record-tokens", v); }},
      {"checkpoint-every", "steps between checkpoints of train; 0: only at the end", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.checkpoint_every); },
       [](RunConfig& c, const std::string& v) { c.checkpoint_every = parse_integer("checkpoint-every", v, 0, most); }},
      {"keep-checkpoints", "the last so many are kept", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.keep_checkpoints); },
       [](RunConfig& c, const std::string& v) { c.keep_checkpoints = parse_integer("keep-checkpoints", v, 1, 1000); }},
  };
}

}  // namespace duet::cli
