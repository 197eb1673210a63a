#pragma once
/// The names of the auxiliary losses (formulas in moe/aux_loss.h).
#include <string>
#include <vector>

namespace duet {

enum class AuxKind { std, cv, cv2, switch_, z };

/// An auxiliary loss and its weight in the total.
struct AuxTerm {
  AuxKind kind = AuxKind::std;
  double weight = 0;
};

const char* name(AuxKind kind);
/// Reads "std=0.001", several terms "std=0.001,z=0.001", or "none".
/// @throws InputError naming the nearest known kind, or for a kind given twice
std::vector<AuxTerm> parse_aux(const std::string& text);
/// The text that parse_aux reads back.
std::string aux_text(const std::vector<AuxTerm>& terms);

/// Which deviation `std` and `cv` mean.
enum class Estimator { unbiased, population };

}  // namespace duet
