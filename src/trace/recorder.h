#pragma once
/// Collects one rank's events. Cheap enough to be always on: two clock reads and one push a phase.
#include "core/clock.h"
#include "trace/phase_observer.h"
#include "trace/record.h"

namespace duet::trace {

class Recorder {
 public:
  /// Closes its phase when it goes out of scope.
  class Scope {
   public:
    Scope(Recorder* recorder, Phase phase, Direction direction);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Recorder* recorder_;
    std::size_t index_ = 0;
    std::size_t outer_ = 0;
  };

  /// Forgets the events of the last step; keeps the memory.
  void clear();
  /// A communication that just ended; it belongs to the innermost open phase. A no-op for null `recorder`.
  static void communication(Recorder* recorder, Event event);

  /// Events from now on belong to this MoE layer.
  void set_layer(int layer) { layer_ = layer; }
  int layer() const { return layer_; }

  /// Hears of every phase from now on; null (the default): nobody. It outlives the recorder's use.
  void set_observer(PhaseObserver* observer) { observer_ = observer; }

  const std::vector<Event>& events() const { return events_; }

 private:
  std::vector<Event> events_;
  static constexpr std::size_t no_phase = static_cast<std::size_t>(-1);
  int layer_ = 0;
  PhaseObserver* observer_ = nullptr;
  std::size_t open_ = no_phase;  ///< index of the innermost open phase
};

}  // namespace duet::trace
