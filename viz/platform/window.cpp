#include "viz/platform/window.h"

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>

#include "core/error.h"
#include "viz/platform/fonts.h"

namespace duet::viz {

namespace {

// What the monitor asks for, less what the system does itself (a window of fewer units than pixels).
float scale_of(GLFWwindow* window) {
  float wanted = 1, ignored = 1;
  int units = 0, pixels = 0, height = 0;
  glfwGetWindowContentScale(window, &wanted, &ignored);
  glfwGetWindowSize(window, &units, &height);
  glfwGetFramebufferSize(window, &pixels, &height);
  const bool known = units > 0 && pixels > 0 && wanted > 0;
  return known ? std::clamp(wanted * static_cast<float>(units) / static_cast<float>(pixels), 0.5F, 4.0F) : 1;
}

// Ends GLFW and ImGui in the right order, whatever happens in between.
class Session {
 public:
  explicit Session(const WindowOptions& options) {
    std::string why;
    if (!has_display(why)) throw no_display(why);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    if (options.scale == 0) glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    window = glfwCreateWindow(options.width, options.height, options.title.c_str(), nullptr, nullptr);
    if (window == nullptr) {
      glfwTerminate();
      throw InputError({.what = "OpenGL 3.2 is not available on this display",
                        .where = {},
                        .usually = "an old driver, or a remote display without OpenGL",
                        .fix = "./duet view TRACE --screenshot picture.png"});
    }
    glfwMakeContextCurrent(window);
    glfwSwapInterval(1);
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    scale = options.scale > 0 ? options.scale : scale_of(window);
    load_font(options.font_size * scale);
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    ImGui_ImplOpenGL3_Init("#version 150");
  }
  ~Session() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    glfwDestroyWindow(window);
    glfwPollEvents();  // so that it is gone from the screen; GLFW stays, as another thread may still call wake_window
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  GLFWwindow* window = nullptr;
  float scale = 1;
};

void show(GLFWwindow* window) {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  glViewport(0, 0, width, height);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window);
}

}  // namespace

bool has_display(std::string& why) {
  if (glfwInit() == GLFW_TRUE) return true;
  const char* text = nullptr;
  glfwGetError(&text);
  why = text == nullptr ? "GLFW does not start" : text;
  return false;
}

InputError no_display(const std::string& why) {
  return InputError({.what = "no window can be opened: " + why,
                     .where = {},
                     .usually = "there is no display: a server, or ssh without X forwarding",
                     .fix = "./duet view TRACE --screenshot picture.png, or open report.html of the run"});
}

void wake_window() { glfwPostEmptyEvent(); }

void run_window(const WindowOptions& options, const std::function<bool(const Surface&)>& frame, double tick_s,
                const std::function<bool()>& tick) {
  const Session session(options);
  int due = 3;  // ImGui settles a change over a few frames; after that the window sleeps
  const auto stopped = [&] { return options.stop != nullptr && options.stop->load(); };
  while (glfwWindowShouldClose(session.window) == GLFW_FALSE && !stopped()) {
    if (due > 0) {
      glfwPollEvents();
    } else {
      const double before = glfwGetTime();
      glfwWaitEventsTimeout(tick_s);
      const bool woken = glfwGetTime() - before < tick_s * 0.9;
      if (!tick() && !woken) continue;
      due = 3;
    }
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    const auto size = ImGui::GetIO().DisplaySize;
    due = frame({size.x, size.y, session.scale}) ? 3 : due - 1;
    ImGui::Render();
    show(session.window);
  }
}

}  // namespace duet::viz
