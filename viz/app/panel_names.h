#pragma once
/// What `--panel` calls the panels; tests and benchmarks go through all of them.
#include <map>
#include <string>

#include "viz/app/viewer.h"

namespace duet::viz {

inline std::map<std::string, Panels> panel_names() {
  return {{"all", Panels::all},       {"routing", Panels::routing}, {"timeline", Panels::timeline},
          {"curves", Panels::curves}, {"load", Panels::load},       {"traffic", Panels::traffic},
          {"flow", Panels::flow}};
}

}  // namespace duet::viz
