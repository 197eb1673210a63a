#include <array>
#include <utility>

#include "viz/model/flow_stages.h"
#include "viz/panels/imgui_compat.h"
#include "viz/panels/panels.h"

namespace duet::viz {

namespace {

constexpr auto key_help = std::to_array<std::pair<const char*, const char*>>(
    {{"left, right", "the step before, the next"},
     {"Home, End", "the first step, the last"},
     {"Space", "play and pause; of a run that goes on, pause and go on"},
     {"N", "one step of a run that goes on"},
     {"W, S or the wheel", "zoom in time, in and out"},
     {"A, D or dragging", "move in time"},
     {"wheel over the ribbons", "to single tokens; dragging moves"},
     {"[, ]", "the flow's stage before, the next"},
     {"F", "all of the step's time, and all of its tokens"},
     {"L", "light and dark"},
     {"?", "this list"}});

// The window of time after zooming by `factor` round its middle and moving by `share` of it.
TimeWindow changed(const Frame& frame, double factor, double share) {
  const double all = longest_us(frame.modes);
  const auto now = frame.window.to_us > frame.window.from_us ? frame.window : TimeWindow{0, all};
  const double span = (now.to_us - now.from_us) * factor;
  const double middle = (now.from_us + now.to_us) / 2 + share * span;
  return span >= all ? TimeWindow{0, all} : TimeWindow{middle - span / 2, middle + span / 2};
}

void letter(const Frame& frame, ImWchar typed, Commands& commands) {
  switch (typed) {
    case ' ':
      if (frame.live) return commands.push_back(PauseRun{!frame.live->paused});
      return commands.push_back(Play{!frame.playing});
    case 'n':
      if (frame.live) commands.push_back(StepRun{});
      return;
    case 'w':
      return commands.push_back(SetWindow{changed(frame, 0.8, 0)});
    case 's':
      return commands.push_back(SetWindow{changed(frame, 1.25, 0)});
    case 'a':
      return commands.push_back(SetWindow{changed(frame, 1, -0.1)});
    case 'd':
      return commands.push_back(SetWindow{changed(frame, 1, 0.1)});
    case 'f':
      commands.push_back(SetWindow{});
      return commands.push_back(SetRoutingZoom{});
    case 'l':
      return commands.push_back(SetDark{!frame.dark});
    case '[':
      if (frame.flow.stage > 0) commands.push_back(GoToStage{frame.flow.stage - 1});
      return;
    case ']':
      if (frame.flow.stage + 1 < stage_count) commands.push_back(GoToStage{frame.flow.stage + 1});
      return;
    case '?':
      return commands.push_back(ShowHelp{!frame.help});
    default:
      return;
  }
}

}  // namespace

void keys(const Frame& frame, Commands& commands) {
  if (ImGui::GetIO().WantTextInput) return;
  const auto last = frame.steps == 0 ? 0 : frame.steps - 1;
  if (key_pressed(ImGuiKey_LeftArrow) && frame.step_number > 0) commands.push_back(GoToStep{frame.step_number - 1});
  if (key_pressed(ImGuiKey_RightArrow) && frame.step_number < last) commands.push_back(GoToStep{frame.step_number + 1});
  if (key_pressed(ImGuiKey_Home)) commands.push_back(GoToStep{0});
  if (key_pressed(ImGuiKey_End)) commands.push_back(GoToStep{last});
  for (const auto typed : ImGui::GetIO().InputQueueCharacters) letter(frame, typed, commands);
}

void help_panel(const Frame& frame, Commands& commands) {
  if (!frame.help) return;
  const auto size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  bool open = true;
  ImGui::Begin("Keys", &open, ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings);
  for (const auto& [key, what] : key_help) {
    ImGui::TextUnformatted(key);
    ImGui::SameLine(ImGui::GetFontSize() * 12);
    ImGui::TextUnformatted(what);
  }
  ImGui::End();
  if (!open) commands.push_back(ShowHelp{false});
}

}  // namespace duet::viz
