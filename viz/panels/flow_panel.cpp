#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "viz/model/flow_layout.h"
#include "viz/model/flow_stages.h"
#include "viz/model/flow_words.h"
#include "viz/panels/canvas.h"
#include "viz/panels/palette.h"
#include "viz/panels/panels.h"

namespace duet::viz {

namespace {

// What is missing; empty when the picture can be drawn.
std::string missing(const Frame& frame) {
  const auto& mode = frame.modes[frame.shown];
  if (mode.step == nullptr) return fmt::format("{} has no step {}", mode.mode, frame.step);
  if (frame.tokens == nullptr) return "Reading the step's single tokens.";
  if (!lacks_tokens(*frame.tokens, frame.layer)) return "";
  return "This trace was written without its single tokens, and they are what is walked through a layer here. Write "
         "one "
         "with them:\n\n    ./duet compare --record-tokens on";
}

// Whether a button of that text still fits behind the last one.
bool fits_behind(const char* text) {
  const float width = ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x;
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  return ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + width < right;
}

void steps(Stage now, bool dark, Commands& commands) {
  const auto number = static_cast<int>(now);
  if (ImGui::Button("back") && number > 0) commands.push_back(GoToStage{number - 1});
  ImGui::SameLine();
  if (ImGui::Button("next") && number + 1 < stage_count) commands.push_back(GoToStage{number + 1});
  ImGui::SameLine();
  ImGui::TextUnformatted(fmt::format("{} of {}: {}", number + 1, stage_count, name(now)).c_str());
  const auto& style = ImGui::GetStyle();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {style.ItemSpacing.x * 0.4F, style.ItemSpacing.y});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {style.FramePadding.x * 0.75F, style.FramePadding.y});
  for (int i = 0; i < stage_count; ++i) {
    const auto stage = stage_of(i);
    const auto text = fmt::format("{} {}", i + 1, name(stage));
    if (i > 0 && fits_behind(text.c_str())) ImGui::SameLine();
    const bool is_now = stage == now, is_twin = stage == twin_of(now) && !is_now;
    const Colour paper = is_now ? Colour{Ink::accent} : is_twin ? Colour{Ink::accent, 0, 0.3F} : Colour{Ink::card};
    ImGui::PushStyleColor(ImGuiCol_Button, value_of(paper, dark));
    ImGui::PushStyleColor(ImGuiCol_Text, value_of({is_now ? Ink::paper : Ink::text}, dark));
    if (ImGui::SmallButton(text.c_str())) commands.push_back(GoToStage{i});
    ImGui::PopStyleColor(2);
  }
  ImGui::PopStyleVar(2);
}

// The sentences, in a room that all stages' fit into, so that the picture below stays where it is.
void sentences(const FlowBatch& batch, const trace::StepRecord& step, Stage now) {
  const float width = ImGui::GetContentRegionAvail().x;
  float height = 0;
  for (int i = 0; i < stage_count; ++i) {
    const auto text = tell_stage(batch, step, stage_of(i));
    height = std::max(height, ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y);
  }
  const float top = ImGui::GetCursorPosY();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  ImGui::TextUnformatted(tell_stage(batch, step, now).c_str());
  ImGui::PopTextWrapPos();
  ImGui::SetCursorPosY(top + height + 2 * ImGui::GetStyle().ItemSpacing.y);
}

}  // namespace

void flow_panel(const Frame& frame, Commands& commands) {
  commands.push_back(NeedTokens{});
  const auto why = missing(frame);
  if (!why.empty()) {
    ImGui::PushTextWrapPos();
    ImGui::TextUnformatted(why.c_str());
    ImGui::PopTextWrapPos();
    return;
  }
  const auto now = stage_of(frame.flow.stage);
  const auto& step = *frame.tokens;
  const auto batch = flow_batch(step, frame.layer, frame.pinned);
  steps(now, frame.dark, commands);
  sentences(batch, step, now);
  const Canvas canvas("flow");
  const auto shapes = lay_out_flow(step, {frame.layer, frame.flow, frame.pinned}, canvas.rect(), canvas.line());
  canvas.draw(shapes, frame.dark);
  const auto hit = canvas.hovered(shapes);
  if (canvas.clicked()) commands.push_back(Pin{hit == frame.pinned ? Hit{} : hit});
  const auto words = tell_flow(batch, hit.thing == Thing::none ? frame.pinned : hit);
  canvas.say(!words.empty() ? words
                            : "light: a row on its way; full: an expert's answer; hatched: a gradient. A click pins a "
                              "token.");
}

}  // namespace duet::viz
