#include "viz/model/fit_text.h"

#include <algorithm>

namespace duet::viz {

void add_text(Shapes& shapes, Rect box, const std::vector<std::string>& forms, const TextStyle& style) {
  constexpr float letter = 0.62F;    // a letter's width in lines, on average; digits are a little wider
  constexpr float readable = 0.55F;  // of the font's size
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto letters = static_cast<float>(std::max<std::size_t>(1, forms[i].size()));
    const float size =
        std::min({style.size, box.height * 1.05F / style.line, box.width / (letters * letter * style.line)});
    const bool last = i + 1 == forms.size();
    if (size < style.size * 0.8F && !last) continue;
    if (size < readable) return;
    const float shift = style.align == Align::left ? 0 : style.align == Align::middle ? box.width / 2 : box.width;
    shapes.push_back({.form = Form::text,
                      .box = {box.x + shift, box.y + (box.height - size * style.line) / 2, 0, size * style.line},
                      .colour = style.colour,
                      .text = forms[i],
                      .size = size,
                      .align = style.align});
    return;
  }
}

}  // namespace duet::viz
