#pragma once
/// What follows from the figures of a comparison, in plain words.
#include <string>
#include <vector>

#include "train/compare.h"

namespace duet::cli {

/// Three sentences or so: which is faster here, in which part of the step, and what would change it. Every one is made
/// from this run's figures.
/// @param cores of this machine; 0: not known
std::vector<std::string> conclusions(const CompareResult& result, unsigned cores);

/// Tokens a rank at which both ways send as many bytes; infinite when nothing is exchanged.
double byte_equal_tokens_of(const RunConfig& config);

}  // namespace duet::cli
