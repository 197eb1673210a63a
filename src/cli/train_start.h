#pragma once
/// Where `./duet train` begins: at the first step, or where an earlier run stopped (docs/checkpoints.md).
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/verb_flags.h"
#include "trace/trace.h"
#include "train/checkpoint_content.h"

namespace duet::cli {

struct TrainFlags : VerbFlags {
  std::string mode;    ///< empty: ep, or that of the run that is resumed
  std::string resume;  ///< the folder of an earlier run; empty: a new run
};

struct TrainStart {
  RunConfig config;
  Mode mode = Mode::ep;
  bool resumed = false;
  std::optional<TrainState> state;             ///< nothing: from the first step
  std::filesystem::path checkpoint;            ///< the file that `state` is of
  std::vector<trace::StepRecord> before = {};  ///< the earlier run's steps up to there
  bool trace_unread = false;                   ///< they could not be read
};

/// Reads the flags, and with --resume the earlier run. What is passed over, and why, goes to stderr. Nothing is
/// written.
/// @throws InputError when the flags do not fit each other, or change what the checkpoint stands on
TrainStart train_start(const TrainFlags& flags);

}  // namespace duet::cli
