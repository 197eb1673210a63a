#include "viz/app/viewer.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "viz/model/frame_words.h"
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
    case Panels::flow:
      return flow_panel;
  }
  return nullptr;
}

// A line that cannot be read must not end the window: it is told, and the other steps can be looked at.
template <typename Find>
const trace::StepRecord* or_note(Frame& frame, const Find& find) {
  try {
    return find();
  } catch (const InputError& error) {
    frame.note = error.text().what;
    return nullptr;
  }
}

constexpr std::array<std::pair<const char*, Panels>, 5> tabs{{{"Time", Panels::timeline},
                                                              {"Curves", Panels::curves},
                                                              {"Load", Panels::load},
                                                              {"Traffic", Panels::traffic},
                                                              {"Flow", Panels::flow}}};

}  // namespace

void Viewer::look_at(TraceSet& trace, std::string title) {
  trace_ = &trace;
  title_ = std::move(title);
  recomputed_of_ = nullptr;
  go_to_last();
}

void Viewer::go_to_last() {
  if (const auto last = trace_->last_of_all()) go_to_step(*last);
}

void Viewer::go_to_step(std::int64_t step) {
  const auto& steps = trace_->steps();
  const auto after = std::upper_bound(steps.begin(), steps.end(), step);
  go_to_place(after == steps.begin() ? 0 : static_cast<std::size_t>(after - steps.begin()) - 1);
}

void Viewer::go_to_place(std::size_t number) {
  place_ = trace_->steps().empty() ? 0 : std::min(number, trace_->steps().size() - 1);
}

bool Viewer::refresh() {
  const bool at_the_end = place_ + 1 >= trace_->steps().size();
  const bool at_last = !at_the_end && trace_->steps()[place_] == trace_->last_of_all();
  if (!trace_->refresh()) return false;
  if (at_the_end) go_to_place(trace_->steps().size());
  if (at_last) go_to_last();
  return true;
}

Frame Viewer::frame() const {
  Frame frame;
  frame.title = title_;
  frame.shown = shown_ < trace_->modes().size() ? shown_ : 0;
  frame.step_number = place_;
  frame.steps = trace_->steps().size();
  frame.layer = layer_;
  frame.window = window_;
  frame.routing_zoom = zoom_;
  frame.flow = flow_;
  if (waterfall_) frame.waterfall_from = waterfall_->from, frame.waterfall_to = waterfall_->to;
  frame.pinned = pinned_;
  frame.note = trace_->torn() && live == nullptr ? "the last line was cut off" : "";
  frame.curves = {&trace_->summaries(), trace_->modes(), 0};
  frame.caption = caption;
  frame.dark = dark;
  frame.playing = playing_;
  frame.help = help_;
  if (live != nullptr) frame.live = live->state();
  if (trace_->steps().empty()) return frame;
  frame.step = trace_->steps()[place_];
  frame.curves.step = frame.step;
  for (std::size_t mode = 0; mode < trace_->modes().size(); ++mode) {
    frame.modes.push_back({trace_->modes()[mode], or_note(frame, [&] { return trace_->find(mode, frame.step); })});
  }
  if (live == nullptr && frame.note.empty()) frame.note = modes_missing(frame);
  add_tokens(frame);
  return frame;
}

// Single tokens take long to read, so only when a panel asked for them in the frame before.
void Viewer::add_tokens(Frame& frame) const {
  frame.what_if = what_if_;
  if (!tokens_wanted_ && !what_if_) return;
  frame.tokens = or_note(frame, [&] { return trace_->find_with_tokens(frame.shown, frame.step); });
  if (!what_if_ || !recompute || frame.tokens == nullptr) return;
  const bool same = recomputed_of_ == frame.tokens && recomputed_.step == frame.step &&
                    recomputed_.mode == frame.tokens->mode && recomputed_by_ == *what_if_;
  if (!same) {
    recomputed_of_ = frame.tokens;
    recomputed_by_ = *what_if_;
    recompute_error_.clear();
    try {
      recomputed_ = recompute(trace_->trace_of(frame.shown).header(), *frame.tokens, *what_if_);
    } catch (const InputError& error) {
      recompute_error_ = error.text().what;
    }
  }
  frame.what_if_error = recompute_error_;
  if (recompute_error_.empty()) frame.recomputed = &recomputed_;
}

bool Viewer::draw(float width, float height) {
  play_on();
  move_rows();
  const auto now = frame();
  const bool tokens_were_wanted = std::exchange(tokens_wanted_, false);
  Commands commands;
  keys(now, commands);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::Begin("Duet", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  live_panel(now, commands);
  if (now.modes.empty()) {
    ImGui::TextWrapped("%s", no_step_words(now).c_str());
  } else {
    control_panel(now, commands);
    ImGui::Separator();
    draw_panels(now, commands);
  }
  ImGui::End();
  help_panel(now, commands);
  for (const auto& command : commands) apply(command);
  // Panels ask for tokens in every frame: only the first time is there something new to draw.
  const bool by_hand = std::any_of(commands.begin(), commands.end(),
                                   [](const Command& command) { return !std::holds_alternative<NeedTokens>(command); });
  return by_hand || tokens_wanted_ != tokens_were_wanted || playing_ || flow_.progress < 1;
}

void Viewer::draw_panels(const Frame& frame, Commands& commands) const {
  if (const auto panel = panel_of(panels)) return panel(frame, commands);
  ImGui::BeginChild("left", {ImGui::GetContentRegionAvail().x * 0.45F, 0});
  ImGui::BeginChild("routing", {0, ImGui::GetContentRegionAvail().y * 0.72F}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);  // the wheel zooms
  routing_panel(frame, commands);
  ImGui::EndChild();
  ImGui::Separator();
  inspector_panel(frame, commands);
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
  const bool last = place_ + 1 >= trace_->steps().size();
  if (last) {
    playing_ = false;
  } else {
    go_to_place(place_ + 1);
  }
}

// The rows on their way to the flow's next stage.
void Viewer::move_rows() {
  constexpr float move_s = 0.8F;
  if (flow_.progress < 1) flow_.progress = std::min(1.0F, flow_.progress + ImGui::GetIO().DeltaTime / move_s);
}

void Viewer::apply(const Command& command) {
  std::visit(
      Overloaded{[&](const GoToStep& c) { go_to_place(c.number); },
                 [&](const GoToStepNumbered& c) { go_to_step(c.step); }, [&](const ShowMode& c) { shown_ = c.mode; },
                 [&](const SetWaterfall& c) { waterfall_ = c; }, [&](const ShowLayer& c) { layer_ = c.layer; },
                 [&](const Pin& c) { pinned_ = c.hit; }, [&](const SetWindow& c) { window_ = c.window; },
                 [&](const SetRoutingZoom& c) { zoom_ = c.zoom; }, [&](const SetDark& c) { dark = c.dark; },
                 [&](const Play& c) { playing_ = c.on; }, [&](const ShowHelp& c) { help_ = c.on; },
                 [&](const NeedTokens&) { tokens_wanted_ = true; }, [&](const SetWhatIf& c) { what_if_ = c.rule; },
                 [&](const GoToStage& c) {
                   flow_ = {c.stage, 0};
                 },
                 [&](const ChangeRun& c) {
                   if (live != nullptr) live->change(c.settings);
                 },
                 [&](const PauseRun& c) {
                   if (live != nullptr) live->pause(c.on);
                 },
                 [&](const StepRun&) {
                   if (live != nullptr) live->step_once();
                 },
                 [&](const ResetRun&) {
                   if (reset_live) reset_live();
                 }},
      command);
}

}  // namespace duet::viz
