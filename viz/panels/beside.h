#pragma once
/// Rows of controls that go on below where the window is too narrow for them.

namespace duet::viz {

/// The next control goes behind the last one if there are `width` pixels for it, else on a line of its own.
void beside(float width);

/// Widths in pixels: of a button, of a check box or a round one, and of a field `lines` letters' heights wide, with
/// their labels.
float button_width(const char* label);
float check_width(const char* label);
float field_width(const char* label, float lines);

/// Words that are no control, behind the last one or below; wrapped at the window's edge.
void muted_beside(const char* words);

}  // namespace duet::viz
