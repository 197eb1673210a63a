#include "moe/aux_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "core/error.h"
#include "core/suggest.h"

namespace duet {

namespace {

constexpr std::array kinds{AuxKind::std, AuxKind::cv, AuxKind::cv2, AuxKind::switch_, AuxKind::z};

[[noreturn]] void refuse(const std::string& text, const std::string& fix) {
  throw InputError({.what = fmt::format("\"{}\" is not an auxiliary loss", text),
                    .where = "--aux",
                    .usually = "it is a kind and its weight, or several: std=0.001,z=0.001, or none",
                    .fix = fix});
}

std::string suggestion(const std::string& word) {
  if (word == "bias") return "the loss-free bias is no loss: --bias-rate 0.001";
  const auto meant = nearest(word, {"none", "std", "cv", "cv2", "switch", "z"});
  return meant.empty() ? "" : fmt::format("did you mean {}?", meant);
}

AuxTerm parse_term(const std::string& text) {
  const auto equals = text.find('=');
  const auto word = text.substr(0, equals);
  const auto* const kind = std::ranges::find_if(kinds, [&](AuxKind k) { return word == name(k); });
  if (kind == kinds.end()) refuse(text, suggestion(word));
  AuxTerm term{*kind, 0};
  const auto* const last = text.data() + text.size();
  const auto* const first = equals == std::string::npos ? last : text.data() + equals + 1;
  const auto [end, problem] = std::from_chars(first, last, term.weight);
  const bool whole = problem == std::errc() && end == last;
  if (!whole || !(term.weight >= 0 && term.weight < 1e9)) {
    refuse(text, fmt::format("give a weight from 0 to a thousand million: {}=0.001", word));
  }
  return term;
}

}  // namespace

const char* name(AuxKind kind) {
  switch (kind) {
    case AuxKind::std:
      return "std";
    case AuxKind::cv:
      return "cv";
    case AuxKind::cv2:
      return "cv2";
    case AuxKind::switch_:
      return "switch";
    case AuxKind::z:
      break;
  }
  return "z";
}

std::vector<AuxTerm> parse_aux(const std::string& text) {
  std::vector<AuxTerm> terms;
  if (text == "none") return terms;
  std::stringstream list(text);
  for (std::string one; std::getline(list, one, ',');) {
    const auto term = parse_term(one);
    const bool twice = std::ranges::any_of(terms, [&](const AuxTerm& other) { return other.kind == term.kind; });
    if (twice) refuse(text, fmt::format("{} is there twice: give it once", name(term.kind)));
    terms.push_back(term);
  }
  if (terms.empty() || text.back() == ',') refuse(text, "give a kind and its weight, or none");
  return terms;
}

std::string aux_text(const std::vector<AuxTerm>& terms) {
  if (terms.empty()) return "none";
  std::string text;
  for (const auto& term : terms) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}={}", name(term.kind), term.weight);
  }
  return text;
}

}  // namespace duet
