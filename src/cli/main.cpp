#include <cstdio>

#include <fmt/format.h>

#include "train/compare.h"

int main() {
  duet::RunConfig config;
  const auto result = duet::run_compare(config, {}, {});
  const auto show = [](const char* name, const duet::ModeSummary& mode) {
    fmt::print(
        "{:8} {:8.1f} us median {:8.1f} min, {:9.0f} B measured {:9.0f} formula, {} B params, loss {:.4f} -> {:.4f}\n",
        name, mode.breakdown.step_us.median, mode.breakdown.step_us.min, mode.bytes.measured, mode.bytes.formula,
        mode.parameter_bytes, mode.loss_first(), mode.loss_last());
    for (const auto& row : mode.breakdown.rows) {
      fmt::print("  {:20} {:8.1f} {:8.1f} {:8.1f}\n", duet::trace::label(row.key), row.work_us.mean, row.wait_us.mean,
                 row.transfer_us.mean);
    }
  };
  show("ep", result.ep);
  show("dp", result.dp);
  show("single", result.single);
  fmt::print("f64 {} f32 {} equal {}\n", result.difference_f64.largest(), result.difference.largest(), result.equal);
  return 0;
}
