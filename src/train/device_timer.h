#pragma once
/// Device time of phases: CUDA events round what each phase starts on the device, told on the host's clock. And a named
/// range a phase for NVIDIA's profilers.
#include <c10/core/Event.h>

#include "core/tensor.h"
#include "trace/phase_observer.h"

namespace duet {

class DeviceTimer final : public trace::PhaseObserver {
 public:
  explicit DeviceTimer(const at::Device& device) : device_(device), base_(device.type(), with_timing) {}

  /// Where the two clocks meet; waits for the device. Call where a step begins, outside of what is timed.
  void start_step();

  void phase_begins(std::size_t event, trace::Phase phase) override;
  void phase_ends(std::size_t event) noexcept override;

  /// Waits for the device and writes the times of the step's phases into its events.
  void write_to(std::vector<trace::Event>& events);

 private:
  static constexpr auto with_timing = c10::EventFlag::BACKEND_DEFAULT;  // torch's own default has none

  /// One phase's marks. Kept from step to step: making an event costs more than recording it.
  struct Span {
    explicit Span(c10::DeviceType type) : begin(type, with_timing), end(type, with_timing) {}
    c10::Event begin, end;
    std::size_t event = 0;
  };

  c10::Stream stream() const;

  at::Device device_;
  c10::Event base_;
  std::int64_t base_ns_ = 0;  ///< core/clock.h
  std::vector<Span> spans_;
  std::size_t used_ = 0;           ///< of the spans, in this step
  std::vector<std::size_t> open_;  ///< spans that have begun and not ended, the innermost last
};

/// Null for the CPU, whose time is the host's.
std::unique_ptr<DeviceTimer> make_device_timer(const at::Device& device);

}  // namespace duet
