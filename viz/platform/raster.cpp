#include "viz/platform/raster.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/atomic_file.h"
#include "core/error.h"

namespace duet::viz {

namespace {

struct Colour {
  float r = 0, g = 0, b = 0, a = 0;
};

Colour unpack(ImU32 colour) {
  const auto part = [colour](int shift) { return static_cast<float>((colour >> shift) & 0xFF) / 255.0F; };
  return {part(IM_COL32_R_SHIFT), part(IM_COL32_G_SHIFT), part(IM_COL32_B_SHIFT), part(IM_COL32_A_SHIFT)};
}

class Canvas {
 public:
  Canvas(Image& image, const Image& atlas) : image_(image), atlas_(atlas) {}

  void set_clip(const ImVec4& clip) {
    left_ = std::max(0, static_cast<int>(clip.x));
    top_ = std::max(0, static_cast<int>(clip.y));
    right_ = std::min(image_.width, static_cast<int>(std::ceil(clip.z)));
    bottom_ = std::min(image_.height, static_cast<int>(std::ceil(clip.w)));
  }

  void triangle(const ImDrawVert& a, const ImDrawVert& b, const ImDrawVert& c) {
    const float area = cross(a.pos, b.pos, c.pos);
    if (area == 0) return;
    const int x0 = std::max(left_, static_cast<int>(std::floor(std::min({a.pos.x, b.pos.x, c.pos.x}))));
    const int x1 = std::min(right_, static_cast<int>(std::ceil(std::max({a.pos.x, b.pos.x, c.pos.x}))));
    const int y0 = std::max(top_, static_cast<int>(std::floor(std::min({a.pos.y, b.pos.y, c.pos.y}))));
    const int y1 = std::min(bottom_, static_cast<int>(std::ceil(std::max({a.pos.y, b.pos.y, c.pos.y}))));
    const std::array colours{unpack(a.col), unpack(b.col), unpack(c.col)};
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) {
        const ImVec2 p(static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F);
        const float u = cross(b.pos, c.pos, p) / area, v = cross(c.pos, a.pos, p) / area,
                    w = cross(a.pos, b.pos, p) / area;
        if (!inside(u, b.pos, c.pos, area) || !inside(v, c.pos, a.pos, area) || !inside(w, a.pos, b.pos, area))
          continue;
        const Colour tint = mix(colours, u, v, w);
        const float s = a.uv.x * u + b.uv.x * v + c.uv.x * w, t = a.uv.y * u + b.uv.y * v + c.uv.y * w;
        blend(x, y, tint, texel(s, t));
      }
    }
  }

 private:
  static float cross(const ImVec2& o, const ImVec2& a, const ImVec2& b) {
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  }

  // A pixel on the edge between two triangles belongs to one of them: the one that has it on its top or left side.
  static bool inside(float weight, const ImVec2& from, const ImVec2& to, float area) {
    if (weight != 0) return weight > 0;
    const float dx = area > 0 ? to.x - from.x : from.x - to.x, dy = area > 0 ? to.y - from.y : from.y - to.y;
    return dy < 0 || (dy == 0 && dx > 0);
  }

  static Colour mix(const std::array<Colour, 3>& c, float u, float v, float w) {
    return {c[0].r * u + c[1].r * v + c[2].r * w, c[0].g * u + c[1].g * v + c[2].g * w,
            c[0].b * u + c[1].b * v + c[2].b * w, c[0].a * u + c[1].a * v + c[2].a * w};
  }

  // The atlas is white with the glyph's shape in alpha. Between four texels, as a graphics card does it.
  float texel(float s, float t) const {
    const float x = s * static_cast<float>(atlas_.width) - 0.5F, y = t * static_cast<float>(atlas_.height) - 0.5F;
    const float fx = x - std::floor(x), fy = y - std::floor(y);
    const int ix = static_cast<int>(std::floor(x)), iy = static_cast<int>(std::floor(y));
    return (alpha(ix, iy) * (1 - fx) + alpha(ix + 1, iy) * fx) * (1 - fy) +
           (alpha(ix, iy + 1) * (1 - fx) + alpha(ix + 1, iy + 1) * fx) * fy;
  }

  float alpha(int x, int y) const {
    const int cx = std::clamp(x, 0, atlas_.width - 1), cy = std::clamp(y, 0, atlas_.height - 1);
    return static_cast<float>(atlas_.rgba[static_cast<std::size_t>(cy * atlas_.width + cx) * 4 + 3]) / 255.0F;
  }

  void blend(int x, int y, const Colour& tint, float coverage) {
    const float a = tint.a * coverage;
    auto* const pixel = &image_.rgba[static_cast<std::size_t>(y * image_.width + x) * 4];
    const std::array parts{tint.r, tint.g, tint.b};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      pixel[i] = static_cast<std::uint8_t>(std::lround(parts[i] * 255 * a + static_cast<float>(pixel[i]) * (1 - a)));
    }
  }

  Image& image_;
  const Image& atlas_;
  int left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;
};

}  // namespace

Image rasterize(const ImDrawData& data, const Image& atlas, ImU32 background) {
  Image image{static_cast<int>(data.DisplaySize.x), static_cast<int>(data.DisplaySize.y), {}};
  const auto ground = unpack(background);
  image.rgba.reserve(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
  for (int i = 0; i < image.width * image.height; ++i) {
    for (const float part : {ground.r, ground.g, ground.b, 1.0F}) {
      image.rgba.push_back(static_cast<std::uint8_t>(std::lround(part * 255)));
    }
  }
  Canvas canvas(image, atlas);
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const auto& list = *data.CmdLists[i];
    for (const auto& command : list.CmdBuffer) {
      canvas.set_clip(command.ClipRect);
      const auto* const index = list.IdxBuffer.Data + command.IdxOffset;
      const auto* const vertex = list.VtxBuffer.Data + command.VtxOffset;
      for (unsigned int j = 0; j + 2 < command.ElemCount; j += 3) {
        canvas.triangle(vertex[index[j]], vertex[index[j + 1]], vertex[index[j + 2]]);
      }
    }
  }
  return image;
}

void write_png(const Image& image, const std::filesystem::path& path) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;  // every pixel covers; without alpha the file is smaller
  std::string pixels;
  pixels.reserve(image.rgba.size() / 4 * 3);
  for (std::size_t i = 0; i < image.rgba.size(); ++i) {
    if (i % 4 != 3) pixels += static_cast<char>(image.rgba[i]);
  }
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&header, bytes.data(), &size, 0, pixels.data(), 0, nullptr) == 0) {
    throw InputError("the picture cannot be made: " + std::string(header.message));
  }
  bytes.resize(size);
  write_file(path, bytes);
}

}  // namespace duet::viz
