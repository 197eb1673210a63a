#include "bench/view/scene.h"

#include <imgui.h>

#include "viz/panels/palette.h"

namespace duet::bench {

using viz::TraceIndex;

Scene::Scene(const std::filesystem::path& trace) { open(std::make_unique<TraceIndex>(trace)); }
Scene::Scene(std::string text) { open(std::make_unique<TraceIndex>(std::move(text), "made")); }

void Scene::open(std::unique_ptr<TraceIndex> trace) {
  trace_ = std::move(trace);
  traces_ = std::make_unique<viz::TraceSet>(std::vector{trace_.get()}, std::vector<std::string>{"made"});
  viewer_ = std::make_unique<viz::Viewer>(*traces_, "made");
  viewer_->go_to_place(trace_->steps().size());
  window_ = std::make_unique<viz::NullWindow>(1280, 720, 16.0F);
}

void Scene::frame() {
  window_->draw([this](float width, float height) {
    viz::apply_style(viewer_->dark, 1);
    viewer_->draw(width, height);
  });
}

void Scene::zoom_to_tokens() {
  frame();
  auto& io = ImGui::GetIO();
  io.MousePos = {300, 300};  // inside the routing picture, whether it stands alone or beside others
  for (int i = 0; i < 40; ++i) {
    io.MouseWheel = 1;
    frame();
  }
  io.MouseWheel = 0;
  frame();
}

int Scene::vertices() const { return ImGui::GetDrawData()->TotalVtxCount; }

}  // namespace duet::bench
