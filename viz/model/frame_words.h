#pragma once
/// What a frame lacks, in words.
#include <string>

#include "viz/model/frame.h"

namespace duet::viz {

/// "without this step: b ep, b dp"; empty where every mode has it. Of two traces the one may be longer, and a trace may
/// end within a step.
std::string modes_missing(const Frame& frame);

/// What "ep" or, of two traces, "b ep" stands for.
const char* mode_in_words(const std::string& mode);

/// Instead of pictures, where there is no step.
std::string no_step_words(const Frame& frame);

}  // namespace duet::viz
