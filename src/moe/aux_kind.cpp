#include "moe/aux_kind.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "core/error.h"
#include "core/suggest.h"

namespace duet {

namespace {

struct NamedKind {
  AuxKind kind;
  const char* name;
};
constexpr std::array kinds{NamedKind{AuxKind::none, "none"}, NamedKind{AuxKind::std, "std"},
                           NamedKind{AuxKind::cv, "cv"}, NamedKind{AuxKind::switch_, "switch"}};

[[noreturn]] void refuse(const std::string& text, const std::string& word) {
  const auto meant = nearest(word, {"none", "std", "cv", "switch"});
  throw InputError({.what = fmt::format("\"{}\" is not an auxiliary loss", text),
                    .where = "--aux",
                    .usually = "it is a kind and its weight: std=0.001, cv=0.01, switch=0.01, or none",
                    .fix = meant.empty() ? "" : fmt::format("did you mean {}?", meant)});
}

}  // namespace

const char* name(AuxKind kind) {
  for (const auto& entry : kinds) {
    if (entry.kind == kind) return entry.name;
  }
  return "?";
}

AuxTerm parse_aux(const std::string& text) {
  const auto equals = text.find('=');
  const auto word = text.substr(0, equals);
  for (const auto& entry : kinds) {
    if (word != entry.name) continue;
    if (entry.kind == AuxKind::none) {
      if (equals != std::string::npos) break;  // no loss has no weight
      return {};
    }
    AuxTerm term{entry.kind, 0};
    const auto* const last = text.data() + text.size();
    const auto* const first = equals == std::string::npos ? last : text.data() + equals + 1;
    const auto [end, problem] = std::from_chars(first, last, term.weight);
    if (problem == std::errc() && end == last && term.weight >= 0 && term.weight < 1e9) return term;
  }
  refuse(text, word);
}

}  // namespace duet
