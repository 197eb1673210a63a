#include "trace/html.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

namespace duet::trace {

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// "Tokens per expert, layer 1" becomes tokens-per-expert-layer-1.
static std::string identifier(std::string_view title) {
  std::string id;
  for (const char c : title) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  return id;
}

std::string section(std::string_view title, std::string_view body) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", identifier(title), escape(title), body);
}

std::string paragraph(std::string_view text) { return fmt::format("<p>{}</p>\n", escape(text)); }

std::string legend(const std::vector<LegendEntry>& entries) {
  std::string out = "<ul class=\"legend\">";
  for (const auto& entry : entries) {
    out += fmt::format("<li><i class=\"{}\"></i>{}</li>", entry.color, escape(entry.label));
  }
  return out + "</ul>\n";
}

std::string drawing(std::string_view label, double width, double height, std::string_view shapes) {
  return fmt::format(
      "<div class=\"drawing\"><svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
      "height=\"{:.0f}\">\n{}</svg></div>\n",
      escape(label), width, height, width, height, shapes);
}

std::string with_commas(std::int64_t count) {
  auto digits = fmt::format("{}", count);
  for (auto at = std::ssize(digits) - 3; at > (count < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 100 && size < 1e7) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace duet::trace
