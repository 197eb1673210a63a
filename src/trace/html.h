#pragma once
/// The pieces of HTML that the report's parts share.
#include <string>
#include <string_view>
#include <vector>

namespace duet::trace {

/// Text as it may stand anywhere in a page, attributes too.
std::string escape(std::string_view text);

/// @param title plain text
/// @param body HTML
std::string section(std::string_view title, std::string_view body);

/// A paragraph.
/// @param text plain text
std::string paragraph(std::string_view text);

/// What a colour of a chart means. Colours are the page's classes c0 to c10 (report_page.h).
struct LegendEntry {
  std::string color;  ///< "c0"
  std::string label;  ///< plain text
};

std::string legend(const std::vector<LegendEntry>& entries);

/// Frames a drawing as wide as the page, or wider and then scrolled.
/// @param label what it shows, for who cannot see it; plain text
/// @param shapes SVG
std::string drawing(std::string_view label, double width, double height, std::string_view shapes);

/// A count with its thousands set apart: 1,234,567.
std::string with_commas(std::int64_t count);

/// Three digits, without an exponent where there is room: 0.0123, 45.6, 1234.
std::string three_digits(double value);

}  // namespace duet::trace
