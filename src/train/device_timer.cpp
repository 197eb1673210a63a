#include "train/device_timer.h"

#include "core/clock.h"
#include "core/gpu/gpu.h"

namespace duet {

c10::Stream DeviceTimer::stream() const { return c10::impl::VirtualGuardImpl(device_.type()).getStream(device_); }

void DeviceTimer::start_step() {
  used_ = 0;
  open_.clear();
  base_.record(stream());
  base_.synchronize();
  base_ns_ = now_ns();
}

void DeviceTimer::phase_begins(std::size_t event, trace::Phase phase) {
  gpu::begin_range(trace::name(phase));
  if (used_ == spans_.size()) spans_.emplace_back(device_.type());
  spans_[used_].event = event;
  spans_[used_].begin.record(stream());
  open_.push_back(used_++);
}

void DeviceTimer::phase_ends(std::size_t event) noexcept {
  static_cast<void>(event);  // phases nest: it is the innermost one's
  try {
    spans_[open_.back()].end.record(stream());
  } catch (const std::exception& error) {
    static_cast<void>(error);  // a device that failed says so at the next call, where an error can be thrown
  }
  open_.pop_back();
  gpu::end_range();
}

void DeviceTimer::write_to(std::vector<trace::Event>& events) {
  gpu::synchronise(device_);
  constexpr double ns_per_ms = 1e6;
  const auto on_host = [&](const c10::Event& mark) {
    return base_ns_ + static_cast<std::int64_t>(ns_per_ms * base_.elapsedTime(mark));
  };
  for (std::size_t i = 0; i < used_; ++i) {
    auto& event = events.at(spans_[i].event);
    event.device_start_ns = on_host(spans_[i].begin);
    event.device_end_ns = on_host(spans_[i].end);
  }
}

std::unique_ptr<DeviceTimer> make_device_timer(const at::Device& device) {
  return device.is_cpu() ? nullptr : std::make_unique<DeviceTimer>(device);
}

}  // namespace duet
