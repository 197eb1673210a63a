#include "viz/app/viewer.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>

#include "viz/panels/panels.h"

namespace duet::viz {

namespace {

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

using Panel = void (*)(const Frame&, Commands&);

// The one panel that was asked for; null for all.
Panel panel_of(Panels panels) {
  switch (panels) {
    case Panels::all:
      return nullptr;
    case Panels::routing:
      return routing_panel;
    case Panels::timeline:
      return timeline_panel;
    case Panels::curves:
      return curves_panel;
    case Panels::load:
      return load_panel;
    case Panels::traffic:
      return traffic_panel;
  }
  return nullptr;
}

constexpr std::array<std::pair<const char*, Panels>, 4> tabs{
    {{"Time", Panels::timeline}, {"Curves", Panels::curves}, {"Load", Panels::load}, {"Traffic", Panels::traffic}}};

}  // namespace

void Viewer::go_to_step(std::int64_t step) {
  const auto& steps = trace_.steps();
  const auto after = std::upper_bound(steps.begin(), steps.end(), step);
  go_to_place(after == steps.begin() ? 0 : static_cast<std::size_t>(after - steps.begin()) - 1);
}

void Viewer::go_to_place(std::size_t number) {
  place_ = trace_.steps().empty() ? 0 : std::min(number, trace_.steps().size() - 1);
}

Frame Viewer::frame() const {
  Frame frame;
  frame.title = title_;
  frame.shown = shown_;
  frame.step_number = place_;
  frame.steps = trace_.steps().size();
  frame.window = window_;
  frame.pinned = pinned_;
  frame.note = trace_.torn() ? "the last line was cut off" : "";
  frame.curves = {&trace_.summaries(), trace_.modes(), 0};
  frame.caption = caption;
  frame.dark = dark;
  frame.playing = playing_;
  frame.help = help_;
  if (trace_.steps().empty()) return frame;
  frame.step = trace_.steps()[place_];
  frame.curves.step = frame.step;
  for (std::size_t mode = 0; mode < trace_.modes().size(); ++mode) {
    frame.modes.push_back({trace_.modes()[mode], trace_.find(static_cast<int>(mode), frame.step)});
  }
  return frame;
}

bool Viewer::draw(float width, float height) {
  play_on();
  const auto now = frame();
  Commands commands;
  keys(now, commands);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::Begin("Duet", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  if (now.modes.empty()) {
    ImGui::TextUnformatted("This trace holds no step yet.");
  } else {
    control_panel(now, commands);
    ImGui::Separator();
    draw_panels(now, commands);
  }
  ImGui::End();
  help_panel(now, commands);
  for (const auto& command : commands) apply(command);
  return !commands.empty() || playing_;
}

void Viewer::draw_panels(const Frame& frame, Commands& commands) const {
  if (const auto panel = panel_of(panels)) return panel(frame, commands);
  ImGui::BeginChild("left", {ImGui::GetContentRegionAvail().x * 0.45F, 0});
  routing_panel(frame, commands);
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("right");
  if (ImGui::BeginTabBar("views")) {
    for (const auto& [title, which] : tabs) {
      if (!ImGui::BeginTabItem(title)) continue;
      ImGui::BeginChild(title);
      panel_of(which)(frame, commands);
      ImGui::EndChild();
      ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
  }
  ImGui::EndChild();
}

void Viewer::play_on() {
  constexpr double step_s = 0.15;
  if (!playing_ || ImGui::GetTime() - shown_since_s_ < step_s) return;
  shown_since_s_ = ImGui::GetTime();
  const bool last = place_ + 1 >= trace_.steps().size();
  if (last) {
    playing_ = false;
  } else {
    go_to_place(place_ + 1);
  }
}

void Viewer::apply(const Command& command) {
  std::visit(Overloaded{[&](const GoToStep& c) { go_to_place(c.number); },
                        [&](const GoToStepNumbered& c) { go_to_step(c.step); },
                        [&](const ShowMode& c) { shown_ = c.mode; }, [&](const Pin& c) { pinned_ = c.hit; },
                        [&](const SetWindow& c) { window_ = c.window; }, [&](const SetDark& c) { dark = c.dark; },
                        [&](const Play& c) { playing_ = c.on; }, [&](const ShowHelp& c) { help_ = c.on; }},
             command);
}

}  // namespace duet::viz
