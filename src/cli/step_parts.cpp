#include "cli/step_parts.h"

namespace duet::cli {

namespace {

double work_us(const trace::Breakdown& breakdown, const trace::PhaseKey& key) {
  for (const auto& row : breakdown.rows) {
    if (row.key == key) return row.work_us.mean;
  }
  return 0;
}

}  // namespace

std::array<PartTime, part_count> parts_of(const trace::Breakdown& breakdown) {
  std::array<PartTime, part_count> parts;
  for (const auto& row : breakdown.rows) {
    parts[static_cast<std::size_t>(Part::computing)].us += row.work_us.mean;
    const auto part = row.key.phase == trace::Phase::grad_sync ? Part::synchronising : Part::exchange;
    auto& communication = parts[static_cast<std::size_t>(part)];
    communication.us += row.wait_us.mean + row.transfer_us.mean;
    communication.wait_us += row.wait_us.mean;
  }
  return parts;
}

WorkDifference largest_work_difference(const trace::Breakdown& a, const trace::Breakdown& b, int sign) {
  WorkDifference largest;
  double most = 0;
  for (const auto& key : trace::phase_order()) {
    const double in_a = work_us(a, key);
    const double in_b = work_us(b, key);
    if (sign * (in_a - in_b) <= most) continue;
    most = sign * (in_a - in_b);
    largest = {.phase = trace::label(key), .a_us = in_a, .b_us = in_b};
  }
  return largest;
}

}  // namespace duet::cli
