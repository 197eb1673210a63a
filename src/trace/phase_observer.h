#pragma once
/// Somebody who hears when phases begin and end on a rank's thread, such as a device's clock.
#include <cstddef>

#include "trace/record.h"

namespace duet::trace {

class PhaseObserver {
 public:
  virtual ~PhaseObserver() = default;

  /// @param event the phase's place in Recorder::events(). Phases nest
  virtual void phase_begins(std::size_t event, Phase phase) = 0;
  virtual void phase_ends(std::size_t event) noexcept = 0;  ///< also where an error ends the phase
};

}  // namespace duet::trace
