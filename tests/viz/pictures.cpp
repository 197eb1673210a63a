#include "tests/viz/pictures.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace duet::viz::test {

namespace {

constexpr int square = 16;
// Another digit in a small label makes 10 such pixels in its square, a line that moved by a pixel 32, a label 54.
constexpr int largest_off = 24;  // of 255, in a channel
constexpr int pixels_off = 4;    // of a square's 256

bool is_off(const Image& a, const Image& b, int x, int y) {
  const auto at = static_cast<std::size_t>(y * a.width + x) * 4;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    if (std::abs(a.rgba[at + channel] - b.rgba[at + channel]) > largest_off) return true;
  }
  return false;
}

int off_in_square(const Image& a, const Image& b, int left, int top) {
  int count = 0;
  for (int y = top; y < std::min(top + square, a.height); ++y) {
    for (int x = left; x < std::min(left + square, a.width); ++x) count += is_off(a, b, x, y) ? 1 : 0;
  }
  return count;
}

}  // namespace

Image read_png(const std::filesystem::path& path) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&header, path.c_str()) == 0) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), header.message));
  }
  header.format = PNG_FORMAT_RGBA;
  Image image{static_cast<int>(header.width), static_cast<int>(header.height), {}};
  image.rgba.resize(PNG_IMAGE_SIZE(header));
  if (png_image_finish_read(&header, nullptr, image.rgba.data(), 0, nullptr) == 0) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), header.message));
  }
  return image;
}

Image coarse(Image picture) {
  for (auto& value : picture.rgba) value = static_cast<std::uint8_t>(value >= 248 ? 255 : (value & 0xF8U) + 3);
  return picture;
}

std::string difference(const Image& expected, const Image& actual) {
  if (expected.width != actual.width || expected.height != actual.height) {
    return fmt::format("{}x{} instead of {}x{}", actual.width, actual.height, expected.width, expected.height);
  }
  int squares = 0;
  std::string first;
  for (int top = 0; top < expected.height; top += square) {
    for (int left = 0; left < expected.width; left += square) {
      const int off = off_in_square(expected, actual, left, top);
      if (off <= pixels_off) continue;
      if (squares++ == 0) first = fmt::format("the first at {}, {}: {} pixels", left, top, off);
    }
  }
  return squares == 0 ? "" : fmt::format("{} squares of {} pixels differ, {}", squares, square, first);
}

Image marked(const Image& expected, const Image& actual) {
  auto image = actual;
  const bool same_size = expected.width == actual.width && expected.height == actual.height;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      auto* const pixel = &image.rgba[static_cast<std::size_t>(y * image.width + x) * 4];
      for (int channel = 0; channel < 3; ++channel) {
        pixel[channel] = static_cast<std::uint8_t>(192 + pixel[channel] / 4);
      }
      if (!same_size || !is_off(expected, actual, x, y)) continue;
      pixel[0] = 220, pixel[1] = 0, pixel[2] = 0;
    }
  }
  return image;
}

std::string why_not_comparable() {
  constexpr const char* font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
  constexpr std::uintmax_t size = 759'720;  // Debian 12: version 2.37
  std::error_code error;
  if (std::filesystem::file_size(font, error) != size || error) {
    return fmt::format("the pictures are drawn with Debian 12's DejaVu Sans, which is not at {}", font);
  }
  if (IMGUI_VERSION_NUM != 18600) return "the pictures are drawn by Dear ImGui 1.86; here it is " IMGUI_VERSION;
  return "";
}

}  // namespace duet::viz::test
