#include "viz/panels/palette.h"

#include <array>
#include <cstdint>

namespace duet::viz {

namespace {

// As in src/trace/report_page.cpp: .c0 to .c9.
constexpr std::array<std::uint32_t, 10> of_phases{0x7e62dc, 0xa85aa3, 0xa97908, 0xd9622b, 0x2f7fd1,
                                                  0xcf4f46, 0x4f9236, 0x1f8f8a, 0xc9478f, 0x8c7a4e};
// Told apart by colour-blind eyes as far as eight can be; hatching is the second cue.
constexpr std::array<std::uint32_t, 8> of_experts{0x2f7fd1, 0xd9622b, 0x4f9236, 0x7e62dc,
                                                  0xa97908, 0x1f8f8a, 0xc9478f, 0x6b7280};

std::uint32_t rgb(Colour colour, bool dark) {
  const auto index = static_cast<std::size_t>(colour.index < 0 ? 0 : colour.index);
  switch (colour.ink) {
    case Ink::text:
      return dark ? 0xe6edf3 : 0x1c2128;
    case Ink::muted:
      return dark ? 0x9aa4af : 0x57606a;
    case Ink::rule:
      return dark ? 0x343c46 : 0xd0d7de;
    case Ink::paper:
      return dark ? 0x0f141a : 0xffffff;
    case Ink::card:
      return dark ? 0x171d25 : 0xf6f8fa;
    case Ink::dropped:
      return dark ? 0xff7b72 : 0xb91c1c;
    case Ink::good:
      return dark ? 0x4fae5f : 0x2f8a3d;
    case Ink::accent:
      return dark ? 0x3f8fe0 : 0x1f5fa8;
    case Ink::expert:
      return of_experts[index % of_experts.size()];
    case Ink::phase:
      return of_phases[index % of_phases.size()];
  }
  return 0;
}

ImVec4 channels(Ink ink, bool dark, float alpha = 1) {
  return ImGui::ColorConvertU32ToFloat4(value_of({ink, 0, alpha}, dark));
}

}  // namespace

ImU32 value_of(Colour colour, bool dark) {
  const auto value = rgb(colour, dark);
  return IM_COL32((value >> 16) & 0xFF, (value >> 8) & 0xFF, value & 0xFF, static_cast<int>(colour.alpha * 255 + 0.5F));
}

void apply_style(bool dark, float scale) {
  auto& style = ImGui::GetStyle();
  style = ImGuiStyle();
  dark ? ImGui::StyleColorsDark() : ImGui::StyleColorsLight();
  style.WindowRounding = 0;
  style.FrameRounding = 3;
  style.WindowBorderSize = 0;
  style.FrameBorderSize = 1;  // an empty box is seen on its paper
  style.ScaleAllSizes(scale);
  style.Colors[ImGuiCol_WindowBg] = channels(Ink::paper, dark);
  style.Colors[ImGuiCol_ChildBg] = channels(Ink::paper, dark);
  style.Colors[ImGuiCol_Text] = channels(Ink::text, dark);
  style.Colors[ImGuiCol_TextDisabled] = channels(Ink::muted, dark);
  style.Colors[ImGuiCol_FrameBg] = channels(Ink::card, dark);
  style.Colors[ImGuiCol_Border] = channels(Ink::muted, dark, 0.5F);
  style.Colors[ImGuiCol_BorderShadow] = {0, 0, 0, 0};
}

}  // namespace duet::viz
