#pragma once
/// What to do about errors of LibTorch and of the exchanges, which say what is wrong and not what mends it.
#include <string>

namespace duet::lessons {

/// A sentence for an error's text; empty where there is none.
std::string advice_for(const std::string& error);

}  // namespace duet::lessons
