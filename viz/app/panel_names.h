#pragma once
/// What `--panel` calls the panels; tests and benchmarks go through all of them.
#include <map>
#include <string>

#include "core/error.h"
#include "viz/app/viewer.h"

namespace duet::viz {

inline std::map<std::string, Panels> panel_names() {
  return {{"all", Panels::all},       {"routing", Panels::routing}, {"timeline", Panels::timeline},
          {"curves", Panels::curves}, {"load", Panels::load},       {"traffic", Panels::traffic},
          {"flow", Panels::flow}};
}

/// @throws InputError for a name that there is not
inline Panels panel_named(const std::string& name) {
  const auto names = panel_names();
  if (const auto found = names.find(name); found != names.end()) return found->second;
  std::string all;
  for (const auto& [one, panels] : names) all += (all.empty() ? "" : ", ") + one;
  throw InputError({.what = "--panel is '" + name + "'", .where = {}, .usually = {}, .fix = "one of " + all});
}

}  // namespace duet::viz
