#pragma once
/// The report's frame: the page around its sections, with its colours, light and dark.
#include <string>
#include <string_view>

namespace duet::trace {

/// A whole page that loads nothing. Its classes c0 to c10 are the phases' colours (c10: between phases) and those of
/// experts; m0 to m2 those of modes.
/// @param title plain text
/// @param body HTML
std::string page(std::string_view title, std::string_view body);

}  // namespace duet::trace
