#include "trace/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "trace/html.h"
#include "trace/modes.h"
#include "trace/report_balance.h"
#include "trace/report_bars.h"
#include "trace/report_lines.h"
#include "trace/report_matrix.h"
#include "trace/report_page.h"

namespace duet::trace {

namespace {

using nlohmann::ordered_json;

std::string facts(const Trace& trace) {
  const auto& header = trace.header;
  std::vector<std::string> parts;
  if (!header.created.empty()) parts.push_back(header.created);
  parts.push_back(fmt::format("{} rank{} ({}, {})", header.world_size, header.world_size == 1 ? "" : "s",
                              header.transport, header.device));
  for (const auto& mode : modes_of(trace)) {
    parts.push_back(fmt::format("{}: {} steps", mode, with_commas(std::ssize(steps_of(trace, mode)))));
  }
  if (header.warm_up > 0) parts.push_back(fmt::format("times without the first {} steps", with_commas(header.warm_up)));
  return fmt::format("<p class=\"facts\">{}</p>\n", escape(fmt::format("{}", fmt::join(parts, " · "))));
}

std::string warning(const Trace& trace) {
  const char* text = nullptr;
  if (trace.interrupted) text = "The run was interrupted; this is what there was of it.";
  if (!trace.complete) text = "The run did not end in order: the trace stops after the last whole step.";
  return text == nullptr ? "" : fmt::format("<p class=\"warning\">{}</p>\n", text);
}

std::string sentences_of(const ReportExtras& extras) {
  std::string out;
  for (const auto& sentence : extras.sentences) out += fmt::format("<p class=\"said\">{}</p>\n", escape(sentence));
  return out;
}

std::string table_section(const ReportExtras& extras) {
  if (extras.table_text.empty()) return "";
  return section("The table", fmt::format("<pre>{}</pre>\n", escape(extras.table_text)));
}

// A row for each value; keys inside keys are joined with dots.
std::string config_rows(const ordered_json& object, const std::string& before) {
  std::string rows;
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      rows += config_rows(value, before + key + ".");
    } else {
      const auto text = value.is_string() ? value.get<std::string>() : value.dump();
      rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escape(before + key), escape(text));
    }
  }
  return rows;
}

std::string config_section(const Header& header) {
  const auto config = ordered_json::parse(header.config, nullptr, /*allow_exceptions=*/false);
  const auto rows = config.is_object() ? config_rows(config, "") : "";
  if (rows.empty()) return section("Configuration", paragraph("The trace holds none."));
  return section("Configuration", fmt::format("<table class=\"config\"><tbody>\n{}</tbody></table>\n", rows));
}

// Of every layer: where its tokens went, and what was dropped.
std::string layer_sections(const Trace& trace, const std::string& mode) {
  std::string out;
  const auto layers = trace.steps.empty() ? 1 : std::max<std::size_t>(1, layers_of(trace.steps.front()));
  for (std::size_t layer = 0; layer < layers; ++layer) {
    out += tokens_section(trace, mode, layer) + routing_section(trace, mode, layer) +
           drops_section(trace, mode, layer) + balance_section(trace, mode, layer);
  }
  return out;
}

}  // namespace

std::string report_html(const Trace& trace, const ReportExtras& extras) {
  const auto mode = trace.steps.empty() ? std::string() : trace.steps.front().mode;
  return page(extras.title, fmt::format("<h1>{}</h1>\n", escape(extras.title)) + facts(trace) + warning(trace) +
                                sentences_of(extras) + breakdown_section(trace) + loss_section(trace) +
                                layer_sections(trace, mode) + table_section(extras) + config_section(trace.header));
}

}  // namespace duet::trace
