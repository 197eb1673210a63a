#pragma once
/// The names of the auxiliary losses (formulas in moe/aux_loss.h).
#include <string>

namespace duet {

enum class AuxKind { none, std, cv, switch_ };

/// An auxiliary loss and its weight in the total, as `--aux std=0.001` says it.
struct AuxTerm {
  AuxKind kind = AuxKind::none;
  double weight = 0;
};

const char* name(AuxKind kind);
/// Reads "std=0.001" or "none". Throws InputError naming the nearest known kind.
AuxTerm parse_aux(const std::string& text);

}  // namespace duet
