#pragma once
/// Pictures that were looked at and accepted, and how those of today differ from them.
#include <filesystem>
#include <string>

#include "viz/platform/raster.h"

namespace duet::viz::test {

/// @throws std::runtime_error for no PNG
Image read_png(const std::filesystem::path& path);

/// The picture with 32 values a channel: half the file, and a difference that the comparison lets pass.
Image coarse(Image picture);

/// How two pictures differ, in words; empty where they are alike.
///
/// They are compared in squares of 16 pixels: a share of the whole picture would pass over a label that moved. In a
/// square a few pixels may be off, at the edges of shapes and glyphs, where compilers round differently.
std::string difference(const Image& expected, const Image& actual);

/// The new picture, pale, with what differs in red.
Image marked(const Image& expected, const Image& actual);

/// Why the accepted pictures cannot be compared with what is drawn here; empty where they can.
std::string why_not_comparable();

}  // namespace duet::viz::test
