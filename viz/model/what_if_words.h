#pragma once
/// What a rule of capacity changes, and why there is nothing to show.
#include <string>

#include "viz/model/frame.h"

namespace duet::viz {

/// The record that is drawn: the shown mode's, or with other drops what a rule made of it. Null: the mode lacks the
/// step.
const trace::StepRecord* drawn_step(const Frame& frame);
/// The same with its single tokens; null: none are there yet.
const trace::StepRecord* drawn_tokens(const Frame& frame);

/// "what if 1.0 by position: 12 dropped instead of 31 (outlined)", or why not; empty: nobody asked.
std::string tell_what_if(const Frame& frame);

/// Why no rule can be tried now; empty: one can.
std::string what_if_refused(const Frame& frame);

/// What to say where single tokens are asked for and the trace has none; empty: it has, or is still being read.
std::string tokens_missing(const Frame& frame);

}  // namespace duet::viz
