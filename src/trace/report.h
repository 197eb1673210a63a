#pragma once
/// A run on one page: report.html.
#include <string>
#include <vector>

#include "trace/trace.h"

namespace duet::trace {

/// What the trace does not hold; plain text.
struct ReportExtras {
  std::string title = "Duet run";
  std::string table_text;              ///< the table as it was printed; empty: left out
  std::vector<std::string> sentences;  ///< what follows from the figures
};

/// A single HTML file that loads nothing: where the time of a step goes, loss, tokens per expert, routing, drops, the
/// table, the configuration. Tokens, routing and drops are those of the first mode: the others route alike but for
/// near-ties.
std::string report_html(const Trace& trace, const ReportExtras& extras);

}  // namespace duet::trace
